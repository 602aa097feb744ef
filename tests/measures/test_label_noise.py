"""Labels under doubt: what second labels say of errors, scores under many versions, the flip."""

from __future__ import annotations

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from labelkit.measures import evaluate, parse, redrawn
from labelkit.measures.flips import smallest_flip
from labelkit.measures.label_noise import (
    NOT_SETTLED,
    Evidence,
    estimate_errors,
    pair_chances,
    redraw,
)
from labelkit.measures.posterior import sample
from labelkit.measures.redrawn import Layout, Levels
from labelkit.measures.strata import strata

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import label_noise as worlds

TRUE = np.array([[0.95, 0.04, 0.01], [0.10, 0.85, 0.05], [0.02, 0.08, 0.90]])
UNKNOWN = np.full((1, 3), 1 / 3)


def small(seed: int, queries: int = 4, documents: int = 5) -> tuple[Layout, Levels, dict, dict]:
    """A layout of two candidates with holes and ties, its levels, and the same as dicts."""
    rng = np.random.default_rng(seed)
    levels = rng.choice(3, (queries, documents), p=[0.5, 0.3, 0.2])
    qrels = {
        f"q{q}": {f"d{d}": int(levels[q, d]) for d in range(documents)} for q in range(queries)
    }
    runs = {
        name: {
            f"q{q}": {f"d{d}": float(rng.integers(0, 6)) for d in range(documents + 3)}
            for q in range(queries - (name == "b"))
        }
        for name in "ab"
    }
    layout = redrawn.lay_out(qrels, runs, 4)
    return layout, redrawn.published(layout, qrels), qrels, runs


def as_qrels(layout: Layout, levels: Levels) -> dict[str, dict[str, int]]:
    """The levels as qrels."""
    qrels: dict[str, dict[str, int]] = {}
    for (query, doc), level in zip(layout.pairs, levels.tolist(), strict=True):
        qrels.setdefault(query, {})[doc] = level
    return qrels


@pytest.mark.parametrize("name", ["ndcg@4", "ndcg_exp@4", "recall@4", "mrr@4", "ap@4", "hit@3"])
def test_scores_under_a_version_are_those_of_evaluate(name: str) -> None:
    """Each version scored at once equals evaluating it alone, holes and missing queries too."""
    layout, levels, _, runs = small(3)
    rng = np.random.default_rng(0)
    versions = np.stack([levels, *rng.integers(0, 3, (20, len(levels))).astype(np.int8)])
    versions[:, 0] = 2  # so that the threshold of 2 means 2 in every version
    table = redrawn.scored(layout, versions, parse(name), 2)
    for version, scores in zip(versions, table, strict=True):
        qrels = as_qrels(layout, version)
        for candidate, row in zip(layout.names, scores, strict=True):
            alone = evaluate(qrels, runs[candidate], [name], require_overlap=False)
            np.testing.assert_allclose(row, alone.values[:, 0], rtol=0, atol=1e-15)


def test_blocks_of_versions_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks give what one block gives."""
    layout, levels, _, _ = small(4)
    versions = np.repeat(levels[None], 7, axis=0)
    versions[::2, 3] = 2
    monkeypatch.setattr(redrawn, "CELLS", 40)
    parts = [table for _, table in redrawn.versions(layout, versions, parse("ndcg@4"), 2)]
    assert len(parts) > 1
    whole = redrawn.scored(layout, versions, parse("ndcg@4"), 2)
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_walkers_draw_from_a_known_distribution() -> None:
    """Of a Dirichlet density alone the draws have its means and variances."""
    weights = np.array([[4.0, 0.75, 0.25], [20.0, 3.0, 1.0]])
    rng = np.random.default_rng(0)
    drawn = np.exp(sample(lambda logs: (weights * logs).sum(axis=(1, 2)), weights, 2_000, rng))
    total = weights.sum(axis=1, keepdims=True)
    mean = weights / total
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), mean * (1 - mean) / (total + 1), atol=0.008)


def evidence(doubles: int, seed: int = 1, pairs: int = 3_000) -> tuple[Evidence, Levels]:
    """Labels of raters with the confusion TRUE, and the true levels; differences are settled."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, pairs, p=[0.7, 0.18, 0.12])
    counts = np.eye(3, dtype=np.int64)[worlds.said(truth, TRUE, rng)]
    counts[:doubles] += np.eye(3, dtype=np.int64)[worlds.said(truth[:doubles], TRUE, rng)]
    split = (counts == 1).sum(axis=1) == 2
    settled = np.where(split, truth, NOT_SETTLED)
    return Evidence(counts, settled, np.zeros(pairs, np.int64)), truth.astype(np.int8)


