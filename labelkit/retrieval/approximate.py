"""Approximate search by faiss, as something to be measured: what it loses and what it saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate, Index
from labelkit.retrieval.chunking import ChunkTable
from labelkit.retrieval.search import Hit, Vectors, rank_documents, rescore

FIRST_DEPTH = 2
TRAINING_PER_LIST = 39
"""faiss asks for at least this many vectors per list to train an IVF index well."""


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateIndex:
    """A faiss HNSW or IVF index by inner product, with the vectors it was built over."""

    index: Any
    vectors: Vectors
    bytes: int


def build_approximate(candidate: Candidate, vectors: Vectors) -> ApproximateIndex:
    """Build the index of a candidate; with one thread, so that it comes out the same each time.

    Raises CandidateError where the corpus is too small for the lists of an IVF index.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        index = _hnsw(vectors, candidate.index) if candidate.index.kind == "hnsw" else None
        index = index or _ivf(candidate, vectors)
    finally:
        faiss.omp_set_num_threads(threads)
    return ApproximateIndex(index, vectors, len(faiss.serialize_index(index)))


def _hnsw(vectors: Vectors, spec: Index) -> Any:
    import faiss

    index = faiss.IndexHNSWFlat(vectors.shape[1], spec.links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = spec.build_breadth
    index.hnsw.efSearch = spec.search_breadth
    index.add(np.ascontiguousarray(vectors))
    return index


def _ivf(candidate: Candidate, vectors: Vectors) -> Any:
    import faiss

    lists = candidate.index.lists or max(1, int(np.sqrt(len(vectors))))
    if lists > len(vectors):
        raise CandidateError(
            candidate.name, f"{lists} lists for {len(vectors)} chunks; ask for fewer lists"
        )
    coarse = faiss.IndexFlatIP(vectors.shape[1])
    index = faiss.IndexIVFFlat(coarse, vectors.shape[1], lists, faiss.METRIC_INNER_PRODUCT)
    index.cp.min_points_per_centroid = min(TRAINING_PER_LIST, len(vectors) // lists)
    index.train(np.ascontiguousarray(vectors))
    index.add(np.ascontiguousarray(vectors))
    index.nprobe = min(candidate.index.probes, lists)
    return index


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
        hits = rank_documents(rows, rescore(index.vectors, query, rows), chunks, k)
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
