"""A run with one candidate verbatim and the same rewritten: two lines, told apart per query."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_release import QUERIES

from labelkit.bench import run_benchmark
from labelkit.bench.slices import slices
from labelkit.releases import Release
from labelkit.retrieval import Candidate


def test_both_forms_of_a_follow_up_are_benchmarked_as_two_lines(
    release: Release, cache: Path, tmp_path: Path
) -> None:
    """The follow-up "and as JSON?" finds its document rewritten; all else is the same."""
    typed = [
        replace(one, types=("follow-up",), rewritten_text="write an object as JSON text")
        if one.turns
        else one
        for one in QUERIES
    ]
    both = [
        Candidate("bm25", "bm25"),
        Candidate("bm25-rewritten", "bm25", turns="rewritten"),
    ]
    rewritten = replace(release, queries=tuple(typed))
    result = run_benchmark(rewritten, both, tmp_path / "run", cache_dir=cache)
    assert result.completed == ["bm25", "bm25-rewritten"]
    runs = {name: result.run(name) for name in result.completed}
    assert runs["bm25"]["q6"] != runs["bm25-rewritten"]["q6"]
    assert max(runs["bm25-rewritten"]["q6"].items(), key=lambda one: one[1])[0] == "json.dump"
    for query_id in ("q1", "q2", "q3", "q4", "q5"):
        assert runs["bm25"][query_id] == runs["bm25-rewritten"][query_id]
    assert {"q6"} in [one.query_ids for one in slices(typed) if one.value == "follow-up"]
