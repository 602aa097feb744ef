"""What no chunking scheme may change: which documents can score, and what an offset points to."""

from __future__ import annotations

import numpy as np
from chunkers import words
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.model import Document
from labelkit.retrieval import Chunking, encoders
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import ChunkTable, cut
from labelkit.retrieval.search import build_index, search

markup = st.text("ab é\n#=-.!?。`~ \t☃", max_size=120)
texts = st.lists(st.one_of(markup, st.text(max_size=80)), min_size=1, max_size=8)
sized = st.sampled_from(["windows", "tokens", "sentences"])
chunkings = st.one_of(
    st.just(Chunking()),
    st.just(Chunking("headings")),
    st.just(Chunking("function", function="chunkers:overlapping_thirds")),
    st.tuples(sized, st.integers(1, 12)).flatmap(
        lambda made: st.builds(
            Chunking, st.just(made[0]), st.just(made[1]), st.integers(0, made[1] - 1)
        )
    ),
)


def documents_of(contents: list[str]) -> list[Document]:
    """Every other one with a title."""
    return [Document(f"d{n}", "Title" * (n % 2), text) for n, text in enumerate(contents)]


def refuse_wrong_offsets(documents: list[Document], chunks: ChunkTable, whole: bool) -> None:
    """Each chunk reads its slice of the text behind the title; `whole`: together they are the
    text."""
    rebuilt = dict.fromkeys(chunks.doc_ids, "")
    for row, number in enumerate(chunks.document.tolist()):
        document, start, end = documents[number], int(chunks.start[row]), int(chunks.end[row])
        chunk = document.text[start:end]
        title = f"{document.title}\n" if document.title else ""
        assert chunks.texts[row] == title + chunk
        known = len(rebuilt[document.doc_id])
        assert start <= known or not whole
        rebuilt[document.doc_id] += document.text[known:end]
    if whole:
        assert rebuilt == {document.doc_id: document.text for document in documents}


@settings(deadline=None, max_examples=300)
@given(texts, chunkings)
def test_offsets_reproduce_the_text(contents: list[str], chunking: Chunking) -> None:
    """For every scheme; a function may leave parts out, the others cover the text."""
    documents = documents_of(contents)
    chunks = cut(documents, chunking, offsets=words)
    refuse_wrong_offsets(documents, chunks, whole=chunking.scheme != "function")


@settings(deadline=None, max_examples=300)
@given(texts, chunkings, st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_any_chunking_lets_every_document_score(
    contents: list[str], chunking: Chunking, k: int, seed: int
) -> None:
    """k distinct documents come back whenever they exist, and all of them where k allows it."""
    documents = documents_of(contents)
    chunks = cut(documents, chunking, offsets=words)
    assert set(chunks.document.tolist()) == set(range(len(documents)))
    rng = np.random.default_rng(seed)
    vectors = np.round(rng.standard_normal((len(chunks), 3))).astype(np.float32)
    (hits,) = search(build_index(vectors), np.ones((1, 3), np.float32), chunks, k)
    found = [hit.doc_id for hit in hits]
    assert len(found) == len(set(found)) == min(k, len(documents))


@settings(deadline=None, max_examples=60)
@given(texts, st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_a_real_tokenizer_covers_the_text(contents: list[str], sizes: tuple[int, int]) -> None:
    """wordllama's own tokens, of signs that take several of them as well."""
    offsets = encoders.offsets_of(Candidate("wordllama", "static", "wordllama"))
    documents = documents_of(contents)
    chunks = cut(documents, Chunking("tokens", *sizes), offsets=offsets)
    refuse_wrong_offsets(documents, chunks, whole=True)
