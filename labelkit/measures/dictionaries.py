"""Rankings held in Python's dictionaries: what `evaluate` is given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.measures.judgments import Qrels
from labelkit.measures.ranking import BEYOND, UNJUDGED, Judged, Run, Values

NOTHING: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Dictionaries:
    """The rankings of some judged queries; see `ranking.Rankings`."""

    query_ids: Sequence[str]
    qrels: Qrels
    run: Run
    unjudged: Collection[str] = ()
    lengths: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        found = (len(self.run.get(query_id, NOTHING)) for query_id in self.query_ids)
        lengths = np.fromiter(found, np.int64, len(self.query_ids))
        object.__setattr__(self, "lengths", lengths)

    def scores(self, rows: NDArray[np.int64]) -> Values:
        """The scores of these rows, one row after the other; raises InputError for NaN."""
        values = chain.from_iterable(ranking.values() for ranking in self._rankings(rows))
        flat = np.fromiter(values, np.float64, int(self.lengths[rows].sum()))
        if np.isnan(flat).any():
            raise self._not_a_number(rows)
        return flat

    def judged(self, rows: NDArray[np.int64]) -> Judged:
        """What is both ranked and judged: its place in `rows`, score and level, each [n].

        Looked up from the judgments, which are fewer than the ranked documents: a look-up by id
        costs more than all that follows. map over the bound dict.get stays in C.
        """
        judged = [self.qrels[self.query_ids[row]] for row in rows.tolist()]
        sizes = np.fromiter(map(len, judged), np.int64, len(judged))
        found = (
            map(ranking.get, levels, repeat(np.nan))
            for ranking, levels in zip(self._rankings(rows), judged, strict=True)
        )
        scores = np.fromiter(chain.from_iterable(found), np.float64, int(sizes.sum()))
        levels = np.fromiter(
            chain.from_iterable(one.values() for one in judged), np.float64, len(scores)
        )
        ranked = ~np.isnan(scores)
        return np.repeat(np.arange(len(judged)), sizes)[ranked], scores[ranked], levels[ranked]

    def levels_by_rank(self, rows: NDArray[np.int64], scores: Values) -> Values:
        """Levels of rows in which the ids decide, [rows, depth]; one row at a time."""
        levels = np.full(scores.shape, BEYOND)
        for place, row in enumerate(rows.tolist()):
            query_id = self.query_ids[row]
            order = _order_with_ties(scores[place], list(self.run[query_id]))
            judged = self.qrels[query_id]
            levels[place, : len(order)] = [judged.get(doc_id, UNJUDGED) for doc_id in order]
        return levels

    def overlapping(self) -> bool:
        """Not known: nothing was looked up yet."""
        return False

    def as_run(self) -> Run:
        """The run as it was given."""
        return self.run

    def _rankings(self, rows: NDArray[np.int64]) -> list[Mapping[str, float]]:
        return [self.run[self.query_ids[row]] for row in rows.tolist()]

    def _not_a_number(self, rows: NDArray[np.int64]) -> InputError:
        bad = [
            f"query {self.query_ids[row]!r}, document {doc_id!r}"
            for row in rows.tolist()
            for doc_id, score in self.run[self.query_ids[row]].items()
            if score != score
        ]
        return InputError(
            f"the run has NaN scores ({'; '.join(bad[:3])}{' …' * (len(bad) > 3)}); a NaN has no "
            "place in an order: correct the retriever or leave those rows out"
        )


def answered(qrels: Qrels, run: Run) -> Dictionaries:
    """What a run found for the judged queries that it answers, ascending."""
    judged = sorted(query_id for query_id, found in run.items() if found and query_id in qrels)
    return Dictionaries(judged, qrels, run, run.keys() - qrels.keys())


def _order_with_ties(scores: Values, doc_ids: list[str]) -> list[str]:
    """The ids of one row in order: by id first, then a stable sort by score."""
    by_id = np.array(sorted(range(len(doc_ids)), key=doc_ids.__getitem__, reverse=True))
    order = by_id[np.argsort(-scores[by_id], kind="stable")]
    return [doc_ids[place] for place in order.tolist()]
