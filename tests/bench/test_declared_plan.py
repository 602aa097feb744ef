"""What is declared before a run stands in its manifest, and k is held against the corpus."""

from __future__ import annotations

import pytest
from small_release import FAST

from labelkit.bench import RunResult, run_benchmark
from labelkit.bench.plan import Plan, plan_from_dict
from labelkit.releases import Release


def test_the_plan_stands_in_the_manifest_before_anything_is_measured(
    release: Release, cache, tmp_path
) -> None:
    """Primary metric, k, family and threshold, as they were declared."""
    plan = Plan("recall@5", relevant_level=1, depth=20, pairs=(("bm25", "wordllama"),), seed=7)
    result: RunResult = run_benchmark(release, FAST, tmp_path / "run", cache_dir=cache, plan=plan)
    assert plan_from_dict(result.manifest["plan"]) == plan
    assert result.summary["plan"]["primary"] == "recall@5"
    pairs = result.summary["comparison"]["pairs"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("bm25", "wordllama")]


@pytest.mark.parametrize(("documents", "warned"), [(999, True), (1000, False), (1001, False)])
def test_k_is_held_against_the_corpus(documents: int, warned: bool) -> None:
    """Ten ranks are more than 1 % of 999 documents, and not of 1,000."""
    assert bool(Plan().warnings(documents)) is warned
