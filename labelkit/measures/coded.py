"""Qrels and a run with whole numbers for ids: for a caller that measures the same many times.

Looking ids up costs more than all formulas together. Here it is paid once, in `code`; after that
ids are found by sorting and bisection of whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.measures.judgments import LevelCounts, Qrels, count_levels
from labelkit.measures.names import Measure, parse_all
from labelkit.measures.perquery import Ranked, Values, values
from labelkit.measures.ranking import BEYOND, UNJUDGED, Block, Run, similar


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Queries are their places in `query_ids` (the judged ones, ascending), documents their
    places among all ids in bytewise order, of which there are `documents`.

    Judgments: `pairs` [judged] holds query × documents + document, ascending, with `levels`.
    The run: `documents_ranked` and `scores` [ranked], query after query, `lengths` [queries].
    """

    query_ids: tuple[str, ...]
    documents: int
    counts: LevelCounts
    pairs: NDArray[np.int64]
    levels: NDArray[np.float64]
    lengths: NDArray[np.int64]
    documents_ranked: NDArray[np.int32]
    scores: NDArray[np.float64]

    def blocks(self) -> Iterator[Block]:
        """The rankings with their levels, as `ranking.blocks` lays them out."""
        firsts = np.cumsum(self.lengths) - self.lengths
        for rows in similar(self.lengths):
            yield self._block(rows, firsts[rows], self.lengths[rows])

    def _block(
        self, rows: NDArray[np.int64], firsts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> Block:
        place = np.arange(int(lengths.max()))
        cells = firsts[:, None] + place
        beyond = place >= lengths[:, None]
        cells[beyond] = 0
        documents = np.where(beyond, np.int32(-1), self.documents_ranked[cells])
        scores = np.where(beyond, np.nan, self.scores[cells])
        if not np.all((scores[:, 1:] < scores[:, :-1]) | beyond[:, 1:]):
            order = np.lexsort((-documents, -scores))
            documents = np.take_along_axis(documents, order, axis=1)
            scores = np.take_along_axis(scores, order, axis=1)
        return Block(rows, self._levels(rows, documents), scores)

    def _levels(self, rows: NDArray[np.int64], documents: NDArray[np.int32]) -> Values:
        levels = np.where(documents < 0, BEYOND, UNJUDGED)
        order = np.argsort(documents, axis=1)
        ranked = np.take_along_axis(documents, order, axis=1).astype(np.int64)
        # Rows ascend, and -1 beyond the end stays below the row's own documents: all is sorted.
        ranked += (rows * (self.documents + 1) + 1)[:, None]
        flat = ranked.ravel()
        first, last = np.searchsorted(self.pairs, (flat[0], flat[-1] + 1))
        wanted = self.pairs[first:last]
        spot = np.minimum(np.searchsorted(flat, wanted), flat.size - 1)
        found = flat[spot] == wanted
        row, column = np.divmod(spot[found], documents.shape[1])
        levels[row, order[row, column]] = self.levels[first:last][found]
        return levels


def code(qrels: Qrels, run: Run) -> Coded:
    """Give ids their numbers; raises InputError for levels that are none and NaN scores."""
    query_ids = tuple(sorted(qrels))
    counts = count_levels(query_ids, qrels)
    judged = [qrels[query_id] for query_id in query_ids]
    rankings = [run.get(query_id, {}) for query_id in query_ids]
    ids = sorted(set(chain(*judged, *rankings)))
    number = {doc_id: place for place, doc_id in enumerate(ids)}
    sizes = np.fromiter(map(len, judged), np.int64, len(judged))
    rows = np.repeat(np.arange(len(judged)), sizes)
    pairs = rows * (len(ids) + 1) + 1 + _numbers(judged, number)
    order = np.argsort(pairs)
    scores = _flat(rankings)
    if np.isnan(scores).any():
        raise InputError("the run has NaN scores; a NaN has no place in an order")
    return Coded(
        query_ids, len(ids), counts, pairs[order], _flat(judged)[order],
        np.fromiter(map(len, rankings), np.int64, len(rankings)),
        _numbers(rankings, number).astype(np.int32), scores,
    )  # fmt: skip


def coded_values(
    coded: Coded, measures: Sequence[str | Measure], *, relevant_level: int = 2
) -> Values:
    """Per-query values [queries, measures], equal to those of `evaluate`, with 0 for queries
    without a relevant document or without a result."""
    wanted = parse_all(measures)
    threshold = relevant_level if coded.counts.highest > 1 else 1
    table = np.zeros((len(coded.query_ids), len(wanted)))
    for block in coded.blocks():
        ranked = Ranked(block.levels, coded.counts.rows(block.rows), threshold)
        table[block.rows] = np.column_stack([values(one, ranked) for one in wanted])
    return table


def _numbers(rows: Sequence[Mapping[str, float]], number: dict[str, int]) -> NDArray[np.int64]:
    total = sum(map(len, rows))
    return np.fromiter(map(number.__getitem__, chain.from_iterable(rows)), np.int64, total)


def _flat(rows: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
    return np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64)
