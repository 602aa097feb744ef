"""One verb for every candidate: documents and queries in, ranked documents out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError, InputError
from labelkit.model import Document, Query
from labelkit.retrieval.cache import fingerprint_of
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import ChunkTable, cut, refuse_duplicates
from labelkit.retrieval.embed import Embeddings, Progress, embed, silent
from labelkit.retrieval.encoders import DOCUMENT, QUERY, Encoder, derive, encoder_for
from labelkit.retrieval.lexical import build_lexical_index
from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.search import Hit, build_index, search
from labelkit.retrieval.weights import library_versions

Milliseconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """What one candidate found, and what it took.

    `hits` has the ranked documents of every query, best first, at most `depth`. The times per
    query, encoding and search apart, are milliseconds, one query at a time, in the order of
    `hits`; `encode_ms` is NaN where a query's vector came from another machine's cache.
    `encoded_documents` and `encoded_queries` count the texts that the encoder read this time.
    `truncated_share` is the share of chunks longer than the model reads, `lost_token_share` that
    of the tokens it does not read; None where the question has no meaning (BM25).
    `fingerprint` is the SHA-256 of `description`, which says everything that decides the scores.
    """

    candidate: Candidate
    depth: int
    hits: dict[str, list[Hit]]
    encode_ms: Milliseconds
    search_ms: Milliseconds
    chunks: int
    dimensions: int | None
    index_bytes: int
    build_seconds: float
    encode_seconds: float
    encoded_documents: int
    encoded_queries: int
    truncated_share: float | None
    lost_token_share: float | None
    damaged_shards: int
    machine: str
    description: dict[str, Any]
    fingerprint: str


def query_text(query: Query, turns: str) -> str:
    """What is sent for a query: the user's words verbatim, after the earlier turns if asked, or
    as they were rewritten to stand without them; where nobody rewrote them, verbatim."""
    if turns == "ignore" or not query.turns:
        return query.text
    if turns == "rewritten":
        return query.rewritten_text or query.text
    return "\n".join([*(turn.text for turn in query.turns), query.text])


def retrieve(
    candidate: Candidate,
    documents: Sequence[Document],
    queries: Sequence[Query],
    depth: int,
    cache_dir: Path,
    progress: Progress = silent,
) -> Retrieval:
    """Rank the documents for every query and keep the top `depth`.

    What is encoded of a document is its title, a newline and the chunk. Vectors are cached
    under `cache_dir`. Raises CandidateError when the candidate cannot run, InputError for
    doubled ids or a depth below 1.
    """
    if depth < 1:
        raise InputError(f"the depth of a retrieval must be at least 1, not {depth}")
    refuse_duplicates([query.query_id for query in queries])
    chunks = cut(documents, candidate.chunking)
    texts = [query_text(query, candidate.turns) for query in queries]
    run = retrieve_lexical if candidate.kind == "bm25" else retrieve_dense
    ids = [query.query_id for query in queries]
    return run(candidate, chunks, dict(zip(ids, texts, strict=True)), depth, cache_dir, progress)


def retrieve_lexical(
    candidate: Candidate,
    chunks: ChunkTable,
    texts: dict[str, str],
    depth: int,
    cache_dir: Path,
    progress: Progress,
) -> Retrieval:
    """BM25: documents without any word of the query are not retrieved."""
    progress(0, len(texts), "indexing documents")
    started = time.perf_counter()
    index = build_lexical_index(candidate, chunks)
    build_seconds = time.perf_counter() - started
    hits, times = {}, []
    for done, (query_id, text) in enumerate(texts.items(), start=1):
        start = time.perf_counter()
        (words,) = index.tokens([text])
        middle = time.perf_counter()
        hits[query_id] = index.search(words, chunks, depth)
        times.append((middle - start, time.perf_counter() - middle))
        progress(done, len(texts), "searching")
    description = describe(candidate, {"libraries": library_versions("bm25s", "PyStemmer")})
    milliseconds = 1000 * np.array(times, dtype=np.float64).reshape(-1, 2)
    return Retrieval(
        candidate=candidate, depth=depth, hits=hits,
        encode_ms=milliseconds[:, 0], search_ms=milliseconds[:, 1],
        chunks=len(chunks), dimensions=None, index_bytes=index.bytes,
        build_seconds=build_seconds, encode_seconds=0.0, encoded_documents=0, encoded_queries=0,
        truncated_share=None, lost_token_share=None, damaged_shards=0,
        machine=machine_name(), description=description, fingerprint=fingerprint_of(description),
    )  # fmt: skip


def retrieve_dense(
    candidate: Candidate,
    chunks: ChunkTable,
    texts: dict[str, str],
    depth: int,
    cache_dir: Path,
    progress: Progress,
) -> Retrieval:
    """Exact inner products of query and chunk vectors; the best chunk of a document counts."""
    encoder = encoder_for(candidate)
    of_chunks = embed(encoder, DOCUMENT, chunks.texts, cache_dir, progress)
    of_queries = embed(encoder, QUERY, list(texts.values()), cache_dir, progress)
    refuse_width(candidate, of_chunks, chunks)
    started = time.perf_counter()
    index = build_index(derive(of_chunks.vectors, candidate.dimensions, candidate.normalise))
    build_seconds = time.perf_counter() - started
    vectors = derive(of_queries.vectors, candidate.dimensions, candidate.normalise)
    hits, times = {}, []
    for row, query_id in enumerate(texts):
        start = time.perf_counter()
        (hits[query_id],) = search(index, vectors[row : row + 1], chunks, depth)
        times.append(time.perf_counter() - start)
        progress(row + 1, len(texts), "searching")
    truncated, lost = truncation(encoder, of_chunks)
    sides = {side: encoder.describe(side) for side in (DOCUMENT, QUERY)}
    description = describe(candidate, {**sides, "libraries": library_versions("faiss-cpu")})
    return Retrieval(
        candidate=candidate, depth=depth, hits=hits,
        encode_ms=of_queries.milliseconds, search_ms=1000 * np.array(times, dtype=np.float64),
        chunks=len(chunks), dimensions=index.vectors.shape[1], index_bytes=index.bytes,
        build_seconds=build_seconds, encode_seconds=of_chunks.seconds + of_queries.seconds,
        encoded_documents=of_chunks.encoded, encoded_queries=of_queries.encoded,
        truncated_share=truncated, lost_token_share=lost,
        damaged_shards=of_chunks.damaged + of_queries.damaged,
        machine=machine_name(), description=description, fingerprint=fingerprint_of(description),
    )  # fmt: skip


def describe(candidate: Candidate, parts: dict[str, Any]) -> dict[str, Any]:
    """Everything that decides a candidate's scores: its own fields and those of its parts."""
    fields = candidate.as_dict()
    unrelated = ("name", "excluded")  # these do not change a ranking
    return {"candidate": {k: v for k, v in fields.items() if k not in unrelated}, **parts}


def refuse_width(candidate: Candidate, embeddings: Embeddings, chunks: ChunkTable) -> None:
    """Raise CandidateError when more dimensions are asked for than the model has."""
    width = embeddings.vectors.shape[1]
    if len(chunks) and candidate.dimensions is not None and candidate.dimensions > width:
        message = f"asks for {candidate.dimensions} dimensions; the model has {width}"
        raise CandidateError(candidate.name, message)


def truncation(encoder: Encoder, embeddings: Embeddings) -> tuple[float, float]:
    """The share of texts that are longer than the model reads, and of tokens that it drops."""
    limit = encoder.token_limit()
    tokens = embeddings.tokens.astype(np.int64)
    if limit is None or not len(tokens):
        return 0.0, 0.0
    lost = np.maximum(tokens - limit, 0)
    return float(np.mean(lost > 0)), float(lost.sum() / max(1, tokens.sum()))
