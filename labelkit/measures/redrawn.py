"""Candidates scored under many versions of the labels at once.

The formulas are those of perquery.py: a version of a query's labels is a row like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.judgments import LevelCounts, Qrels
from labelkit.measures.names import Measure
from labelkit.measures.perquery import Ranked, values
from labelkit.measures.ranking import BEYOND, UNJUDGED, Run, ordered
from labelkit.resampling import resample_counts

CELLS = 1 << 21
"""Ranked levels of one candidate held at once: 16 MB."""

SAME = 1e-12
"""Means closer than this differ only by rounding."""

Floats = NDArray[np.float64]
Levels = NDArray[np.int8]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Layout:
    """Judged pairs and rankings as numbers, which no version of the labels changes.

    `pairs` are ordered by query, query q owning those from `starts[q]` on; `places[c, q, r]` is
    the pair at rank r + 1 of candidate c, or -2 (nobody judged it), or -1 (nothing there).
    """

    names: tuple[str, ...]
    query_ids: tuple[str, ...]
    pairs: tuple[Pair, ...]
    starts: NDArray[np.intp]
    places: NDArray[np.intp]

    def only(self, query: int) -> Layout:
        """The layout of one query, by its place."""
        end = [*self.starts[1:], len(self.pairs)][query]
        places = self.places[:, query : query + 1]
        moved = np.where(places >= 0, places - self.starts[query], places)
        pairs = self.pairs[self.starts[query] : end]
        return Layout(self.names, (self.query_ids[query],), pairs, np.zeros(1, np.intp), moved)


def lay_out(qrels: Qrels, runs: Mapping[str, Run], depth: int) -> Layout:
    """Number the judged pairs and find them in the first `depth` ranks of every candidate."""
    query_ids = tuple(sorted(qrels))
    pairs = tuple((query, doc) for query in query_ids for doc in sorted(qrels[query]))
    sizes = [len(qrels[query]) for query in query_ids]
    starts = np.cumsum([0, *sizes[:-1]])
    number = {pair: i for i, pair in enumerate(pairs)}
    places = np.full((len(runs), len(query_ids), depth), -1, dtype=np.intp)
    for c, run in enumerate(runs.values()):
        for q, query in enumerate(query_ids):
            found = ordered(run.get(query, {}))[:depth]
            places[c, q, : len(found)] = [number.get((query, doc), -2) for doc in found]
    return Layout(tuple(runs), query_ids, pairs, starts, places)


def published(layout: Layout, qrels: Qrels) -> Levels:
    """The levels of the layout's pairs, [pairs]."""
    return np.array([qrels[query][doc] for query, doc in layout.pairs], dtype=np.int8)


def scored(layout: Layout, levels: Levels, measure: Measure, threshold: int) -> Floats:
    """The measure under each version of the labels, [versions, candidates, queries].

    `levels` has the shape [versions, pairs]. NaN where a query has no relevant document.
    """
    at_least = np.stack(
        [np.add.reduceat(levels >= one, layout.starts, axis=1, dtype=np.int64) for one in (1, 2)],
        axis=2,
    )
    sizes = np.diff(layout.starts, append=len(layout.pairs))
    counts = LevelCounts(np.array([1, 2]), at_least.reshape(-1, 2), np.tile(sizes, len(levels)))
    nothing = counts.relevant(1 if measure.graded else threshold) == 0
    known = np.pad(levels.astype(np.float64), ((0, 0), (0, 2)))
    known[:, -2:] = UNJUDGED, BEYOND
    table = np.empty((len(levels), len(layout.names), len(layout.query_ids)))
    for c, places in enumerate(layout.places):
        ranked = known[:, places].reshape(-1, places.shape[1])
        found = np.where(nothing, np.nan, values(measure, Ranked(ranked, counts, threshold)))
        table[:, c] = found.reshape(len(levels), -1)
    return table


def versions(
    layout: Layout, levels: Levels, measure: Measure, threshold: int
) -> Iterator[tuple[slice, Floats]]:
    """`scored` in blocks of versions that fit into memory, each with its place."""
    depth = layout.places.shape[2]
    rows = max(1, CELLS // max(1, len(layout.query_ids) * depth, len(layout.pairs)))
    for at in range(0, len(levels), rows):
        block = slice(at, min(at + rows, len(levels)))
        yield block, scored(layout, levels[block], measure, threshold)


def means(table: Floats, weights: Floats | None = None) -> Floats:
    """Means over the queries that count, [versions, candidates]; 0 where none does.

    `weights`: how often each query was drawn, [versions, queries]; None for once each.
    """
    held = ~np.isnan(table)
    w = held if weights is None else held * weights[:, None, :]
    total = w.sum(axis=2)
    summed = np.where(held, table, 0.0) * w
    return np.divide(summed.sum(axis=2), total, out=np.zeros(total.shape), where=total > 0)


def query_draws(queries: int, draws: int, rng: np.random.Generator) -> Floats:
    """How often each query is drawn, [draws, queries]: a bootstrap over queries."""
    return np.concatenate(list(resample_counts(queries, draws, rng)))


def win_shares(scores: Floats) -> Floats:
    """How often each candidate has the highest mean, ties split, [candidates]."""
    best = scores >= scores.max(axis=1, keepdims=True) - SAME
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def taus(scores: Floats, reference: Floats) -> Floats:
    """Kendall's tau of each row's order with the reference's, [rows].

    Over the pairs of candidates that differ in the reference; a tie in the row counts 0.
    """
    i, j = np.triu_indices(len(reference), 1)
    told = np.sign(np.round(reference[i] - reference[j], 12))
    kept = told != 0
    now = np.sign(np.round(scores[:, i] - scores[:, j], 12))
    return np.asarray((now * told)[:, kept].sum(axis=1) / max(1, int(kept.sum())))
