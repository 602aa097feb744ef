"""Exact search is exact: it equals a float64 reference, ties and all."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from labelkit.model import Document
from labelkit.retrieval import Chunking, Hit
from labelkit.retrieval.chunking import ChunkTable, byte_ranks, cut
from labelkit.retrieval.search import build_index, search


def reference(
    vectors: NDArray[np.float32], query: NDArray[np.float32], chunks: ChunkTable, k: int
) -> list[Hit]:
    """Every chunk in float64, the best per document, trec_eval's order; in plain Python."""
    scores = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    best: dict[str, Hit] = {}
    for row, score in enumerate(scores.tolist()):
        doc_id = chunks.doc_ids[chunks.document[row]]
        if doc_id not in best or score > best[doc_id].score:
            best[doc_id] = Hit(doc_id, score, int(chunks.start[row]), int(chunks.end[row]))
    ranked = sorted(best.values(), key=lambda hit: hit.doc_id.encode(), reverse=True)
    return sorted(ranked, key=lambda hit: -hit.score)[:k]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any], ChunkTable, int]:
    """Vectors with many ties, queries, chunks of 1 to 12 documents, and k."""
    counts = draw(st.lists(st.integers(1, 6), min_size=1, max_size=12))
    coarse = st.integers(-2, 2).map(float)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    width = draw(st.integers(1, 5))
    vectors = rng.standard_normal((sum(counts), width))
    if draw(st.booleans()):
        vectors = np.round(vectors * draw(coarse))
    document = np.repeat(np.arange(len(counts)), counts)
    start = np.concatenate([np.arange(count) for count in counts])
    ids = draw(
        st.lists(
            st.text(st.characters(codec="utf-8"), min_size=1, max_size=3),
            min_size=len(counts),
            max_size=len(counts),
            unique=True,
        )
    )
    texts = [""] * len(document)
    chunks = ChunkTable(tuple(ids), texts, document, start, start + 1, byte_ranks(ids))
    queries = rng.standard_normal((draw(st.integers(1, 3)), width))
    return vectors.astype(np.float32), queries.astype(np.float32), chunks, draw(st.integers(1, 15))


@settings(deadline=None, max_examples=300)
@given(corpora())
def test_search_equals_a_float64_reference(case: tuple[Any, Any, ChunkTable, int]) -> None:
    """Documents, scores, winning chunks and order; k distinct documents whenever they exist."""
    vectors, queries, chunks, k = case
    found = search(build_index(vectors), queries, chunks, k)
    assert found == [reference(vectors, query, chunks, k) for query in queries]
    assert all(len(hits) == min(k, len(chunks.doc_ids)) for hits in found)


def test_a_query_ranks_alone_as_it_does_in_a_batch() -> None:
    """Near-ties at 384 dimensions do not change places with the size of the batch."""
    rng = np.random.default_rng(5)
    base = rng.standard_normal(384)
    vectors = (base + 1e-4 * rng.standard_normal((3000, 384))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = (base + 0.01 * rng.standard_normal((400, 384))).astype(np.float32)
    ids = [f"d{number}" for number in range(3000)]
    rows = np.arange(3000)
    chunks = ChunkTable(tuple(ids), ids, rows, 0 * rows, 0 * rows + 1, byte_ranks(ids))
    index = build_index(vectors)
    batch = search(index, queries, chunks, 10)
    for number in (0, 7, 399):
        alone = search(index, queries[number : number + 1], chunks, 10)[0]
        assert alone == batch[number] == reference(vectors, queries[number], chunks, 10)


def test_one_document_with_hundreds_of_winning_chunks_hides_no_other() -> None:
    """The search goes deeper until k distinct documents are found."""
    vectors = np.ones((500, 4), dtype=np.float32)
    vectors[497:] *= 0.5
    document = np.concatenate([np.zeros(497, dtype=np.int64), [1, 2, 3]])
    start = np.concatenate([np.arange(497), [0, 0, 0]])
    ids = ["long", "a", "b", "c"]
    chunks = ChunkTable(tuple(ids), [""] * 500, document, start, start + 1, byte_ranks(ids))
    (hits,) = search(build_index(vectors), np.ones((1, 4), dtype=np.float32), chunks, 3)
    assert [hit.doc_id for hit in hits] == ["long", "c", "b"]
    assert (hits[0].chunk_start, hits[0].chunk_end) == (0, 1), "ties fall to the earliest offset"


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.text(max_size=60), min_size=1, max_size=8),
    st.integers(1, 20).flatmap(
        lambda size: st.builds(
            Chunking, st.just("windows"), st.just(size), st.integers(0, size - 1)
        )
    ),
)
def test_no_chunking_changes_which_documents_can_score(
    texts: list[str], chunking: Chunking
) -> None:
    """Whole or in windows, every document comes back when all are asked for."""
    documents = [Document(f"d{number}", "", text) for number, text in enumerate(texts)]
    for scheme in (Chunking(), chunking):
        chunks = cut(documents, scheme)
        lengths = np.array([[float(len(text))] for text in chunks.texts], dtype=np.float32)
        (hits,) = search(build_index(lengths), np.ones((1, 1), np.float32), chunks, len(texts))
        assert {hit.doc_id for hit in hits} == {document.doc_id for document in documents}
