"""A slice's figures are those of scoring its queries alone, by another's code."""

from __future__ import annotations

import random

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, R, nDCG

from labelkit.bench.plan import Plan
from labelkit.bench.slices import slices, synthetic_ids
from labelkit.bench.summary import primary_values, slice_summaries
from labelkit.measures import evaluate
from labelkit.model import Query, QuerySource

PLAN = Plan(resamples=100)
THEIRS = {"ndcg@10": nDCG @ 10, "recall@10": R(rel=2) @ 10, "mrr@10": RR(rel=2) @ 10}
RELEVANT = {"ndcg@10": 1, "recall@10": 2, "mrr@10": 2}
Rows = dict[str, dict[str, int]]


def made() -> tuple[list[Query], Rows, dict[str, dict[str, float]]]:
    """80 queries of all kinds, some without a relevant document; a run that lacks three."""
    rng = random.Random(3)
    documents = [f"d{number}" for number in range(200)]
    queries = [
        Query(
            f"q{number}",
            " ".join("w" * rng.randint(1, 12)),
            rng.choice(list(QuerySource)),
            language=rng.choice(("en", "de")),
            tags=tuple(rng.sample(("hard", "short", "legal"), rng.randint(0, 2))),
        )
        for number in range(80)
    ]
    levels = [(0, 0, 1, 2), (0, 0, 1), (0,)]
    qrels = {
        query.query_id: {doc: rng.choice(levels[min(2, number % 9)]) for doc in chosen}
        for number, query in enumerate(queries)
        if (chosen := rng.sample(documents, 30))
    }
    run = {
        query.query_id: {doc: -float(rank) for rank, doc in enumerate(rng.sample(documents, 50))}
        for query in queries[:-3]
    }
    return queries, qrels, run


def witness(metric: str, query_ids: frozenset[str], qrels: Rows, run: Rows) -> tuple[float, int]:
    """ir-measures' mean over the queries of a subset that count, and their number."""
    counting = {
        query_id: qrels[query_id]
        for query_id in query_ids
        if max(qrels[query_id].values()) >= RELEVANT[metric]
    }
    mine = {query_id: run[query_id] for query_id in counting if query_id in run}
    if not counting:
        return float("nan"), 0
    return ir_measures.calc_aggregate([THEIRS[metric]], counting, mine)[THEIRS[metric]], len(
        counting
    )


def test_every_slice_and_both_halves_of_synthetic_equal_the_subset_scored_by_ir_measures() -> None:
    """Means and their n, for every slice that a run reports."""
    queries, qrels, run = made()
    evaluation = evaluate(qrels, run, PLAN.reported)
    found = slice_summaries(queries, {"a": {PLAN.relevant_level: evaluation}}, PLAN)
    parts = {(one.by, one.value): one.query_ids for one in slices(queries)}
    assert {"all", "synthetic", "source", "language", "length", "tag"} <= {by for by, _ in parts}
    for part in found:
        for metric in THEIRS:
            mean, n = witness(metric, parts[part["by"], part["value"]], qrels, run)
            figures = part["candidates"]["a"][metric]
            assert figures["n"] == n
            if n:
                assert figures["mean"] == pytest.approx(mean, abs=1e-12)


def test_the_comparison_without_synthetic_stands_on_the_others_alone() -> None:
    """The primary metric's values are NaN for synthetic queries and untouched for the others."""
    queries, qrels, run = made()
    synthetic = synthetic_ids(queries)
    values = primary_values(evaluate(qrels, run, PLAN.reported), PLAN, synthetic)
    others = frozenset(query.query_id for query in queries) - synthetic
    mean, n = witness("ndcg@10", others, qrels, run)
    assert int((~np.isnan(values)).sum()) == n
    assert np.nanmean(values) == pytest.approx(mean, abs=1e-12)
