"""Per-query values of a run that may come in pieces, each query whole in one of them.

Of a piece that was added nothing is kept but its values, so a run of any size fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.measures import checks, ranking
from labelkit.measures import ties as _ties
from labelkit.measures.dictionaries import answered
from labelkit.measures.judgments import LevelCounts, Qrels, count_levels
from labelkit.measures.names import Measure, parse, parse_all
from labelkit.measures.perquery import Ranked, Values, values
from labelkit.measures.ranking import Run, ScoreDtype

TIE_GAP = 0.001
"""A value that the order of tied documents moves by more than this is flagged."""


@dataclass(frozen=True, slots=True)
class Range:
    """Two or three readings of the same per-query values, each of shape [queries, measures].

    `expected` is the mean over all orders of tied documents; bounds have none.
    """

    low: Values
    high: Values
    expected: Values | None = None

    def wide(self, gap: float = TIE_GAP) -> NDArray[np.bool_]:
        """Where the two ends lie more than `gap` apart, [queries, measures]."""
        return np.nan_to_num(self.high - self.low) > gap


@dataclass(frozen=True, slots=True)
class PerQuery:
    """The per-query values of one run.

    `values` has the shape [queries, measures] in the order of `query_ids` (ascending) and
    `measures`; NaN means that the query does not count for that measure. `excluded` lists, by
    measure, the queries without a relevant document; `missing` those for which the run returned
    nothing. `relevant_level` is the threshold that was used. `ties` holds the lowest, highest
    and expected value over all orders of documents with equal scores.
    """

    query_ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Values
    ties: Range
    relevant_level: int
    excluded: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    unjudged_queries: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Share of the judged queries for which the run returned at least one document."""
        return 1.0 - len(self.missing) / len(self.query_ids)

    def column(self, measure: str | Measure) -> Values:
        """The values of one measure by query, [queries]; raises InputError if it was not asked."""
        wanted = parse(measure)
        if wanted not in self.measures:
            known = ", ".join(map(str, self.measures))
            raise InputError(f"{wanted} was not evaluated; there are {known}")
        return self.values[:, self.measures.index(wanted)]

    def rows(self, run_name: str) -> Iterator[dict[str, Any]]:
        """Per-query rows with the columns query_id, run, metric, relevant_level and value.

        Queries that do not count for a measure have no row for it.
        """
        for j, measure in enumerate(self.measures):
            for query_id, value in zip(self.query_ids, self.values[:, j].tolist(), strict=True):
                if value == value:
                    yield {
                        "query_id": query_id,
                        "run": run_name,
                        "metric": str(measure),
                        "relevant_level": self.relevant_level,
                        "value": value,
                    }


