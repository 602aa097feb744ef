"""Types slice a run, date-bound queries are flagged, and a run tells how far candidates differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_release import FAST, QUERIES, small_release

from labelkit import bench
from labelkit.bench.slices import slices
from labelkit.bench.spread import latest_spread
from labelkit.bench.summary import about_queries
from labelkit.retrieval import Candidate


def test_each_type_is_a_slice_and_a_query_may_stand_in_several() -> None:
    typed = [
        replace(QUERIES[0], types=("keyword", "date-bound")),
        replace(QUERIES[1], types=("keyword",)),
        QUERIES[2],
    ]
    found = {(one.by, one.value): one.query_ids for one in slices(typed) if one.by == "type"}
    assert found == {("type", "keyword"): {"q1", "q2"}, ("type", "date-bound"): {"q1"}}


def test_date_bound_queries_are_said_to_test_a_filter() -> None:
    typed = [replace(QUERIES[0], types=("date-bound",)), QUERIES[1]]
    [said] = about_queries(typed, FAST)
    assert said.startswith("date-bound: 1 of 2 queries. They test a filter rather than")
    assert about_queries(QUERIES[:2], FAST) == []


def test_a_candidate_for_rewritten_follow_ups_says_which_were_not_rewritten() -> None:
    candidate = Candidate("rewriting", "bm25", turns="rewritten")
    [said] = about_queries(QUERIES, [*FAST, candidate])
    assert said.startswith("rewriting: 1 query with earlier turns and without a rewritten form")
    done = [replace(query, rewritten_text="write rows as json") for query in QUERIES]
    assert about_queries(done, [candidate]) == []


def test_the_latest_run_tells_how_far_its_candidates_differ_by_query(tmp_path: Path) -> None:
    assert latest_spread(tmp_path / "runs") is None
    release = small_release(tmp_path / "v1")
    result = bench.run_benchmark(release, FAST, tmp_path / "runs" / "one")
    found = latest_spread(tmp_path / "runs")
    assert found is not None
    by_query = {
        name: np.array([_value(result, name, query.query_id) for query in QUERIES])
        for name in found.pair
    }
    difference = by_query[found.pair[0]] - by_query[found.pair[1]]
    assert found.sd == pytest.approx(difference[~np.isnan(difference)].std(ddof=1))
    assert (found.run, found.primary, found.comparisons) == ("one", "ndcg@10", 3)
    assert "in the run one, the widest of 3" in found.words


def _value(result: bench.RunResult, name: str, query_id: str) -> float:
    """A query's value of the primary metric, from the run's own table."""
    lines = (result.folder / "per_query.csv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    for row in rows:
        if (row["query_id"], row["run"], row["metric"]) == (query_id, name, "ndcg@10"):
            return float(row["value"] or "nan")
    return float("nan")
