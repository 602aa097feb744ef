"""Exact search: the top documents of each query, in the order that trec_eval uses.

faiss finds the nearest chunks in float32; they are scored again in float64, so that the order
is that of the exact product and a query ranks alone as it does in a batch. The search goes
deeper until the float32 error can no longer hide a chunk that belongs in the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.chunking import ChunkTable

Vectors = NDArray[np.float32]
FIRST_DEPTH = 2
"""Chunks fetched per wanted document in the first round."""


class Hit(NamedTuple):
    """One ranked document with the chunk that won: characters `[chunk_start, chunk_end)`."""

    doc_id: str
    score: float
    chunk_start: int
    chunk_end: int


@dataclass(frozen=True, slots=True, eq=False)
class ExactIndex:
    """A faiss IndexFlatIP over all chunks, with a view of the vectors it holds."""

    index: Any
    vectors: Vectors
    largest_norm: float

    @property
    def bytes(self) -> int:
        """What the index takes in memory: its vectors."""
        return int(self.vectors.nbytes)


def build_index(vectors: Vectors) -> ExactIndex:
    """An exact index over `vectors` [chunks, dimensions]; the vectors are copied once."""
    import faiss

    # As shipped, faiss compares this with queries × dimensions and takes a path without BLAS,
    # 13 to 17 times slower, for every batch below 334 queries of 384 dimensions.
    faiss.cvar.distance_compute_blas_threshold = 1
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors, dtype=np.float32))
    held = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
    held = held.reshape(index.ntotal, index.d)
    norms = np.sqrt(np.einsum("ij,ij->i", held, held)) if len(held) else np.zeros(1)
    return ExactIndex(index, held, float(norms.max()))


def search(index: ExactIndex, queries: Vectors, chunks: ChunkTable, k: int) -> list[list[Hit]]:
    """The top `k` distinct documents of each query [queries, dimensions], best first."""
    total = len(chunks)
    answers: list[list[Hit]] = [[] for _ in queries]
    open_queries = np.arange(len(queries)) if total and k > 0 else np.arange(0)
    depth = min(total, FIRST_DEPTH * k)
    while len(open_queries):
        scores, found = index.index.search(np.ascontiguousarray(queries[open_queries]), depth)
        unfinished = []
        for query, lowest, rows in zip(open_queries, scores[:, -1], found, strict=True):
            exact = rescore(index.vectors, queries[query], rows)
            answers[query] = rank_documents(rows, exact, chunks, k)
            error = float32_error(index, queries[query])
            if depth < total and not is_complete(answers[query], k, float(lowest) + error):
                unfinished.append(query)
        open_queries = np.array(unfinished, dtype=np.int64)
        depth = min(total, 2 * depth)
    return answers


def rescore(vectors: Vectors, query: Vectors, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The inner products of `query` with some rows in float64.

    Each row is summed by itself, so equal vectors have equal scores wherever they stand; a
    matrix product does not promise that.
    """
    products = vectors[rows].astype(np.float64) * query.astype(np.float64)
    total: NDArray[np.float64] = products.sum(axis=1)
    return total


def float32_error(index: ExactIndex, query: Vectors) -> float:
    """A bound on how far a float32 inner product with `query` may be off."""
    unit = float(np.finfo(np.float32).eps)
    return len(query) * unit * float(np.linalg.norm(query)) * index.largest_norm


def is_complete(answer: list[Hit], k: int, best_unseen: float) -> bool:
    """Whether no chunk outside the fetched ones can enter the top `k`, or tie with its last."""
    return len(answer) >= k and answer[k - 1].score > best_unseen


def rank_documents(
    rows: NDArray[np.int64], scores: NDArray[np.float64], chunks: ChunkTable, k: int
) -> list[Hit]:
    """Rank documents by their best chunk (MaxP) among `rows`, whose scores are given.

    Equal chunks of one document: the earliest offset wins. Equal documents: doc_id descending
    bytewise. At most `k` documents.
    """
    order = np.lexsort((rows, -scores))
    rows, scores = rows[order], scores[order]
    _, first = np.unique(chunks.document[rows], return_index=True)
    rank = chunks.byte_rank[chunks.document[rows[first]]]
    best = first[np.lexsort((-rank, -scores[first]))][:k]
    return [hit(chunks, int(rows[i]), float(scores[i])) for i in best]


def hit(chunks: ChunkTable, row: int, score: float) -> Hit:
    """The hit that the chunk in `row` gives."""
    doc_id = chunks.doc_ids[chunks.document[row]]
    return Hit(doc_id, score, int(chunks.start[row]), int(chunks.end[row]))
