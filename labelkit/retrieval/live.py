"""A candidate kept ready: documents indexed once, then asked one text at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.composed import chunk_text
from labelkit.retrieval.dense import build, cut_for, refuse_width, searches_reduced
from labelkit.retrieval.embed import embed
from labelkit.retrieval.encoder_endpoint import EndpointEncoder
from labelkit.retrieval.encoders import DOCUMENT, QUERY, derive, encoder_for
from labelkit.retrieval.fusing import fuse
from labelkit.retrieval.http_search import HttpSearch
from labelkit.retrieval.lazy_vectors import Derived
from labelkit.retrieval.lexical import build_lexical_index
from labelkit.retrieval.precision import reduce_queries
from labelkit.retrieval.probing import recall
from labelkit.retrieval.request import Request
from labelkit.retrieval.reranking import rerank, scorer_for
from labelkit.retrieval.search import Hit

Ask = Callable[[str], list[Hit]]


def ready(candidate: Candidate, request: Request) -> Ask:
    """Index the request's documents and return what answers a text; safe from several threads.

    Vectors of documents come from the cache where they are known; the text is always encoded.
    Raises CandidateError for candidates that can answer no new query: stored vectors, runs.
    """
    makers: dict[str, Callable[[Candidate, Request], Ask]] = {
        "bm25": _lexical,
        "fusion": _fused,
        "rerank": _reranked,
        "http": _http,
    }
    if candidate.kind in ("vectors", "run"):
        raise CandidateError(
            candidate.name, f"a candidate of kind {candidate.kind!r} answers no new query"
        )
    return makers.get(candidate.kind, _dense)(candidate, request)


def _lexical(candidate: Candidate, request: Request) -> Ask:
    chunks = request.chunks(candidate)
    index = build_lexical_index(candidate, chunks)
    return lambda text: index.search(index.tokens([text])[0], chunks, request.depth)


def _dense(candidate: Candidate, request: Request) -> Ask:
    chunks = cut_for(candidate, request)
    encoder = encoder_for(candidate)
    if isinstance(encoder, EndpointEncoder):
        recall(encoder, request.cache_dir)
    of_chunks = embed(
        encoder, DOCUMENT, chunks.texts, request.cache_dir, request.progress, chunks.document
    )
    refuse_width(candidate, of_chunks, chunks)
    parents = Derived(of_chunks.vectors, candidate.dimensions, candidate.normalise)
    searcher = build(candidate, parents, chunks, request.depth)

    def ask(text: str) -> list[Hit]:
        raw = encoder.encode([text], QUERY)
        vectors = derive(raw, candidate.dimensions, candidate.normalise)
        if searches_reduced(candidate):
            vectors = reduce_queries(vectors, candidate.precision)
        return searcher.search(vectors[0])

    return ask


def _fused(candidate: Candidate, request: Request) -> Ask:
    parts = [ready(part, request) for part in candidate.parts]
    return lambda text: fuse(candidate, [ask(text) for ask in parts], request.depth)


def _reranked(candidate: Candidate, request: Request) -> Ask:
    (first,) = candidate.parts
    deep = replace(request, depth=max(request.depth, candidate.rerank_depth))
    ask_first, (score, _) = ready(first, deep), scorer_for(candidate)
    documents = {document.doc_id: document for document in request.documents}

    def ask(text: str) -> list[Hit]:
        hits = ask_first(text)
        read = [chunk_text(candidate, documents, hit) for hit in hits[: candidate.rerank_depth]]
        return rerank(candidate, score, text, hits, read)[: request.depth]

    return ask


def _http(candidate: Candidate, request: Request) -> Ask:
    service = HttpSearch(candidate)
    return lambda text: service.search(text, request.depth)
