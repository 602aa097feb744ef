"""How well the win chances under label noise are calibrated, by simulation.

Usage: python benchmarks/label_noise.py [worlds]. Worlds are made whose true levels are known:
queries, candidates of nearly equal quality, raters who err, a few second labels drawn with all
levels present, differences settled by a lead. The analysis sees what was said; what it states is
held against the true levels. Figures: docs/label-noise.md.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelkit.measures import Measure, redrawn
from labelkit.measures.label_noise import NOT_SETTLED, Evidence, estimate_errors, redraw
from labelkit.measures.redrawn import Layout, Levels
from labelkit.measures.strata import strata

MEASURE, THRESHOLD, DEPTH = Measure("ndcg", 10), 2, 10
DRAWS = 400
ELSEWHERE = 2_000
"""Other queries of the same kind, whose true means say who is best in the long run."""

BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.000001)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """How worlds are made: raters are right with a chance between `right`; `shared` is the share
    of pairs that every rater, the lead included, reads wrongly in the same way."""

    name: str
    doubles: int = 60
    right: tuple[float, float] = (0.75, 0.97)
    shared: float = 0.0
    queries: int = 50
    documents: int = 25
    candidates: int = 4


SETTINGS = (
    Setting("60 second labels"),
    Setting("20 second labels", doubles=20),
    Setting("200 second labels", doubles=200),
    Setting("raters right 65 to 80 %", right=(0.65, 0.80)),
    Setting("5 % of pairs misread by all", shared=0.05),
)


@dataclass(frozen=True)
class World:
    """What the analysis sees (layout, published levels, evidence), the true levels, and each
    candidate's true mean over many other queries of the same kind."""

    layout: Layout
    published: Levels
    evidence: Evidence
    truth: Levels
    elsewhere: Floats


@dataclass(frozen=True)
class Outcome:
    """For each candidate the chance of winning that is stated with labels in doubt, with both in
    doubt, and by the published scores alone; who truly wins on these queries and elsewhere; and
    whether the interval of the first two candidates' difference holds the true one."""

    stated: Floats
    both: Floats
    naive: Floats
    true: Floats
    elsewhere: Floats
    held: bool


