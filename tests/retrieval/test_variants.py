"""Precision, approximate indexes, bfloat16 and chunking schemes: what they lose is measured."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import DOCUMENTS, QUERIES, built_in, top

from labelkit.errors import CandidateError, InputError
from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Candidate, Chunking
from labelkit.retrieval.candidate_tables import Index
from labelkit.retrieval.candidates import undocumented
from labelkit.retrieval.chunking import cut
from labelkit.retrieval.encoders import offsets_of
from labelkit.retrieval.precision import cosine_errors, reduce, stored_bytes

RANDOM = np.random.default_rng(0).standard_normal((50, 16)).astype(np.float32)


def test_int8_has_one_scale_and_is_off_by_half_a_step_at_most() -> None:
    """The largest number becomes 127 steps."""
    scale = np.abs(RANDOM).max() / 127
    reduced = reduce(RANDOM, "int8")
    assert np.abs(reduced - RANDOM).max() <= scale / 2 + 1e-6
    assert len(np.unique(np.rint(reduced / scale))) <= 255
    assert not reduce(np.zeros((2, 3), dtype=np.float32), "int8").any()


def test_the_product_of_signs_is_the_hamming_distance() -> None:
    """dimensions - 2 × Hamming."""
    a, b = reduce(RANDOM[:1], "binary")[0], reduce(RANDOM[1:2], "binary")[0]
    hamming = int(((RANDOM[0] > 0) != (RANDOM[1] > 0)).sum())
    assert a @ b == 16 - 2 * hamming


def test_sizes_are_those_of_the_precision() -> None:
    """Per dimension 4, 2, 1 and an eighth of a byte."""
    sizes = {
        name: stored_bytes(100, 256, name) for name in ("float32", "float16", "int8", "binary")
    }
    assert sizes == {"float32": 102_400, "float16": 51_200, "int8": 25_600, "binary": 3_200}


def test_cosine_errors_are_exact_and_leave_zeros_out() -> None:
    """Against the definition."""
    errors, ratios = cosine_errors(
        np.array([[3, 4], [0, 0], [1, 0]], dtype=np.float32),
        np.array([[6, 8], [0, 0], [0, 1]], dtype=np.float32),
    )
    np.testing.assert_allclose(errors, [0, 1], atol=1e-12)
    np.testing.assert_allclose(ratios, [2, 1])


@pytest.mark.parametrize("precision", ["float16", "int8", "binary", "binary+rescore"])
def test_a_reduced_candidate_says_how_far_it_is_from_its_parent(
    precision: str, cache: Path
) -> None:
    """And encodes nothing anew: it derives from the cached vectors."""
    parent = top(built_in("wordllama"), cache)
    found = top(replace(built_in("wordllama"), name="small", precision=precision), cache)
    assert found.encoded_documents == 0
    assert found.fidelity is not None
    assert 0 <= found.fidelity["neighbours_kept"] <= 1
    assert (found.fidelity["norm_ratio_min"] is None) == precision.startswith("binary")
    limit = {"float16": 1e-6, "int8": 1e-3}.get(precision, 0.6)
    assert found.fidelity["cosine_error_max"] < limit
    assert found.hits["q3"][0].doc_id == "math.sqrt"
    if precision == "binary+rescore":
        assert found.hits["q3"][0].score == parent.hits["q3"][0].score
    assert found.fingerprint != parent.fingerprint


def corpus(size: int) -> tuple[list[Document], list[Query]]:
    """Documents of random words, and queries that share words with them."""
    words = [f"word{number}" for number in range(400)]
    draw = np.random.default_rng(1)
    texts = [" ".join(draw.choice(words, 12)) for _ in range(size)]
    documents = [Document(f"d{number:04d}", "", text) for number, text in enumerate(texts)]
    asked = [
        Query(f"q{number}", " ".join(draw.choice(words, 4)), QuerySource.LOG)
        for number in range(20)
    ]
    return documents, asked


@pytest.mark.parametrize("index", [Index("hnsw"), Index("ivf", lists=20, probes=20)])
def test_an_approximate_index_is_measured_against_exact_search(index: Index, cache: Path) -> None:
    """With enough effort both find what is there; built twice, they find the same."""
    documents, queries = corpus(600)
    candidate = replace(built_in("wordllama"), name="near", index=index)
    found = top(candidate, cache, documents, queries, depth=10)
    exact = top(built_in("wordllama"), cache, documents, queries, depth=10)
    assert found.exact_hits == exact.hits
    same = np.mean([found.hits[q] == exact.hits[q] for q in exact.hits])
    assert same > 0.9
    assert found.index_bytes > exact.index_bytes
    assert top(candidate, cache, documents, queries, depth=10).hits == found.hits


def test_a_lazy_index_loses_documents_and_its_loss_is_the_indexs(cache: Path) -> None:
    """One of many lists is searched: the vectors are as good as before."""
    documents, queries = corpus(600)
    candidate = replace(built_in("wordllama"), index=Index("ivf", lists=30, probes=1))
    found = top(candidate, cache, documents, queries, depth=10)
    assert found.exact_hits != found.hits
    with pytest.raises(CandidateError, match="5000 lists for 600 chunks"):
        top(replace(candidate, index=Index("ivf", lists=5000)), cache, documents, queries)


def test_bfloat16_is_a_choice_with_its_own_vectors(tmp_path: Path) -> None:
    """Near its parent, under another fingerprint, and held against it once that was run."""
    minilm = built_in("all-MiniLM-L6-v2")
    half = replace(minilm, name="half", encode_dtype="bfloat16")
    assert top(half, tmp_path).fidelity is None
    top(minilm, tmp_path)
    found = top(half, tmp_path)
    assert found.fidelity is not None
    assert 0 < found.fidelity["cosine_error_max"] < 1e-3
    assert found.description["document"]["dtype"] == "bfloat16"


def test_a_cut_that_nobody_documents_is_marked() -> None:
    """wordllama is trained for it, MiniLM is not."""
    minilm = replace(built_in("all-MiniLM-L6-v2"), dimensions=128)
    assert any("not documented" in note for note in undocumented(minilm))
    assert not any("dimensions" in note for note in undocumented(built_in("wordllama-64")))


MARKDOWN = "Intro.\n# One\ntext\n```\n# not a heading\n```\nTwo\n===\nmore. And more! Yes?\n"


@pytest.mark.parametrize(
    ("chunking", "pieces"),
    [
        (
            Chunking("headings"),
            [
                "Intro.\n",
                "# One\ntext\n```\n# not a heading\n```\n",
                "Two\n===\nmore. And more! Yes?\n",
            ],
        ),
        (Chunking("sentences", 1), None),
    ],
)
def test_headings_and_sentences(chunking: Chunking, pieces: list[str] | None) -> None:
    """Markdown by both kinds of heading; sentences by their signs."""
    found = [MARKDOWN[start:end] for start, end in chunking.spans(MARKDOWN)]
    assert "".join(found) == MARKDOWN
    if pieces is not None:
        assert found == pieces
    else:
        assert [piece.strip() for piece in found[-2:]] == ["And more!", "Yes?"]


def test_sentences_of_several_scripts() -> None:
    """Small letters after a stop, Chinese stops, blank lines."""
    text = "See e.g. this one. It ends here。这是一句。第二句！\n\nA paragraph"
    found = [text[start:end].strip() for start, end in Chunking("sentences", 1).spans(text)]
    assert found == [
        "See e.g. this one.",
        "It ends here。",
        "这是一句。",
        "第二句！",
        "A paragraph",
    ]


@given(st.text(alphabet="ab.!? \n#é漢🎉", max_size=120), st.integers(1, 5), st.integers(0, 4))
def test_every_scheme_covers_the_text_in_order(text: str, size: int, overlap: int) -> None:
    """Whatever is cut can score: no character is lost."""
    step = min(overlap, size - 1)
    for chunking in (
        Chunking("sentences", size, step),
        Chunking("headings"),
        Chunking("windows", size, step),
    ):
        spans = chunking.spans(text)
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)
        assert all(b[0] <= a[1] and a[0] <= b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize("name", ["wordllama", "all-MiniLM-L6-v2"])
def test_tokens_are_those_of_the_candidates_own_model(name: str, cache: Path) -> None:
    """Pieces of at most eight tokens, covering the text, offsets in characters."""
    candidate = replace(built_in(name), chunking=Chunking("tokens", 8, 2))
    offsets = offsets_of(candidate)
    text = "Größe – naïve 🎉 tokenisation of a longer sentence, with several unusual words."
    spans = candidate.chunking.spans(text, offsets)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(len(offsets(text[start:end])) <= 8 + 2 for start, end in spans)
    assert top(candidate, cache).chunks >= len(DOCUMENTS)
    with pytest.raises(CandidateError, match="no tokens to chunk by"):
        offsets_of(built_in("bm25"))


def halves(text: str) -> list[tuple[int, int]]:
    """A chunking of our own."""
    middle = len(text) // 2
    return [(0, middle), (middle, len(text))]


def outside(text: str) -> list[tuple[int, int]]:
    """Offsets that are not there."""
    return [(0, len(text) + 1)]


def test_a_callable_cuts_and_is_checked(cache: Path) -> None:
    """Offsets into the document, from any module:function."""
    halved = Chunking("function", function="test_variants:halves")
    assert len(cut(DOCUMENTS, halved)) == 2 * len(DOCUMENTS)
    for name, message in (
        ("test_variants:outside", "within the text"),
        ("test_variants:nothing", "cannot be imported"),
    ):
        with pytest.raises(InputError, match=message):
            cut(DOCUMENTS, Chunking("function", function=name))
    assert top(replace(built_in("bm25"), chunking=halved), cache).hits["q3"]


def test_a_model2vec_model_from_a_folder(tmp_path: Path) -> None:
    """A tiny real model, saved by model2vec itself."""
    model2vec = pytest.importorskip("model2vec")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", "[PAD]", "root", "number", "socket", "seconds", "comma"]
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.eye(len(words), dtype=np.float32)
    model2vec.StaticModel(vectors, tokenizer).save_pretrained(str(tmp_path / "tiny"))
    candidate = Candidate("tiny", "static", model=str(tmp_path / "tiny"))
    found = top(candidate, tmp_path, queries=QUERIES[2:])
    assert found.dimensions == len(words)
    assert found.hits["q3"][0].doc_id == "math.sqrt"
