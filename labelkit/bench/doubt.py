"""The winner under doubt: how often each candidate of a run wins if labels may be wrong.

Labels are redrawn from what the second labels say of the raters' errors, and every candidate is
scored under each version (docs/label-noise.md has the model and its limits). Voorhees (2000)
asked what other assessors would have changed; Northcutt et al. (2021) how few wrong labels it
takes to change a winner.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from labelkit.bench import files
from labelkit.bench.doubt_figures import Chance, Doubt, Doubtful, Flipped, Gap, Tau
from labelkit.bench.failures import refuse_other_release
from labelkit.bench.label_views import by_rater, by_rule, given_levels
from labelkit.bench.results import RunResult
from labelkit.errors import InputError, NotReady
from labelkit.measures import Measure, redrawn
from labelkit.measures.flips import Flip, smallest_flip
from labelkit.measures.label_noise import (
    DRAWS,
    NOT_SETTLED,
    Evidence,
    RaterErrors,
    estimate_errors,
    pair_chances,
    redraw,
)
from labelkit.measures.redrawn import Floats, Layout, Levels
from labelkit.measures.strata import strata
from labelkit.model import LEVELS, demo_labels
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.bench.run import ReleaseData

FILE = "doubt.json"
"""Kept in the run's folder: the same run and release give the same figures."""

FEW_SECOND_LABELS = 30
"""Below this many doubly judged pairs the raters' errors are mostly what the prior says."""

TAILS = (0.025, 0.975)


def doubt(result: RunResult, release: ReleaseData, *, draws: int = DRAWS, seed: int = 0) -> Doubt:
    """Redraw the labels of a run's release and score every finished candidate each time.

    Raises InputError where the release is not the one that was run or fewer than two candidates
    have results, NotReady where no pair was judged twice.
    """
    refuse_other_release(result, release)
    scale = _Scale(result.plan.primary_measure, _threshold(result, release))
    layout = _layout(result, release)
    levels = redrawn.published(layout, release.qrels)
    evidence = gather(layout, levels, release)
    errors = estimate_errors(evidence, draws=draws, seed=seed)
    drawn, changed = _draw(layout, levels, scale, evidence, errors, seed)
    table = redrawn.scored(layout, levels[None], *scale)[0]
    means = redrawn.means(table[None])[0]
    chances = pair_chances(evidence, errors)
    flip = smallest_flip(layout, levels, *scale, chances)
    return Doubt(
        primary=str(scale.measure),
        relevant_level=scale.threshold,
        leader=layout.names[int(np.argmax(means))],
        draws=draws,
        seed=seed,
        queries=int((~np.isnan(table[0])).sum()),
        pairs=_pair_counts(evidence),
        changed=changed,
        **_confusion(errors),
        candidates=_chances(layout, means, drawn),
        differences=_gaps(layout, means, drawn),
        tau=_tau(redrawn.taus(drawn.labels, means)),
        flip=None if flip is None else _flipped(flip, layout, levels, evidence, chances, release),
        raters=by_rater(layout, release, *scale),
        rules=by_rule(layout, release, *scale),
        warnings=tuple(_warnings(evidence, release)),
    )


class _Scale(NamedTuple):
    """What decides, and the level from which a document is relevant."""

    measure: Measure
    threshold: int


class _Drawn(NamedTuple):
    """Means of the candidates with labels, queries or both redrawn, each [draws, candidates]."""

    labels: Floats
    queries: Floats
    both: Floats


def _draw(
    layout: Layout,
    levels: Levels,
    scale: _Scale,
    evidence: Evidence,
    errors: RaterErrors,
    seed: int,
) -> tuple[_Drawn, float]:
    """Score the candidates under every version, and say what share of the labels changed."""
    rng = np.random.default_rng([seed, 1])
    versions = redraw(evidence, errors, rng)
    weights = redrawn.query_draws(len(layout.query_ids), len(versions), rng)
    labels, both = np.empty((2, len(versions), len(layout.names)))
    for block, scores in redrawn.versions(layout, versions, *scale):
        labels[block], both[block] = redrawn.means(scores), redrawn.means(scores, weights[block])
    table = redrawn.scored(layout, levels[None], *scale)
    same_labels = np.broadcast_to(table, (len(versions), *table.shape[1:]))
    queries = redrawn.means(same_labels, weights)
    return _Drawn(labels, queries, both), float((versions != levels).mean())


def _threshold(result: RunResult, release: ReleaseData) -> int:
    """The declared threshold; 1 where nothing is judged above 1, as `evaluate` reads it."""
    highest = max((level for row in release.qrels.values() for level in row.values()), default=0)
    return result.plan.relevant_level if highest > 1 else 1


def _layout(result: RunResult, release: ReleaseData) -> Layout:
    if len(result.completed) < 2:
        raise InputError(
            "fewer than two candidates of this run have results, so there is no winner to doubt"
        )
    runs = {name: result.run(name) for name in result.completed}
    return redrawn.lay_out(release.qrels, runs, result.plan.k)


