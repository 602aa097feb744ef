"""Candidates made of other candidates: fusions and rerankers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from labelkit.errors import CandidateError
from labelkit.model import Document
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import encoded_text
from labelkit.retrieval.fusing import fuse
from labelkit.retrieval.request import Milliseconds, Request, Retrieval, describe
from labelkit.retrieval.reranking import rerank, scorer_for
from labelkit.retrieval.search import Hit
from labelkit.retrieval.time_left import TimeLeft

Answer = Callable[[Candidate, Request], Retrieval]


def retrieve_fused(candidate: Candidate, request: Request, answer: Answer) -> Retrieval:
    """Merge the rankings of two candidates or more; its times are the sums of theirs."""
    parts = [answer(part, named(request, part)) for part in candidate.parts]
    hits, times = {}, []
    for query_id in parts[0].hits:
        start = time.perf_counter()
        rankings = [part.hits[query_id] for part in parts]
        hits[query_id] = fuse(candidate, rankings, request.depth)
        times.append(time.perf_counter() - start)
    return combined(candidate, parts, hits, 1000 * np.array(times, dtype=np.float64), {})


def retrieve_reranked(candidate: Candidate, request: Request, answer: Answer) -> Retrieval:
    """Order anew what another candidate ranks first; what is read is its winning chunk.

    The first stage is asked for at least `rerank_depth` documents.
    """
    (first,) = candidate.parts
    score, about = scorer_for(candidate)
    deep = replace(request, depth=max(request.depth, candidate.rerank_depth))
    stage = answer(first, named(deep, first))
    documents = {document.doc_id: document for document in request.documents}
    texts = request.texts(candidate.turns)
    hits, times, left = {}, [], TimeLeft()
    warm_up(candidate, score, texts)
    for done, (query_id, found) in enumerate(stage.hits.items(), start=1):
        read = [chunk_text(candidate, documents, hit) for hit in found[: candidate.rerank_depth]]
        start = time.perf_counter()
        ranked = rerank(candidate, score, texts[query_id], found, read)
        times.append(time.perf_counter() - start)
        hits[query_id] = ranked[: request.depth]
        total = len(stage.hits)
        request.progress(done, total, f"reranking{left(done, total)}")
    milliseconds = 1000 * np.array(times, dtype=np.float64)
    return combined(candidate, [stage], hits, milliseconds, {"reranker": about})


def named(request: Request, part: Candidate) -> Request:
    """The request with progress that names the part at work."""
    tell = request.progress
    return replace(
        request, progress=lambda done, total, word: tell(done, total, f"{part.name}: {word}")
    )


def warm_up(candidate: Candidate, score: Callable[..., object], texts: dict[str, str]) -> None:
    """Load the reranker before anything is timed."""
    for text in list(texts.values())[:1]:
        rerank(candidate, score, text, [Hit("warm-up", 0.0, 0, 0)], [text])  # type: ignore[arg-type]


def chunk_text(candidate: Candidate, documents: dict[str, Document], hit: Hit) -> str:
    """What a reranker reads of a hit: title and winning chunk, or the whole document where the
    first stage does not say which part it matched."""
    document = documents.get(hit.doc_id)
    if document is None:
        raise CandidateError(
            candidate.name, f"the first stage found {hit.doc_id!r}, which is not in the corpus"
        )
    end = hit.chunk_end if hit.chunk_end > hit.chunk_start else len(document.text)
    return encoded_text(document, hit.chunk_start, end)


def combined(
    candidate: Candidate,
    parts: Sequence[Retrieval],
    hits: dict[str, list[Hit]],
    own_ms: Milliseconds,
    about: dict[str, object],
) -> Retrieval:
    """The retrieval of a composed candidate: sizes and times of its parts added up."""
    return Retrieval(
        candidate=candidate,
        depth=parts[0].depth,
        hits=hits,
        encode_ms=np.sum([part.encode_ms for part in parts], axis=0),
        search_ms=np.sum([part.search_ms for part in parts], axis=0) + own_ms,
        description=describe(candidate, {"parts": [part.description for part in parts], **about}),
        chunks=max(part.chunks for part in parts),
        index_bytes=sum(part.index_bytes for part in parts),
        build_seconds=sum(part.build_seconds for part in parts),
        encode_seconds=sum(part.encode_seconds for part in parts),
        encoded_documents=sum(part.encoded_documents for part in parts),
        encoded_queries=sum(part.encoded_queries for part in parts),
        billed_tokens=sum(part.billed_tokens for part in parts),
        device=", ".join(dict.fromkeys(part.device for part in parts if part.device)),
        damaged_shards=sum(part.damaged_shards for part in parts),
        notes=tuple(note for part in parts for note in part.notes),
    )
