"""The device of an encoder: part of the candidate, refused in words where it is not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_corpus import built_in, top

from labelkit.bench.preflight import preflight
from labelkit.errors import CandidateError, InputError
from labelkit.retrieval import Candidate, encoders
from labelkit.retrieval.candidate_files import parse_candidates
from labelkit.retrieval.devices import require_device
from labelkit.retrieval.encoders import DOCUMENT, encoder_for

MINILM = built_in("all-MiniLM-L6-v2")


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "CPU", "cpu:0", "", "auto"])
def test_a_device_that_does_not_exist_is_refused_when_the_file_is_read(device: str) -> None:
    """With the ones that do."""
    table = f'[[candidate]]\nname = "one"\nkind = "encoder"\nmodel = "m"\ndevice = "{device}"\n'
    with pytest.raises(InputError, match="device must be cpu, cuda, cuda with the "):
        parse_candidates(table.encode(), "candidates.toml")


def test_kinds_without_a_model_of_their_own_take_no_device() -> None:
    """Nor does a reranker that is a function."""
    with pytest.raises(InputError, match="takes no device; remove it"):
        Candidate("one", "static", model="wordllama", device="cuda")
    parts = (Candidate("bm25", "bm25"),)
    with pytest.raises(InputError, match="says itself where it computes"):
        Candidate("one", "rerank", parts=parts, function="a:b", device="cuda")


def test_a_device_that_this_machine_lacks_stops_the_candidate_before_anything_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cards that are not there, and a card's number that is too high."""
    monkeypatch.setattr(encoders, "load_sentence_transformer", lambda *_: pytest.fail("loaded"))
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = preflight(replace(MINILM, device="cuda:1"), [], [], tmp_path)
    assert "cuda:1, but torch finds no CUDA device here" in found.problems[0]
    monkeypatch.setattr(torch.backends, "mps", SimpleNamespace(is_available=lambda: False))
    with pytest.raises(CandidateError, match="no Apple GPU"):
        encoder_for(replace(MINILM, device="mps"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(CandidateError, match="finds only cuda:0 to cuda:1 here"):
        require_device("one", "cuda:2")
    require_device("one", "cuda:1")


def test_the_kind_of_device_is_part_of_what_decides_vectors_and_the_card_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was really used is reported, where a model was needed."""
    monkeypatch.setattr(encoders, "require_device", lambda *_: None)
    described = {
        device: encoder_for(replace(MINILM, device=device)).describe(DOCUMENT)
        for device in ("cpu", "cuda", "cuda:1")
    }
    assert described["cuda"] == described["cuda:1"] != described["cpu"]
    first, again = top(MINILM, tmp_path), top(MINILM, tmp_path)
    assert (first.device, again.device) == ("cpu", "")
    assert "device" not in first.description["candidate"]
    assert first.description["document"]["device"] == "cpu"
