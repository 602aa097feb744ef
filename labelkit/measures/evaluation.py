"""Evaluate one run: per-query values of every measure, and what they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from labelkit.measures import bounds as _bounds
from labelkit.measures import ranking
from labelkit.measures.dictionaries import Dictionaries, answered
from labelkit.measures.judgments import LevelCounts, Qrels
from labelkit.measures.names import Measure
from labelkit.measures.perquery import Ranked
from labelkit.measures.piecewise import PerQuery, Piecewise, Range, add_to
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
class Evaluation(PerQuery):
    """The per-query values of one run together with the run itself, which can be asked further."""

    score_dtype: ScoreDtype
    _qrels: Qrels = field(repr=False)
    _run: Run = field(repr=False)
    _counts: LevelCounts = field(repr=False)

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
        return Range(*(np.where(np.isnan(self.values), np.nan, part) for part in parts))

    def _blocks(self) -> Iterator[ranking.Block]:
        rankings = Dictionaries(self.query_ids, self._qrels, self._run)
        return ranking.blocks(rankings, self.score_dtype)

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
    found = evaluate_at(
        (relevant_level,), qrels, run, measures, no_relevant=no_relevant, missing=missing,
        score_dtype=score_dtype, require_overlap=require_overlap,
    )  # fmt: skip
    return found[relevant_level]


def evaluate_at(
    levels: Sequence[int],
    qrels: Qrels,
    run: Run,
    measures: Sequence[str | Measure],
    *,
    score_dtype: ScoreDtype = "float64",
    **rules: Any,
) -> dict[int, Evaluation]:
    """One run at several thresholds, by threshold, hardly slower than at one; the further rules
    are those of `evaluate`."""
    first = Piecewise(qrels, measures, relevant_level=levels[0], score_dtype=score_dtype, **rules)
    found = [first, *(first.beside(measures, level) for level in levels[1:])]
    add_to(found, answered(qrels, run))
    return {
        level: _with_run(one, run, score_dtype) for level, one in zip(levels, found, strict=True)
    }


def _with_run(whole: Piecewise, run: Run, score_dtype: ScoreDtype) -> Evaluation:
    found = whole.result()
    inherited: dict[str, Any] = {one.name: getattr(found, one.name) for one in fields(found)}
    return Evaluation(
        **inherited,
        score_dtype=score_dtype,
        _qrels=whole.qrels,
        _run=run,
        _counts=whole.counts,
    )