class Piecewise:
    """An evaluation to which a run is added piece by piece; the rules are those of `evaluate`."""

    def __init__(
        self,
        qrels: Qrels,
        measures: Sequence[str | Measure],
        *,
        relevant_level: int,
        no_relevant: Literal["exclude", "zero"] = "exclude",
        missing: Literal["zero", "drop"] = "zero",
        score_dtype: ScoreDtype = "float64",
        require_overlap: bool = True,
    ) -> None:
        if not qrels:
            checks.require_overlap(qrels, {})
        self.qrels, self.query_ids = qrels, tuple(sorted(qrels))
        self.counts = count_levels(self.query_ids, qrels)
        self.no_relevant, self.missing, self.score_dtype = no_relevant, missing, score_dtype
        self._require_overlap = require_overlap
        self._places = {query_id: place for place, query_id in enumerate(self.query_ids)}
        self._begin(measures, relevant_level)

    def _begin(self, measures: Sequence[str | Measure], relevant_level: int) -> None:
        if relevant_level < 1:
            raise InputError(f"relevant_level is {relevant_level}; it is a whole number from 1")
        self.measures = parse_all(measures)
        self.asked_level = relevant_level
        self.relevant_level = relevant_level if self.counts.highest > 1 else 1
        self._table = np.zeros((len(self.qrels), len(self.measures)))
        self._reordered: list[tuple[NDArray[np.int64], Values]] = []
        self._absent = np.ones(len(self.qrels), dtype=bool)
        self._unjudged: list[str] = []
        self._overlaps = not self._require_overlap
        self._no_overlap: InputError | None = None

    def beside(self, measures: Sequence[str | Measure], relevant_level: int) -> Piecewise:
        """Another evaluation by the same judgments and rules, to which nothing was added yet."""
        other = copy(self)
        other._begin(measures, relevant_level)
        return other

    def add(self, run: Run) -> None:
        """Measure a piece; raises InputError for NaN scores."""
        add_to([self], answered(self.qrels, run))

    def _take(self, places: NDArray[np.int64], block: ranking.Block) -> None:
        """The values of one block, whose rows count along `places`."""
        rows = places[block.rows]
        ranked = Ranked(block.levels, self.counts.rows(rows), self.relevant_level)
        self._table[rows] = np.column_stack([values(one, ranked) for one in self.measures])
        if len(block.tied):
            self._look_at_ties(rows[block.tied], block.levels[block.tied], block.scores[block.tied])

    def _look_at_ties(self, rows: NDArray[np.int64], levels: Values, scores: Values) -> None:
        """Keep what other orders of tied documents would give, [3, rows, measures]."""
        ranked = Ranked(levels, self.counts.rows(rows), self.relevant_level)
        groups = _ties.groups(scores)
        columns = [
            (*_ties.extremes(one, ranked, groups), _ties.expected(one, ranked, groups))
            for one in self.measures
        ]
        self._reordered.append((rows, np.array(columns).transpose(1, 2, 0)))

    def _expect(self, rankings: ranking.Rankings, places: NDArray[np.int64]) -> None:
        """Note which queries a piece answers."""
        self._overlaps = self._overlaps or rankings.overlapping()
        self._look_for_overlap(rankings)
        self._absent[places] = False
        self._unjudged += rankings.unjudged

    def _look_for_overlap(self, rankings: ranking.Rankings) -> None:
        """Remember what is wrong with the first piece, until one shares its ids."""
        if self._overlaps:
            return
        try:
            checks.require_overlap(self.qrels, rankings.as_run())
            self._overlaps = True
        except InputError as error:
            self._no_overlap = self._no_overlap or error

    def result(self) -> PerQuery:
        """What was added; raises InputError where it shares no id with the judgments."""
        if self._no_overlap is not None and not self._overlaps:
            raise self._no_overlap
        empty = self._without_relevant()
        table = self._table.copy()
        nothing_shown = np.array([not one.needs_relevant for one in self.measures])
        drop = nothing_shown | (self.missing == "drop")  # what shows nothing has nothing unjudged
        left_out = empty | np.outer(self._absent, drop)
        table[left_out] = np.nan
        excluded = {str(one): self._named(empty[:, j]) for j, one in enumerate(self.measures)}
        return PerQuery(
            self.query_ids, self.measures, table, self._ties(left_out), self.relevant_level,
            excluded, self._named(self._absent), tuple(sorted(self._unjudged)), self._warnings(),
        )  # fmt: skip

    def _ties(self, left_out: NDArray[np.bool_]) -> Range:
        parts = np.repeat(self._table[None], 3, axis=0)
        for rows, reordered in self._reordered:
            parts[:, rows] = reordered
        parts[:, left_out] = np.nan
        return Range(*parts)

    def _warnings(self) -> tuple[str, ...]:
        level, asked, unknown = self.relevant_level, self.asked_level, len(self._unjudged)
        return tuple(checks.notices(self.counts, level, asked, self.measures, unknown))

    def _without_relevant(self) -> NDArray[np.bool_]:
        """Where a query does not count for a measure, [queries, measures]."""
        if self.no_relevant == "zero":
            return np.zeros(self._table.shape, dtype=bool)
        columns = [_no_relevant(one, self.counts, self.relevant_level) for one in self.measures]
        return np.column_stack(columns)

    def _named(self, which: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(self.query_ids[i] for i in np.flatnonzero(which).tolist())


def add_to(evaluations: Sequence[Piecewise], rankings: ranking.Rankings) -> None:
    """Add a piece to several evaluations that differ in measures or threshold alone: laying the
    rankings out costs far more than the formulas, and is done once."""
    one = evaluations[0]
    found = map(one._places.__getitem__, rankings.query_ids)
    places = np.fromiter(found, np.int64, len(rankings.query_ids))
    for each in evaluations:
        each._expect(rankings, places)
    for block in ranking.blocks(rankings, one.score_dtype):
        for each in evaluations:
            each._take(places, block)


def _no_relevant(measure: Measure, counts: LevelCounts, threshold: int) -> NDArray[np.bool_]:
    if not measure.needs_relevant:
        return np.zeros(len(counts.at_least), dtype=bool)
    return counts.relevant(1 if measure.graded else threshold) == 0
