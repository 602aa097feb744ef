"""Retrieval by vectors: encode or load, cut and reduce, index, search; the best chunk counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from labelkit.errors import CandidateError
from labelkit.retrieval.approximate import build_approximate, search_approximate
from labelkit.retrieval.cache import CachedVectors, VectorCache
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import ChunkTable, keys_of
from labelkit.retrieval.embed import Embeddings, embed
from labelkit.retrieval.encoder_endpoint import EndpointEncoder
from labelkit.retrieval.encoders import (
    DOCUMENT,
    QUERY,
    Encoder,
    SentenceEncoder,
    derive,
    encoder_for,
    offsets_of,
)
from labelkit.retrieval.lazy_vectors import AnyVectors, Derived
from labelkit.retrieval.precision import (
    fidelity,
    reduce,
    reduce_queries,
    stored_bytes,
    streamed_index,
)
from labelkit.retrieval.probing import probe
from labelkit.retrieval.request import Milliseconds, Request, Retrieval, describe
from labelkit.retrieval.search import Hit, Vectors, build_index, rank_documents, rescore, search
from labelkit.retrieval.stored_vectors import given_embeddings
from labelkit.retrieval.time_left import TimeLeft
from labelkit.retrieval.weights import library_versions

RESCORED = 4
"""Of sign bits, this many times the wanted documents are scored again with float32 vectors."""

SearchOne = Callable[[Vectors], list[Hit]]


@dataclass(frozen=True, slots=True, eq=False)
class Raw:
    """Vectors of full width for both sides, what decides them, and what to tell the user."""

    documents: Embeddings
    queries: Embeddings
    sides: dict[str, Any]
    encoder: Encoder | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Searcher:
    """An index over `vectors`, ready to be asked, one query vector [dimensions] at a time."""

    search: SearchOne
    vectors: AnyVectors
    bytes: int
    build_seconds: float


def retrieve_dense(candidate: Candidate, request: Request) -> Retrieval:
    """Inner products of query and chunk vectors; the best chunk of a document counts (MaxP)."""
    chunks = cut_for(candidate, request)
    raw = raw_vectors(candidate, chunks, request)
    refuse_width(candidate, raw.documents, chunks)
    parents = Derived(raw.documents.vectors, candidate.dimensions, candidate.normalise)
    queries = derive(raw.queries.vectors, candidate.dimensions, candidate.normalise)
    asked = list(request.texts(candidate.turns))
    searcher = build(candidate, parents, chunks, request.depth)
    reduced = (
        reduce_queries(queries, candidate.precision) if searches_reduced(candidate) else queries
    )
    hits, times = ask_each(searcher, asked, reduced, request)
    truncated, lost = truncation(raw.encoder, raw.documents)
    return Retrieval(
        candidate=candidate, depth=request.depth, hits=hits,
        encode_ms=raw.queries.milliseconds, search_ms=times,
        description=describe(candidate, {**raw.sides, "libraries": searching_libraries(candidate)}),
        chunks=len(chunks), dimensions=parents.shape[1],
        index_bytes=searcher.bytes, build_seconds=searcher.build_seconds,
        encode_seconds=raw.documents.seconds + raw.queries.seconds,
        encoded_documents=raw.documents.encoded, encoded_queries=raw.queries.encoded,
        billed_tokens=getattr(raw.encoder, "billed_tokens", 0),
        device=raw.encoder.used_device() if isinstance(raw.encoder, SentenceEncoder) else "",
        truncated_share=truncated, lost_token_share=lost,
        damaged_shards=raw.documents.damaged + raw.queries.damaged,
        fidelity=held_against_parents(
            candidate, chunks, parents, searcher.vectors, queries, request
        ),
        exact_hits=exact_hits(candidate, parents, queries, chunks, asked, request.depth),
        notes=tuple(raw.notes),
    )  # fmt: skip


def cut_for(candidate: Candidate, request: Request) -> ChunkTable:
    """The chunks that a candidate reads, cut with its own tokenizer where the scheme asks."""
    offsets = offsets_of(candidate) if candidate.chunking.scheme == "tokens" else None
    return request.chunks(candidate, offsets)


def raw_vectors(candidate: Candidate, chunks: ChunkTable, request: Request) -> Raw:
    """Vectors of both sides: from files, or from the cache and the encoder."""
    if candidate.kind == "vectors":
        documents, queries, sides = given_embeddings(
            candidate, list(chunks.doc_ids), [query.query_id for query in request.queries]
        )
        return Raw(documents, queries, sides)
    encoder = encoder_for(candidate)
    notes = probe(encoder, request.cache_dir) if isinstance(encoder, EndpointEncoder) else []
    texts = list(request.texts(candidate.turns).values())
    documents = embed(
        encoder, DOCUMENT, chunks.texts, request.cache_dir, request.progress,
        chunks.document, request.engine.encoding(candidate),
    )  # fmt: skip
    queries = embed(encoder, QUERY, texts, request.cache_dir, request.progress)
    sides = {side: encoder.describe(side) for side in (DOCUMENT, QUERY)}
    return Raw(documents, queries, sides, encoder, notes)


def refuse_width(candidate: Candidate, embeddings: Embeddings, chunks: ChunkTable) -> None:
    """Raise CandidateError when more dimensions are asked for than the model has."""
    width = embeddings.vectors.shape[1]
    if len(chunks) and candidate.dimensions is not None and candidate.dimensions > width:
        message = f"asks for {candidate.dimensions} dimensions; the model has {width}"
        raise CandidateError(candidate.name, message)


def searching_libraries(candidate: Candidate) -> dict[str, str]:
    """Versions of what the search runs on: NumPy's products, or faiss where it approximates."""
    return library_versions("numpy" if candidate.index.kind == "exact" else "faiss-cpu")


