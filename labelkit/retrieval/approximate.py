"""Approximate search by faiss, as something to be measured: what it loses and what it saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import ChunkTable
from labelkit.retrieval.lazy_vectors import AnyVectors, blocks
from labelkit.retrieval.search import Hit, Vectors, rank_documents, rescore

FIRST_DEPTH = 2
FLOAT = 4
"""Bytes of a float32."""
ADDED = 32_768
"""Vectors that are handed to faiss at a time. An HNSW graph depends on it beyond that many."""
TRAINING_PER_LIST = 39
"""faiss asks for at least this many vectors per list to train an IVF index well."""


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateIndex:
    """A faiss HNSW or IVF index by inner product; it holds the only copy of the vectors."""

    index: Any
    bytes: int


def build_approximate(candidate: Candidate, vectors: AnyVectors) -> ApproximateIndex:
    """Build the index of a candidate, from vectors that are read block by block; with one
    thread, so that it comes out the same each time.

    Raises CandidateError where the corpus is too small for the lists of an IVF index.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        make = _hnsw if candidate.index.kind == "hnsw" else _ivf
        index = make(candidate, vectors)
        for _, block in blocks(vectors, ADDED):
            index.add(np.ascontiguousarray(block))
    finally:
        faiss.omp_set_num_threads(threads)
    size = written_bytes(index)
    if candidate.index.kind == "ivf":
        index.make_direct_map()  # leads from a row to its list, so that vectors can be read back
    return ApproximateIndex(index, size)


def _hnsw(candidate: Candidate, vectors: AnyVectors) -> Any:
    import faiss

    rows, width = vectors.shape
    spec = candidate.index
    index = faiss.IndexHNSWFlat(width, spec.links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = spec.build_breadth
    index.hnsw.efSearch = spec.search_breadth
    storage: Any = faiss.downcast_index(index.storage)
    storage.codes.resize(rows * width * FLOAT)  # else it grows by doubling, two copies at once
    storage.codes.resize(0)
    return index


def _ivf(candidate: Candidate, vectors: AnyVectors) -> Any:
    import faiss

    rows, width = vectors.shape
    lists = candidate.index.lists or max(1, int(np.sqrt(rows)))
    if lists > rows:
        raise CandidateError(
            candidate.name, f"{lists} lists for {rows} chunks; ask for fewer lists"
        )
    coarse = faiss.IndexFlatIP(width)
    index = faiss.IndexIVFFlat(coarse, width, lists, faiss.METRIC_INNER_PRODUCT)
    index.cp.min_points_per_centroid = min(TRAINING_PER_LIST, rows // lists)
    index.train(_training(vectors, lists * index.cp.max_points_per_centroid, index.cp.seed))
    index.nprobe = min(candidate.index.probes, lists)
    return index


def _training(vectors: AnyVectors, most: int, seed: int) -> Vectors:
    """The vectors that faiss would draw to train on, were it given all of them."""
    import faiss

    if len(vectors) <= most:
        return np.ascontiguousarray(vectors, dtype=np.float32)
    order = np.empty(len(vectors), dtype=np.int32)
    faiss.rand_perm(faiss.swig_ptr(order), len(order), seed)  # type: ignore[attr-defined]
    return np.ascontiguousarray(vectors[order[:most].astype(np.int64)])


def written_bytes(index: Any) -> int:
    """What an index takes on disk, counted while it is written to nowhere."""
    import faiss

    written = [0]

    def count(part: bytes) -> None:
        written[0] += len(part)

    faiss.write_index(index, faiss.PyCallbackIOWriter(count))  # type: ignore[attr-defined]
    return written[0]


def search_approximate(
    index: ApproximateIndex, query: Vectors, chunks: ChunkTable, k: int
) -> list[Hit]:
    """The top `k` distinct documents that the index finds for one query [dimensions].

    What it finds is scored again in float64. It is asked for twice as many chunks until `k`
    documents are found or it has no more to give.
    """
    total, depth = len(chunks), min(len(chunks), FIRST_DEPTH * k)
    while total and k > 0:
        _, found = index.index.search(np.ascontiguousarray(query[None, :]), depth)
        rows = np.unique(found[0][found[0] >= 0])
        vectors = index.index.reconstruct_batch(rows)
        hits = rank_documents(rows, rescore(vectors, query, np.arange(len(rows))), chunks, k)
        if len(hits) >= k or depth >= total or len(rows) < depth:
            return hits
        depth = min(total, 2 * depth)
    return []


def overlap(found: dict[str, list[Hit]], exact: dict[str, list[Hit]], k: int) -> float:
    """The mean share of each query's exact top `k` documents that are among the found ones."""
    shares = []
    for query_id, hits in exact.items():
        wanted = {hit.doc_id for hit in hits[:k]}
        got = {hit.doc_id for hit in found[query_id][:k]}
        shares.append(len(wanted & got) / len(wanted) if wanted else 1.0)
    return float(np.mean(shares)) if shares else 1.0