def make(setting: Setting, rng: np.random.Generator) -> World:
    """One world."""
    q, d = setting.queries, setting.documents
    mix = rng.dirichlet([24.0, 3.6, 2.4])
    truth = rng.choice(3, (q, d), p=mix)
    strength = rng.normal(1.0, 0.15, setting.candidates)
    layout = rankings(truth, strength, rng)
    flat = truth.ravel()
    read = np.where(rng.random(flat.size) < setting.shared, rng.integers(0, 3, flat.size), flat)
    confusion = raters(setting, rng)
    first = said(read, confusion, rng)
    counts = np.eye(3, dtype=np.int64)[first]
    drawn = np.concatenate(
        [rng.permutation(np.flatnonzero(first == n))[: setting.doubles // 3] for n in range(3)]
    )
    second = said(read[drawn], confusion, rng)
    counts[drawn] += np.eye(3, dtype=np.int64)[second]
    settled = np.full(flat.size, NOT_SETTLED, dtype=np.int64)
    split = drawn[second != first[drawn]]
    careful = confusion**3 / (confusion**3).sum(axis=1, keepdims=True)
    settled[split] = said(read[split], careful, rng)
    published = np.where(settled == NOT_SETTLED, first, settled).astype(np.int8)
    evidence = Evidence(counts, settled, strata(layout, published))
    more = rng.choice(3, (ELSEWHERE, d), p=mix)
    elsewhere = scores(rankings(more, strength, rng), more.reshape(1, -1).astype(np.int8))[0]
    return World(layout, published, evidence, flat.astype(np.int8), elsewhere)


def rankings(truth: NDArray[np.int64], strength: Floats, rng: np.random.Generator) -> Layout:
    """Candidates that see the true levels through noise, some of it shared."""
    (q, d), candidates = truth.shape, len(strength)
    noise = 0.7 * rng.normal(size=(q, d)) + rng.normal(size=(candidates, q, d))
    order = np.argsort(-(strength[:, None, None] * truth + noise), axis=2)[:, :, :DEPTH]
    starts = np.arange(q) * d
    return Layout(
        tuple(f"c{n}" for n in range(candidates)),
        tuple(f"q{n}" for n in range(q)),
        tuple((f"q{n // d}", f"d{n % d}") for n in range(q * d)),
        starts,
        order + starts[None, :, None],
    )


def raters(setting: Setting, rng: np.random.Generator) -> Floats:
    """A confusion matrix: near levels are taken for each other more often, 0 rarely for 2."""
    a, b, c = rng.uniform(*setting.right, 3)
    wrong = 0.3 * (1 - a)  # a 0 is easier to see than a 1 or a 2
    return np.array(
        [
            [1 - wrong, wrong * 5 / 6, wrong / 6],
            [(1 - b) / 2, b, (1 - b) / 2],
            [(1 - c) / 5, (1 - c) * 4 / 5, c],
        ]
    )


def said(true: NDArray[np.int64], confusion: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """One rater's levels of pairs with these true levels."""
    steps = np.cumsum(confusion, axis=1)[true, :2]
    return np.asarray((rng.random(len(true))[:, None] > steps).sum(axis=1))


def look(world: World, seed: int) -> Outcome:
    """Do the analysis and hold it against the truth."""
    errors = estimate_errors(world.evidence, draws=DRAWS, seed=seed)
    rng = np.random.default_rng([seed, 1])
    levels = redraw(world.evidence, errors, rng)
    weights = redrawn.query_draws(len(world.layout.query_ids), DRAWS, rng)
    means, both = np.empty((2, DRAWS, len(world.layout.names)))
    for block, table in redrawn.versions(world.layout, levels, MEASURE, THRESHOLD):
        means[block], both[block] = redrawn.means(table), redrawn.means(table, weights[block])
    true, published = scores(world.layout, np.stack([world.truth, world.published]))
    gaps = means[:, 0] - means[:, 1]
    low, high = np.quantile(gaps, (0.025, 0.975))
    return Outcome(
        redrawn.win_shares(means),
        redrawn.win_shares(both),
        redrawn.win_shares(published[None]),
        redrawn.win_shares(true[None]),
        redrawn.win_shares(world.elsewhere[None]),
        bool(low <= true[0] - true[1] <= high),
    )


def scores(layout: Layout, levels: Levels) -> Floats:
    """Mean of every candidate under each version, [versions, candidates]."""
    return redrawn.means(redrawn.scored(layout, levels, MEASURE, THRESHOLD))


def simulate(setting: Setting, worlds: int) -> list[Outcome]:
    """Look at so many worlds; the same number gives the same worlds."""
    return [look(make(setting, np.random.default_rng([n, 7])), n) for n in range(worlds)]


def brier(outcomes: list[Outcome], stated: str, true: str = "true") -> float:
    """Mean squared distance of a stated chance from what came true (Brier 1950)."""
    return float(np.mean([(getattr(one, stated) - getattr(one, true)) ** 2 for one in outcomes]))


def reliability(
    outcomes: list[Outcome], stated: str, true: str
) -> list[tuple[float, float, int, float, float]]:
    """For each bin of stated chances: its ends, how many, mean stated, share that came true."""
    chances, came = (
        np.concatenate([getattr(one, key) for one in outcomes]) for key in (stated, true)
    )
    rows = []
    for low, high in pairwise(BINS):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            figures = float(chances[inside].mean()), float(came[inside].mean())
            rows.append((low, min(high, 1.0), int(inside.sum()), *figures))
    return rows


def report(outcomes: list[Outcome], stated: str, true: str) -> str:
    """Brier scores and the reliability table."""
    lines = [
        f"{stated} against {true}: Brier {brier(outcomes, stated, true):.4f}, of the published "
        f"winner alone {brier(outcomes, 'naive', true):.4f}",
        "| stated | candidates | mean stated | came true |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {low:.2f} to {high:.2f} | {n} | {mean:.2f} | {came:.2f} |"
        for low, high, n, mean, came in reliability(outcomes, stated, true)
    ]
    return "\n".join(lines)


def main() -> None:
    """Print each setting's tables."""
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for setting in SETTINGS:
        began = time.perf_counter()
        outcomes = simulate(setting, worlds)
        held = np.mean([one.held for one in outcomes])
        print(f"\n{setting.name}: {worlds} worlds, {time.perf_counter() - began:.0f} s")
        print(f"intervals (labels in doubt) that hold the true difference: {held:.1%}")
        print(report(outcomes, "stated", "true"))
        print(report(outcomes, "both", "elsewhere"), flush=True)


if __name__ == "__main__":
    main()