def test_many_second_labels_show_the_errors_and_few_leave_them_open() -> None:
    """The true matrix lies in the intervals, which are narrower the more is known."""
    spread = []
    for doubles in (40, 1_500):
        found, _ = evidence(doubles)
        _, low, high = estimate_errors(found, seed=2).interval(0.99)
        assert np.all((low <= TRUE) & (high >= TRUE)), doubles
        spread.append(np.diagonal(high - low))
    assert np.all(spread[1] < spread[0])


def test_agreed_labels_are_less_in_doubt_and_settled_ones_least() -> None:
    """One label changes more often than two alike, and those more often than a settled level."""
    counts = np.array([[0, 1, 0], [0, 2, 0], [1, 1, 0]])
    found, _ = evidence(300)
    both = Evidence(
        np.concatenate([found.labels, counts]),
        np.append(found.settled, [NOT_SETTLED, NOT_SETTLED, 1]),
        np.append(found.stratum, [0, 0, 0]),
    )
    errors = estimate_errors(both, seed=0)
    single, agreed, settled = 1 - pair_chances(both, errors)[-3:, 1]
    assert single > agreed > settled > 0
    drawn = redraw(both, errors, np.random.default_rng(0))
    assert (drawn[:, -3] != 1).mean() == pytest.approx(single, abs=0.04)
    again = redraw(both, errors, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, again)


def test_taus_are_kendalls() -> None:
    """Without ties the same as scipy's; a tie in the drawn order counts as neither."""
    rng = np.random.default_rng(0)
    reference, scores = rng.random(6), rng.random((20, 6))
    expected = [scipy.stats.kendalltau(reference, row).statistic for row in scores]
    np.testing.assert_allclose(redrawn.taus(scores, reference), expected)
    assert redrawn.taus(np.array([[1.0, 1.0, 0.0]]), np.array([3.0, 2.0, 1.0]))[0] == 2 / 3


def test_ties_for_the_first_place_are_split() -> None:
    """Two that share the first place win half each."""
    shares = redrawn.win_shares(np.array([[0.5, 0.5, 0.1], [0.2, 0.4, 0.1]]))
    np.testing.assert_allclose(shares, [0.25, 0.75, 0.0])


def test_pairs_at_the_top_are_the_most_promising() -> None:
    """A document that every candidate ranks first has the highest stratum, an unseen one none."""
    world = worlds.make(worlds.SETTINGS[0], np.random.default_rng(5))
    found = strata(world.layout, world.published)
    seen = np.bincount(world.layout.places[:, :, :1].ravel(), minlength=len(found))
    assert found[seen == 4].min() > found[seen == 0].mean()
    unseen = np.setdiff1d(np.arange(len(found)), world.layout.places)
    assert set(found[unseen]) == {0}


def by_brute_force(layout: Layout, levels: Levels, most: int) -> int | None:
    """The fewest changed labels after which the leader is overtaken, by trying every set."""

    def sums(versions: Levels) -> np.ndarray:
        return np.nansum(redrawn.scored(layout, versions, parse("ndcg@4"), 2), axis=2)

    leader = int(np.argmax(sums(levels[None])[0]))
    for size in range(1, most + 1):
        for where in combinations(range(len(levels)), size):
            versions = np.repeat(levels[None], 3**size, axis=0)
            versions[:, where] = list(product(range(3), repeat=size))
            found = sums(versions)
            if (found.max(axis=1) > found[:, leader] + 1e-12).any():
                return size
    return None


@pytest.mark.parametrize("seed", range(12))
def test_the_flip_is_the_smallest_there_is(seed: int) -> None:
    """Up to three changes the set is as small as trying every set shows, and it does flip."""
    layout, levels, _, _ = small(seed, queries=3, documents=5)
    flip = smallest_flip(layout, levels, parse("ndcg@4"), 2, np.repeat(UNKNOWN, len(levels), 0))
    fewest = by_brute_force(layout, levels, 3)
    if flip is None:
        assert fewest is None
        return
    changed = levels.copy()
    for one in flip.changes:
        changed[one.pair] = one.level
    both = np.stack([levels, changed])
    before, after = np.nansum(redrawn.scored(layout, both, parse("ndcg@4"), 2), axis=2)
    assert after[flip.rival] > after[int(np.argmax(before))]
    assert len(flip.changes) == fewest or (fewest is None and len(flip.changes) > 3)
    assert flip.exact or len(flip.changes) > 3


def test_win_chances_are_calibrated() -> None:
    """What is stated comes true as often, and beats trusting the published winner.

    A few worlds here; benchmarks/label_noise.py looks at a thousand.
    """
    outcomes = worlds.simulate(worlds.SETTINGS[0], 24)
    assert worlds.brier(outcomes, "stated") < worlds.brier(outcomes, "naive")
    leaders = [(one.stated.max(), one.true[int(one.stated.argmax())]) for one in outcomes]
    stated, true = np.mean(leaders, axis=0)
    assert stated == pytest.approx(true, abs=0.1)
    assert np.mean([one.held for one in outcomes]) >= 0.75
