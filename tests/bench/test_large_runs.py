"""`score` measures a run in pieces as it measures it whole."""

from __future__ import annotations

import gzip
import random

import numpy as np
import pytest

from labelkit.bench.score import score
from labelkit.formats.trec import write_qrels
from labelkit.formats.trec_pieces import ROWS
from labelkit.measures import evaluate

DEPTH = 4000
METRICS = ("ndcg@10", "recall@10", "mrr@10", "judged@10")


@pytest.fixture(scope="module")
def judged():
    """Qrels of 55 queries, and a run of more than one piece that lacks one and has one more."""
    rng = np.random.default_rng(0)
    queries = [f"q{number}" for number in range(ROWS // DEPTH + 6)]
    run = {
        query: {f"d{d}": float(s) for d, s in zip(range(DEPTH), rng.random(DEPTH), strict=True)}
        for query in queries
    }
    qrels = {
        query: {f"d{d}": int(rng.integers(0, 3)) for d in rng.integers(0, DEPTH, 200)}
        for query in queries[1:]
    } | {"missing": {"d1": 2}}
    return qrels, run


@pytest.mark.parametrize("mixed", [False, True], ids=["grouped", "mixed"])
def test_a_run_in_pieces_scores_as_a_whole(tmp_path, judged, mixed):
    """With the lines of a query together, and with all lines mixed and packed."""
    qrels, run = judged
    lines = [f"{q} Q0 {d} 1 {s!r} x\n" for q, found in run.items() for d, s in found.items()]
    if mixed:
        random.Random(1).shuffle(lines)
    text = "".join(lines).encode()
    (tmp_path / "a.run").write_bytes(gzip.compress(text, 1) if mixed else text)
    write_qrels(tmp_path / "qrels.txt", qrels)
    (found,) = score(tmp_path / "qrels.txt", [tmp_path / "a.run"], METRICS, resamples=100)
    whole = evaluate(qrels, run, METRICS)
    np.testing.assert_allclose(found.evaluation.values, whole.values, rtol=0, atol=1e-14)
    assert found.evaluation.missing == whole.missing == ("missing",)
    assert found.evaluation.warnings == whole.warnings
    easier = evaluate(qrels, run, ["recall@10"], relevant_level=1).column("recall@10")
    assert found.at_level_1["recall@10"] == pytest.approx(easier.mean(), abs=1e-14)
