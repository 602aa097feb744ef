"""Where two candidates differ, which documents they show, and why those were judged so."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_release import LEVELS, TEXTS, small_release

from labelkit.bench import Outcome, RunResult, failures, failures_text
from labelkit.errors import InputError
from labelkit.releases import Release


def test_every_judged_query_has_one_outcome(result: RunResult, release: Release) -> None:
    """BM25 shares no word with q2 ("wait"), the embedding finds time.sleep; q5 has no answer."""
    report = failures(result, release, "wordllama", "bm25")
    assert sum(report.counts.values()) == len(report.queries) == 6
    assert report.counts[Outcome.NO_ANSWER] == 1
    assert report.query("q5").outcome is Outcome.NO_ANSWER
    assert report.query("q5").difference is None
    assert report.query("q3").outcome is Outcome.BOTH
    assert report.query("q3").a_rank == report.query("q3").b_rank == 1


def test_the_largest_difference_comes_first(result: RunResult, release: Release) -> None:
    """By size, whatever the sign; queries that do not count come last."""
    report = failures(result, release, "wordllama", "bm25")
    sizes = [abs(row.difference) for row in report.queries if row.difference is not None]
    assert sizes == sorted(sizes, reverse=True)
    assert report.queries[-1].query_id == "q5"


def test_the_other_way_round_everything_is_mirrored(result: RunResult, release: Release) -> None:
    """a and b change places and signs."""
    forward = failures(result, release, "wordllama", "bm25")
    back = failures(result, release, "bm25", "wordllama")
    assert forward.counts[Outcome.ONLY_A] == back.counts[Outcome.ONLY_B]
    for row in forward.queries:
        other = back.query(row.query_id)
        assert (row.a_rank, row.a_value) == (other.b_rank, other.b_value)
        assert row.difference is None or row.difference == -(other.difference or 0.0)


def test_a_ranking_shows_levels_reasons_holes_and_the_chunk(
    result: RunResult, release: Release
) -> None:
    """A judged document brings its reason; an unjudged one is a hole, not a 0."""
    shown = failures(result, release, "bm25", "wordllama").ranking("bm25", "q1")
    first = shown[0]
    assert (first.rank, first.doc_id, first.level, first.hole) == (1, "csv.writer", 2, False)
    assert [reason.reason for reason in first.reasons] == ["csv.writer is a 2 for q1"]
    assert TEXTS["csv.writer"][first.chunk_start : first.chunk_end] == TEXTS["csv.writer"]
    for one in shown:
        assert one.hole == (one.doc_id not in LEVELS["q1"])
        assert (one.level is None) == one.hole


def test_the_text_names_counts_and_the_first_queries(result: RunResult, release: Release) -> None:
    """Ready for a terminal."""
    text = failures_text(failures(result, release, "wordllama", "bm25"), result, 2)
    assert "wordllama against bm25" in text
    assert "1 no answer exists" in text
    assert "nobody judged it" in text


def test_what_cannot_be_compared_is_refused(
    result: RunResult, release: Release, tmp_path: Path
) -> None:
    """Itself, one without results, one that does not exist, another release."""
    with pytest.raises(InputError, match="with itself"):
        failures(result, release, "bm25", "bm25")
    with pytest.raises(InputError, match=r"'klingon' has no results: it is failed \(no stemmer"):
        failures(result, release, "bm25", "klingon")
    with pytest.raises(InputError, match="no candidate 'x'"):
        failures(result, release, "bm25", "x")
    other = small_release(tmp_path / "v1", {**LEVELS, "q5": {"json.dump": 1}})
    with pytest.raises(InputError, match="not of 'v1'"):
        failures(result, other, "bm25", "wordllama")