def searches_reduced(candidate: Candidate) -> bool:
    """Whether the index itself is asked with reduced queries; rescoring needs the full ones."""
    return candidate.precision not in ("float32", "binary+rescore")


def build(candidate: Candidate, parents: Derived, chunks: ChunkTable, depth: int) -> Searcher:
    """Index the chunk vectors as the candidate says; they are in memory once, in the form that
    is searched."""
    started = time.perf_counter()
    one: SearchOne
    searched: AnyVectors
    if candidate.index.kind != "exact" and len(chunks):
        searched = parents
        approximate = build_approximate(candidate, parents)
        one = lambda query: search_approximate(approximate, query, chunks, depth)  # noqa: E731
        size = approximate.bytes
    else:
        full = candidate.precision == "float32"
        searched = parents.held() if full else reduce(parents, candidate.precision)
        index = build_index(searched)
        size = stored_bytes(len(chunks), parents.shape[1], candidate.precision)
        if candidate.precision == "binary+rescore" and len(chunks):
            number = {doc_id: place for place, doc_id in enumerate(chunks.doc_ids)}
            one = lambda query: rescored(index, parents, number, query, chunks, depth)  # noqa: E731
        else:
            one = lambda query: search(index, query[None, :], chunks, depth)[0]  # noqa: E731
    return Searcher(one, searched, size, time.perf_counter() - started)


def rescored(
    index: Any,
    parents: AnyVectors,
    number: Mapping[str, int],
    query: Vectors,
    chunks: ChunkTable,
    k: int,
) -> list[Hit]:
    """The top `k` documents: found by sign bits, then scored with the float32 vectors of all
    their chunks, which alone are read of `parents`. `number` is each document's place in
    `chunks.doc_ids`."""
    signs = reduce(query[None, :], "binary")
    (found,) = search(index, signs, chunks, RESCORED * k)
    wanted = np.array([number[hit.doc_id] for hit in found], dtype=np.int64)
    rows = np.flatnonzero(np.isin(chunks.document, wanted))
    return rank_documents(rows, rescore(parents[rows], query, np.arange(len(rows))), chunks, k)


def ask_each(
    searcher: Searcher, query_ids: list[str], vectors: Vectors, request: Request
) -> tuple[dict[str, list[Hit]], Milliseconds]:
    """Search for one query at a time, as a user's would come in; hits and milliseconds."""
    hits, times, left = {}, [], TimeLeft()
    for row, query_id in enumerate(query_ids):
        start = time.perf_counter()
        hits[query_id] = searcher.search(vectors[row])
        times.append(time.perf_counter() - start)
        done, total = row + 1, len(query_ids)
        request.progress(done, total, f"searching{left(done, total)}")
    return hits, 1000 * np.array(times, dtype=np.float64)


def truncation(
    encoder: Encoder | None, embeddings: Embeddings
) -> tuple[float | None, float | None]:
    """The share of texts that are longer than the model reads, and of tokens that it drops.

    None where nobody knows: vectors made elsewhere, servers that cut without a word.
    """
    if encoder is None or isinstance(encoder, EndpointEncoder):
        return None, None
    limit = encoder.token_limit()
    tokens = embeddings.tokens.astype(np.int64)
    if limit is None or not len(tokens):
        return 0.0, 0.0
    lost = np.maximum(tokens - limit, 0)
    return float(np.mean(lost > 0)), float(lost.sum() / max(1, tokens.sum()))


def held_against_parents(
    candidate: Candidate,
    chunks: ChunkTable,
    parents: AnyVectors,
    searched: AnyVectors,
    queries: Vectors,
    request: Request,
) -> dict[str, Any] | None:
    """The vectors that are searched against float32 ones; None for float32 and without parent."""
    if candidate.precision != "float32":
        return fidelity(parents, searched, queries, candidate.precision).as_dict()
    if candidate.encode_dtype == "float32":
        return None
    grandparents = cached_float32(candidate, chunks, request)
    if grandparents is None:
        return None
    return fidelity(grandparents, parents, queries, "float32").as_dict()


def cached_float32(candidate: Candidate, chunks: ChunkTable, request: Request) -> Derived | None:
    """The float32 vectors of a bfloat16 candidate's chunks, if its parent was run before."""
    parent = encoder_for(replace(candidate, encode_dtype="float32"))
    cache = VectorCache(request.cache_dir, parent.describe(DOCUMENT))
    keys = keys_of(chunks.texts)
    if not len(keys) or (cache.find(keys) < 0).any():
        return None
    return Derived(CachedVectors(cache, keys), candidate.dimensions, candidate.normalise)


def exact_hits(
    candidate: Candidate,
    parents: AnyVectors,
    queries: Vectors,
    chunks: ChunkTable,
    query_ids: list[str],
    depth: int,
) -> dict[str, list[Hit]] | None:
    """What exact search finds on the same vectors, for candidates with an approximate index."""
    if candidate.index.kind == "exact":
        return None
    found = search(streamed_index(parents), queries, chunks, depth)
    return dict(zip(query_ids, found, strict=True))
