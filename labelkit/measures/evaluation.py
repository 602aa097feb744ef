"""Evaluate one run: per-query values of every measure, and what they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.measures import bounds as _bounds
from labelkit.measures import checks, ranking
from labelkit.measures import ties as _ties
from labelkit.measures.judgments import LevelCounts, Qrels, count_levels
from labelkit.measures.names import Measure, parse, parse_all
from labelkit.measures.perquery import Ranked, Values, values
from labelkit.measures.ranking import Run, ScoreDtype, ordered

DEFAULT_RELEVANT_LEVEL = 2


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One rank of one query: `level` is None for a hole (nobody judged it for this query)."""

    query_id: str
    rank: int
    doc_id: str
    score: float
    level: int | None


@dataclass(frozen=True, slots=True)
class Range:
    """Two or three readings of the same per-query values, each of shape [queries, measures].

    `expected` is the mean over all orders of tied documents; bounds have none.
    """

    low: Values
    high: Values
    expected: Values | None = None

    def wide(self, gap: float = 0.001) -> NDArray[np.bool_]:
        """Where the two ends lie more than `gap` apart, [queries, measures]."""
        return np.nan_to_num(self.high - self.low) > gap


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The per-query values of one run.

    `values` has the shape [queries, measures] in the order of `query_ids` (ascending) and
    `measures`; NaN means that the query does not count for that measure. `excluded` lists, by
    measure, the queries without a relevant document; `missing` those for which the run returned
    nothing. `relevant_level` is the threshold that was used.
    """

    query_ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Values
    relevant_level: int
    excluded: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    unjudged_queries: tuple[str, ...]
    warnings: tuple[str, ...]
    score_dtype: ScoreDtype
    _qrels: Qrels = field(repr=False)
    _run: Run = field(repr=False)
    _counts: LevelCounts = field(repr=False)

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

    def ranked(self, query_id: str, k: int | None = None) -> tuple[RankedDocument, ...]:
        """The first k documents of one query with their levels; empty when nothing came back."""
        found, judged = self._run.get(query_id, {}), self._qrels.get(query_id, {})
        return tuple(
            RankedDocument(query_id, rank, doc_id, float(found[doc_id]), judged.get(doc_id))
            for rank, doc_id in enumerate(ordered(found, self.score_dtype)[:k], start=1)
        )

    def holes(self, k: int) -> tuple[RankedDocument, ...]:
        """What the run shows in the first k ranks without anybody having judged it."""
        every = (one for query_id in self.query_ids for one in self.ranked(query_id, k))
        return tuple(one for one in every if one.level is None)

    def ties(self) -> Range:
        """Lowest, highest and expected value over all orders of documents with equal scores."""
        parts = [np.full(self.values.shape, 0.0) for _ in range(3)]
        for block in self._blocks():
            ranked, groups = self._ranked(block), _ties.groups(block.scores)
            for j, measure in enumerate(self.measures):
                low, high = _ties.extremes(measure, ranked, groups)
                mean = _ties.expected(measure, ranked, groups)
                for part, column in zip(parts, (low, high, mean), strict=True):
                    part[block.rows, j] = column
        return Range(*(self._counted(part) for part in parts))

    def bounds(self, top_level: int | None = None) -> Range:
        """Lowest and highest value over every way to judge the holes in the first k ranks.

        A hole may get any level from 0 to `top_level` (None: the highest level judged anywhere).
        """
        top = max(self._counts.highest, self.relevant_level, top_level or 0)
        parts = [np.full(self.values.shape, 0.0) for _ in range(2)]
        for block in self._blocks():
            for j, measure in enumerate(self.measures):
                both = _bounds.bounds(measure, self._ranked(block), top)
                for part, column in zip(parts, both, strict=True):
                    part[block.rows, j] = column
        return Range(*(self._counted(part) for part in parts))

    def _counted(self, part: Values) -> Values:
        """NaN wherever the headline value does not count."""
        return np.where(np.isnan(self.values), np.nan, part)

    def _blocks(self) -> Iterator[ranking.Block]:
        return ranking.blocks(self.query_ids, self._qrels, self._run, self.score_dtype)

    def _ranked(self, block: ranking.Block) -> Ranked:
        return Ranked(block.levels, self._counts.rows(block.rows), self.relevant_level)


def evaluate(
    qrels: Qrels,
    run: Run,
    measures: Sequence[str | Measure],
    *,
    relevant_level: int = DEFAULT_RELEVANT_LEVEL,
    no_relevant: Literal["exclude", "zero"] = "exclude",
    missing: Literal["zero", "drop"] = "zero",
    score_dtype: ScoreDtype = "float64",
    require_overlap: bool = True,
) -> Evaluation:
    """Measure one run against judged levels, query by query.

    Documents rank by score descending, ties by doc_id descending bytewise. Unjudged documents
    are not relevant. Queries are the judged ones; a query that the run lacks scores 0
    (`missing="drop"`: does not count), except in judged@k: it shows nothing to judge. A query
    without a relevant document does not count: no level ≥ 1 for nDCG, none ≥ `relevant_level`
    for the others (`no_relevant="zero"`: it scores 0, as in trec_eval). Qrels without a level
    above 1 are read at threshold 1. `score_dtype="float32"` compares scores as trec_eval 9 and
    pytrec_eval do. `require_overlap=False` accepts a run in which not one id is known.

    Raises InputError for unknown measures, levels that are not whole numbers ≥ 0, NaN scores,
    and a run that shares no query id or no document id with the judgments.
    """
    _require_level(relevant_level)
    wanted = parse_all(measures)
    if require_overlap or not qrels:
        checks.require_overlap(qrels, run)
    query_ids = tuple(sorted(qrels))
    counts = count_levels(query_ids, qrels)
    threshold = relevant_level if counts.highest > 1 else 1
    empty = np.column_stack([_without_relevant(one, counts, threshold) for one in wanted])
    empty &= no_relevant == "exclude"
    absent = np.fromiter((not run.get(query_id) for query_id in query_ids), bool, len(query_ids))
    table = np.zeros((len(query_ids), len(wanted)))
    for block in ranking.blocks(query_ids, qrels, run, score_dtype):
        ranked = Ranked(block.levels, counts.rows(block.rows), threshold)
        table[block.rows] = np.column_stack([values(one, ranked) for one in wanted])
    nothing_shown = np.array([not one.needs_relevant for one in wanted])  # so nothing unjudged
    table[empty | np.outer(absent, nothing_shown | (missing == "drop"))] = np.nan
    unjudged = tuple(sorted(run.keys() - qrels.keys()))
    return Evaluation(
        query_ids=query_ids,
        measures=wanted,
        values=table,
        relevant_level=threshold,
        excluded={str(one): _named(query_ids, empty[:, j]) for j, one in enumerate(wanted)},
        missing=_named(query_ids, absent),
        unjudged_queries=unjudged,
        warnings=tuple(checks.notices(counts, threshold, relevant_level, wanted, len(unjudged))),
        score_dtype=score_dtype,
        _qrels=qrels,
        _run=run,
        _counts=counts,
    )


def _require_level(relevant_level: int) -> None:
    if relevant_level < 1:
        raise InputError(f"relevant_level is {relevant_level}; it is a whole number from 1")


def _without_relevant(measure: Measure, counts: LevelCounts, threshold: int) -> NDArray[np.bool_]:
    if not measure.needs_relevant:
        return np.zeros(len(counts.at_least), dtype=bool)
    return counts.relevant(1 if measure.graded else threshold) == 0


def _named(query_ids: Sequence[str], which: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(query_ids[i] for i in np.flatnonzero(which).tolist())
