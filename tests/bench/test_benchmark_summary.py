"""What the summary says, and what the decision makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from small_release import FAST, LEVELS, small_release

from labelkit.bench import RunResult, run_benchmark, run_text
from labelkit.bench.confounding import confounded, marked, verdict
from labelkit.bench.decision import decide
from labelkit.bench.slices import length_label, slices
from labelkit.model import Query, QuerySource
from labelkit.releases import Release
from labelkit.retrieval import Chunking, default_candidates


def test_queries_left_out_are_listed_with_the_reason(result: RunResult) -> None:
    """q5 has no answer: it counts for no metric at either level."""
    assert result.summary["left_out"] == [
        {
            "why": "no relevant document at any level",
            "metrics": ["ndcg@10", "recall@10", "mrr@10"],
            "query_ids": ["q5"],
        }
    ]


def test_a_query_with_only_a_partial_answer_is_left_out_of_recall_alone(
    cache: Path, tmp_path: Path
) -> None:
    """Every query stands under one reason, and the counts are those of the metrics."""
    levels = {**LEVELS, "q2": {"time.sleep": 1}}
    del levels["q3"]
    release = small_release(tmp_path / "v1", levels)
    found = run_benchmark(release, FAST[:1], tmp_path / "run", cache_dir=cache)
    reasons = {one["why"]: one["query_ids"] for one in found.summary["left_out"]}
    assert reasons == {
        "no judged document": ["q3"],
        "no relevant document at any level": ["q5"],
        "no document of level 2, only of lower ones": ["q2"],
    }
    metrics = found.candidate("bm25")["metrics"]["2"]
    assert {name: row["excluded"] for name, row in metrics.items()} == {
        "ndcg@10": 1,
        "recall@10": 2,
        "mrr@10": 2,
        "judged@10": 0,
    }


def test_tables_come_with_and_without_synthetic_queries(result: RunResult) -> None:
    """q4 is synthetic: four of five queries that count remain."""
    parts = {one["value"]: one for one in result.summary["slices"]}
    counted = {
        value: parts[value]["candidates"]["bm25"]["ndcg@10"]["n"]
        for value in ("all queries", "without synthetic", "only synthetic")
    }
    assert counted == {"all queries": 5, "without synthetic": 4, "only synthetic": 1}
    assert result.summary["comparison"]["n"] == 5
    assert result.summary["comparison_without_synthetic"]["n"] == 4


def test_bounds_hold_the_headline_between_them(result: RunResult) -> None:
    """Whatever the holes turn out to be; and holes are counted."""
    for name in result.completed:
        one = result.candidate(name)
        for row in one["metrics"]["2"].values():
            assert row["holes_low"] - 1e-12 <= row["mean"] <= row["holes_high"] + 1e-12
        judged = one["metrics"]["2"]["judged@10"]["mean"]
        assert (one["holes"] == 0) == (judged == 1.0)


def test_the_threshold_moves_recall_and_never_ndcg(result: RunResult) -> None:
    """Both thresholds stand side by side."""
    one = result.candidate("bm25")["metrics"]
    assert one["1"]["ndcg@10"]["mean"] == one["2"]["ndcg@10"]["mean"]
    assert one["1"]["recall@10"]["relevant_level"] == 1
    assert one["2"]["recall@10"]["relevant_level"] == 2


def test_a_metric_that_sees_the_whole_corpus_is_warned_of(result: RunResult) -> None:
    """The top 10 of 8 documents tell nothing."""
    assert any("corpus of 8 documents" in line for line in result.summary["warnings"])


def test_slices_of_every_kind(release: Release) -> None:
    """By source, tag, language, length and turns; a dimension with one value is left out."""
    found = {(one.by, one.value): sorted(one.query_ids) for one in slices(release.queries)}
    assert found["source", "log"] == ["q1", "q2", "q5"]
    assert found["tag", "keyword"] == ["q1"]
    assert found["turns", "follow-up turn"] == ["q6"]
    assert found["language", "not stated"] == ["q4", "q5", "q6"]
    assert found["length", "1 to 3 words"] == ["q1", "q4", "q6"]
    alone = [Query("a", "x", QuerySource.LOG), Query("b", "y", QuerySource.LOG)]
    assert [one.by for one in slices(alone)] == ["all"]
    assert length_label(" ".join("w" * 9)) == "8 words and more"


def test_the_terminal_table_is_aligned_and_complete(result: RunResult) -> None:
    """Every candidate, the interval, the groups, what was left out, the decision."""
    text = run_text(result)
    for wanted in ("release v1", "ndcg@10 n=5", "judged@10", "p95 ms", "index MB", "left out",
                   "klingon: failed", "banned: excluded", "without synthetic n=4", "Decision: ",
                   "relevant = level 1 and above", "Holm over 3 comparisons"):  # fmt: skip
        assert wanted in text
    table = text.split("\n\n")[1].splitlines()
    starts = {line.index(name) for line, name in zip(table[1:], _names(table), strict=True)}
    assert starts == {table[0].index("candidate")}


def _names(table: list[str]) -> list[str]:
    return [line.split()[1] for line in table[1:]]


def candidate(
    name: str,
    mean: float,
    p95: float = 1.0,
    size: int = 1,
    judged: float = 1.0,
    kind: str = "static",
) -> Any:
    """A candidate of a summary, as far as the decision reads it."""
    metrics = {
        "ndcg@10": {"mean": mean, "n": 80},
        "judged@10": {"mean": judged, "n": 80},
    }
    return {
        "name": name,
        "kind": kind,
        "state": "completed",
        "why": "",
        "metrics": {"2": metrics},
        "latency_ms": {"total": {"p95": p95}},
        "index_bytes": size,
    }


def pair(a: str, b: str, difference: float, verdict: str) -> dict[str, Any]:
    """A comparison of a summary."""
    return {
        "a": a,
        "b": b,
        "difference": difference,
        "low": difference - 0.03,
        "high": difference + 0.03,
        "p_adjusted": 0.0002,
        "wins": 5,
        "ties": 1,
        "losses": 2,
        "verdict": verdict,
    }


def summary(candidates: list[Any], pairs: list[Any]) -> dict[str, Any]:
    """As much of a summary as the decision reads."""
    return {
        "plan": {"primary": "ndcg@10", "relevant_level": 2},
        "candidates": candidates,
        "comparison": {"pairs": pairs, "n": 80, "smallest_resolvable": 0.068},
        "comparison_without_synthetic": None,
        "slices": [],
    }


def test_a_clear_winner_is_to_be_shipped() -> None:
    """Better than every other after Holm; the pair may be declared the other way round."""
    text = decide(
        summary([candidate("a", 0.4), candidate("b", 0.6)], [pair("a", "b", -0.2, "worse")])
    )
    assert text == (
        "Ship b: it has the highest nDCG@10 (0.600 over 80 queries) and is better than every "
        "other candidate; the next, a, is behind by 0.200 (95 % 0.170 to 0.230), "
        "p = below 0.001 after Holm."
    )


def test_without_evidence_nobody_is_crowned() -> None:
    """The mean is higher, the evidence is missing: cost may decide."""
    candidates = [
        candidate("a", 0.6, p95=9, size=9),
        candidate("b", 0.58),
        candidate("c", 0.2),
    ]
    pairs = [
        pair("a", "b", 0.02, "no evidence of a difference"),
        pair("a", "c", 0.4, "better"),
        pair("b", "c", 0.38, "better"),
    ]
    assert decide(summary(candidates, pairs)) == (
        "a has the highest nDCG@10 (0.600 over 80 queries), but there is no evidence of a "
        "difference from b. With 80 queries a difference below about 0.07 goes unnoticed. Among "
        "them b is the fastest and has the smallest index: take it, or judge more queries. "
        "c is worse than a."
    )


def test_a_service_has_no_known_index_and_random_vectors_are_nobodys_choice() -> None:
    """Neither is said to be the smallest or the fastest."""
    alike = [
        candidate("a", 0.6, p95=9.0, size=500),
        candidate("live", 0.6, p95=9.0, size=0, kind="http"),
        candidate("noise", 0.6, p95=1.0, size=1, kind="random"),
    ]
    same = "no evidence of a difference"
    pairs = [pair("a", "live", 0.0, same), pair("a", "noise", 0.0, same)]
    text = decide(summary(alike, [*pairs, pair("live", "noise", 0.0, same)]))
    assert "smallest" not in text
    assert "fastest" not in text


def test_a_pair_whose_model_and_chunking_differ_is_marked() -> None:
    """One note for each side; BM25 is a model as well; the same model is no confounder."""
    cut = Chunking("sentences", size=1)
    wordllama = default_candidates()[1]
    split = replace(wordllama, name="split", chunking=cut)
    candidates = [default_candidates()[0], wordllama, split, default_candidates()[3]]
    assert confounded(candidates) == [
        "bm25 (whole document) differs in model and in chunking from split (windows of 1 "
        "sentence, overlap 0): the difference cannot be put down to either",
        "split (windows of 1 sentence, overlap 0) differs in model and in chunking from "
        "all-MiniLM-L6-v2 (whole document): the difference cannot be put down to either",
    ]
    pairs = [pair("split", "bm25", 0.1, "better"), pair("wordllama", "split", 0.1, "better")]
    found = marked({"pairs": pairs}, candidates)
    assert [verdict(one) for one in found["pairs"]] == [  # type: ignore[index]
        "better (confounded: model and chunking differ)",
        "better",
    ]


def test_holes_hold_a_decision_back() -> None:
    """Below 90 % judged, the sentence says what to do first."""
    text = decide(
        summary(
            [candidate("a", 0.6), candidate("b", 0.4, judged=0.71)],
            [pair("a", "b", 0.2, "better")],
        )
    )
    assert text.endswith("never judged, before trusting this: judged@10 is low for b (71%).")


def test_equal_means_are_not_ranked() -> None:
    """Two candidates with one value share the lead."""
    pairs = [pair("a", "b", 0.0, "no evidence of a difference")]
    text = decide(summary([candidate("a", 0.6), candidate("b", 0.6, p95=9)], pairs))
    assert text.startswith("a and b share the highest nDCG@10 (0.600 over 80 queries). With 80")


def test_all_built_in_candidates_run_offline(release: Release, cache: Path, tmp_path: Path) -> None:
    """The real models on the small release: each puts an answer first for every query."""
    found = run_benchmark(release, default_candidates(), tmp_path / "run", cache_dir=cache)
    assert found.completed == [one.name for one in default_candidates()]
    for name in found.completed:
        assert found.candidate(name)["metrics"]["2"]["mrr@10"]["mean"] == 1.0
