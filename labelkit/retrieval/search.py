"""Exact search: the top documents of each query, in the order that trec_eval uses.

A product in float32, block by block, finds the nearest chunks; they are scored again in float64,
so that the order is that of the exact product and a query ranks alone as it does in a batch. The
search goes deeper until the float32 error can no longer hide a chunk that belongs in the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.chunking import ChunkTable
from labelkit.retrieval.nearest_rows import nearest_rows

Vectors = NDArray[np.float32]
FIRST_DEPTH = 2
"""Chunks fetched per wanted document in the first round, where documents have several."""
SPARE = 10
"""Chunks fetched beyond the wanted documents where each document is one chunk."""


class Hit(NamedTuple):
    """One ranked document with the chunk that won: characters `[chunk_start, chunk_end)`."""

    doc_id: str
    score: float
    chunk_start: int
    chunk_end: int


RankedRows = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Rows of chunks, best first, and their scores."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactIndex:
    """The vectors themselves [chunks, dimensions], and the length of the longest."""

    vectors: Vectors
    largest_norm: float

    @property
    def bytes(self) -> int:
        """What the index takes in memory: its vectors."""
        return int(self.vectors.nbytes)


def build_index(vectors: Vectors) -> ExactIndex:
    """An exact index over `vectors` [chunks, dimensions], which are not copied."""
    held = np.ascontiguousarray(vectors, dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", held, held)) if len(held) else np.zeros(1)
    return ExactIndex(held, float(norms.max()))


def search(index: ExactIndex, queries: Vectors, chunks: ChunkTable, k: int) -> list[list[Hit]]:
    """The top `k` distinct documents of each query [queries, dimensions], best first."""
    return [hits(chunks, *ranked) for ranked in search_rows(index, queries, chunks, k)]


def search_rows(
    index: ExactIndex, queries: Vectors, chunks: ChunkTable, k: int
) -> list[RankedRows]:
    """The winning chunks of the top `k` distinct documents of each query: rows and scores."""
    nothing = np.empty(0, np.int64), np.empty(0, np.float64)
    answers: list[RankedRows] = [nothing for _ in queries]
    open_queries = np.arange(len(queries)) if len(chunks) and k > 0 else np.arange(0)
    depth = first_depth(chunks, k)
    while len(open_queries):
        unfinished = []
        for query, answer, complete in fetched(index, queries, open_queries, chunks, k, depth):
            answers[query] = answer
            if not complete:
                unfinished.append(query)
        open_queries = np.array(unfinished, dtype=np.int64)
        depth = min(len(chunks), 2 * depth)
    return answers


def first_depth(chunks: ChunkTable, k: int) -> int:
    """How many chunks the first round fetches per query."""
    single = len(chunks) == len(chunks.doc_ids)
    return min(len(chunks), k + SPARE if single else FIRST_DEPTH * k)


def fetched(
    index: ExactIndex,
    queries: Vectors,
    wanted: NDArray[np.int64],
    chunks: ChunkTable,
    k: int,
    depth: int,
) -> Iterator[tuple[int, RankedRows, bool]]:
    """Each wanted query with its answer from the `depth` nearest chunks, and whether no other
    chunk can change it."""
    for number, rows, lowest in nearest_rows(index.vectors, queries[wanted], depth):
        query = int(wanted[number])
        exact = rescore(index.vectors, queries[query], rows)
        answer = rank_rows(rows, exact, chunks, k)
        best_unseen = lowest + float32_error(index, queries[query])
        yield query, answer, depth == len(chunks) or is_complete(answer, k, best_unseen)


def rescore(vectors: Vectors, query: Vectors, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The inner products of `query` with some rows in float64.

    Each row is summed by itself, so equal vectors have equal scores wherever they stand; a
    matrix product does not promise that.
    """
    products = vectors[rows].astype(np.float64)
    products *= query  # in place, without a second matrix
    total: NDArray[np.float64] = products.sum(axis=1)
    return total


def float32_error(index: ExactIndex, query: Vectors) -> float:
    """A bound on how far a float32 inner product with `query` may be off."""
    unit = float(np.finfo(np.float32).eps)
    return len(query) * unit * float(np.linalg.norm(query)) * index.largest_norm


def is_complete(answer: RankedRows, k: int, best_unseen: float) -> bool:
    """Whether no chunk outside the fetched ones can enter the top `k`, or tie with its last."""
    scores = answer[1]
    return len(scores) >= k and float(scores[k - 1]) > best_unseen


def rank_documents(
    rows: NDArray[np.int64], scores: NDArray[np.float64], chunks: ChunkTable, k: int
) -> list[Hit]:
    """The hits of `rank_rows`."""
    return hits(chunks, *rank_rows(rows, scores, chunks, k))


def rank_rows(
    rows: NDArray[np.int64], scores: NDArray[np.float64], chunks: ChunkTable, k: int
) -> RankedRows:
    """Rank documents by their best chunk (MaxP) among `rows`, whose scores are given.

    Equal documents: doc_id descending bytewise. Equal chunks of one document: the earliest
    offset wins. At most `k` documents, each by its winning chunk.
    """
    document = chunks.document[rows]
    order = np.lexsort((rows, -chunks.byte_rank[document], -scores))
    _, first = np.unique(document[order], return_index=True)
    best = order[np.sort(first)[:k]]
    return rows[best], scores[best]


def hits(chunks: ChunkTable, rows: NDArray[np.int64], scores: NDArray[np.float64]) -> list[Hit]:
    """The hits that the chunks in `rows` give, in their order."""
    ids = [chunks.doc_ids[number] for number in chunks.document[rows].tolist()]
    spans = chunks.start[rows].tolist(), chunks.end[rows].tolist()
    return list(map(Hit, ids, scores.tolist(), *spans))