def gather(layout: Layout, levels: Levels, release: ReleaseData) -> Evidence:
    """What the release's judgments say of every released pair; one without any is settled.

    Raises NotReady where no pair has two raters' levels: nothing is known of their errors then.
    """
    number = {pair: i for i, pair in enumerate(layout.pairs)}
    counts = np.zeros((len(number), len(LEVELS)), dtype=np.int64)
    settled = np.full(len(number), NOT_SETTLED, dtype=np.int64)
    for pair, held in given_levels(release.judgments).items():
        for level in held.values() if pair in number else ():
            counts[number[pair], level] += 1
    for row in release.judgments:
        if row["role"] == "adjudicator" and (row["query_id"], row["doc_id"]) in number:
            settled[number[row["query_id"], row["doc_id"]]] = row["level"]
    said = counts.sum(axis=1)
    if not (said >= 2).any():
        raise NotReady(
            "No pair of this release was judged by two people, so nothing is known of how often "
            "labels are wrong: draw a sample for second labels on the Agreement page first."
        )
    alone = (said == 0) & (settled == NOT_SETTLED)
    settled[alone] = levels[alone]
    return Evidence(counts, settled, strata(layout, levels))


def _pair_counts(evidence: Evidence) -> dict[str, int]:
    said, settled = evidence.labels.sum(axis=1), evidence.settled != NOT_SETTLED
    return {
        "judged once": int(((said == 1) & ~settled).sum()),
        "judged twice or more": int(((said >= 2) & ~settled).sum()),
        "adjudicated": int(settled.sum()),
        "with a second label": int((said >= 2).sum()),
    }


def _confusion(errors: RaterErrors) -> dict[str, list[list[float]]]:
    names = ("confusion", "confusion_low", "confusion_high")
    return {name: part.tolist() for name, part in zip(names, errors.interval(), strict=True)}


def _chances(layout: Layout, means: Floats, drawn: _Drawn) -> tuple[Chance, ...]:
    """Best published mean first."""
    shares = [redrawn.win_shares(one).tolist() for one in drawn]
    rows = zip(layout.names, means.tolist(), *shares, strict=True)
    return tuple(sorted((Chance(*row) for row in rows), key=lambda one: (-one.mean, one.name)))


def _gaps(layout: Layout, means: Floats, drawn: _Drawn) -> tuple[Gap, ...]:
    """Every pair of candidates, the better one first."""
    order = np.argsort(-means, kind="stable").tolist()
    return tuple(_gap(layout, means, drawn, a, b) for a, b in combinations(order, 2))


def _gap(layout: Layout, means: Floats, drawn: _Drawn, a: int, b: int) -> Gap:
    labels, queries, both = (one[:, a] - one[:, b] for one in drawn)
    above, level = labels > redrawn.SAME, np.abs(labels) <= redrawn.SAME
    return Gap(
        layout.names[a],
        layout.names[b],
        float(means[a] - means[b]),
        _ends(labels),
        _ends(queries),
        _ends(both),
        ahead=float(above.mean() + level.mean() / 2),
    )


def _ends(moved: Floats) -> tuple[float, float]:
    low, high = np.quantile(moved, TAILS).tolist()
    return low, high


def _tau(taus: Floats) -> Tau:
    values, times = np.unique(np.round(taus, 6), return_counts=True)
    low, high = np.quantile(taus, TAILS).tolist()
    counts = {f"{value:.3f}": int(n) for value, n in zip(values, times, strict=True)}
    return Tau(float(taus.mean()), low, high, float((taus > 1 - 1e-9).mean()), counts)


def _flipped(
    flip: Flip,
    layout: Layout,
    levels: Levels,
    evidence: Evidence,
    chances: Floats,
    release: ReleaseData,
) -> Flipped:
    queries = {query.query_id: query.text for query in release.queries}
    titles = {document.doc_id: document.title for document in release.documents}
    rows = []
    for change in flip.changes:
        query_id, doc_id = layout.pairs[change.pair]
        rows.append(
            Doubtful(
                query_id,
                queries.get(query_id, ""),
                doc_id,
                titles.get(doc_id, ""),
                int(levels[change.pair]),
                change.level,
                float(chances[change.pair, change.level]),
                int(evidence.labels[change.pair].sum()),
                bool(evidence.settled[change.pair] != NOT_SETTLED),
            )
        )
    return Flipped(layout.names[flip.rival], flip.exact, tuple(rows))


def _warnings(evidence: Evidence, release: ReleaseData) -> list[str]:
    twice = int((evidence.labels.sum(axis=1) >= 2).sum())
    found = demo_labels([row.get("provenance", "") for row in release.judgments])
    if twice < FEW_SECOND_LABELS:
        were = counted(twice, "pair was", "pairs were")
        found.append(
            f"Only {were} judged by two people: the raters' errors are mostly what the prior "
            f"assumes (right 8 times in 10). {FEW_SECOND_LABELS} and more say something."
        )
    return found


def keep(result: RunResult, found: Doubt) -> None:
    """Write the figures into the run's folder."""
    files.write_json(result.folder / FILE, found.as_dict())


def kept(result: RunResult) -> dict[str, Any] | None:
    """The figures that were kept in the run's folder, or None."""
    path = result.folder / FILE
    return files.read_json(path) if path.is_file() else None
