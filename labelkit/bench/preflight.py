"""What can be known of a candidate before money or hours are spent on it.

A sample of its texts is encoded and looked at; what would make every figure worthless stops the
candidate with its reason, the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labelkit.bench.preflight_found import Preflight, Side, doubles, gap, norms, spread
from labelkit.bench.preflight_kinds import of_run, of_service, of_stored, reranker
from labelkit.bench.reasons import FOREIGN, reason
from labelkit.errors import CandidateError
from labelkit.model import Document, Query
from labelkit.retrieval import Candidate
from labelkit.retrieval.availability import require_available
from labelkit.retrieval.cache import VectorCache
from labelkit.retrieval.chunking import Picked, keys_of
from labelkit.retrieval.dense import cut_for
from labelkit.retrieval.embed import Progress, first_of_each, silent
from labelkit.retrieval.encoder_endpoint import EndpointEncoder, estimated_tokens
from labelkit.retrieval.encoders import DOCUMENT, QUERY, Encoder, encoder_for
from labelkit.retrieval.lexical import refuse_unknown_language
from labelkit.retrieval.probing import recall
from labelkit.retrieval.request import Request
from labelkit.retrieval.search import Vectors

SAMPLE = 32
"""Chunks that are encoded to be looked at, spread over all lengths; half as many queries."""
COUNTED = 2_000
"""Texts whose tokens are counted, spread over the corpus."""
SAME = {"float32": 1e-3, "bfloat16": 2e-2}
"""How far two vectors of one text, of length 1, may be apart in one place."""
ENDPOINT_SAME = 2e-2
OTHERS: dict[str, Callable[[Candidate, Request], Preflight]] = {
    "http": of_service,
    "run": of_run,
    "vectors": of_stored,
}
EMBEDS = ("static", "encoder", "endpoint", "function", "random")


def preflight(
    candidate: Candidate,
    documents: Sequence[Document],
    queries: Sequence[Query],
    cache_dir: Path,
    progress: Progress = silent,
) -> Preflight:
    """Look at a candidate and at a sample of what it does.

    What labelkit knows to be wrong is among the problems; an error of the candidate's own code
    is raised.
    """
    return looked_at(candidate, Request(documents, queries, 1, cache_dir, progress))


def looked_at(candidate: Candidate, request: Request) -> Preflight:
    """What `preflight` gives, for a request that will be run after it."""
    request.progress(0, 1, f"{candidate.name}: looking before it runs")
    if candidate.excluded:
        return Preflight(candidate.name, notes=(f"not run: {candidate.excluded}",))
    try:
        require_available(candidate)
        return _looked_at(candidate, replace(request, depth=1, progress=silent))
    except CandidateError as error:
        return Preflight(candidate.name, problems=(reason(candidate, error),))


def preflight_all(
    candidates: Sequence[Candidate],
    documents: Sequence[Document],
    queries: Sequence[Query],
    cache_dir: Path,
    progress: Progress = silent,
) -> list[Preflight]:
    """Look at every candidate; one whose own code fails has that as its problem."""
    found, request = [], Request(documents, queries, 1, cache_dir, progress)
    for candidate in candidates:
        try:
            found.append(looked_at(candidate, request))
        except FOREIGN as error:  # the boundary where a candidate, foreign code, runs
            found.append(Preflight(candidate.name, problems=(reason(candidate, error),)))
    progress(1, 1, "looked at every candidate")
    return found


def has_work(candidate: Candidate, request: Request) -> bool:
    """Whether running the candidate would encode or rerank anything, ask a service, or search
    vectors that nobody has looked at."""
    if candidate.kind == "rerank":
        return True
    if candidate.parts:
        return any(has_work(part, request) for part in candidate.parts)
    if candidate.kind not in EMBEDS:
        return candidate.kind in ("http", "vectors")
    encoder = _encoder(candidate, request)
    texts = cut_for(candidate, request).texts, list(request.texts(candidate.turns).values())
    return any(
        _missing(encoder, side, of_side, request)
        for side, of_side in zip((DOCUMENT, QUERY), texts, strict=True)
    )


def _encoder(candidate: Candidate, request: Request) -> Encoder:
    encoder = encoder_for(candidate)
    if isinstance(encoder, EndpointEncoder):
        recall(encoder, request.cache_dir)
    return encoder


def _looked_at(candidate: Candidate, request: Request) -> Preflight:
    if candidate.parts:
        return _of_parts(candidate, request)
    if candidate.kind in OTHERS:
        return OTHERS[candidate.kind](candidate, request)
    if candidate.kind not in EMBEDS:
        refuse_unknown_language(candidate)
        return Preflight(candidate.name, notes=("encodes nothing",))
    return _of_encoder(candidate, _encoder(candidate, request), request)


def _of_parts(candidate: Candidate, request: Request) -> Preflight:
    """The findings about the parts, and about the reranker, their estimates added up."""
    parts = [_looked_at(part, request) for part in candidate.parts]
    own = [reranker(candidate, request)] if candidate.kind == "rerank" else []
    return Preflight(
        candidate.name,
        problems=_said(parts, "problems") + _said(own, "problems", named=False),
        notes=_said(parts, "notes") + _said(own, "notes", named=False),
        seconds=sum(one.seconds or 0.0 for one in [*parts, *own]),
        cost=sum(part.cost or 0.0 for part in parts) or None,
        memory_bytes=sum(part.memory_bytes or 0 for part in parts),
        disk_bytes=sum(part.disk_bytes or 0 for part in parts),
    )


def _said(found: Sequence[Preflight], field: str, *, named: bool = True) -> tuple[str, ...]:
    return tuple(
        f"{one.candidate}: {word}" if named else word
        for one in found
        for word in getattr(one, field)
    )


def _of_encoder(candidate: Candidate, encoder: Encoder, request: Request) -> Preflight:
    chunks = cut_for(candidate, request).texts
    asked = list(request.texts(candidate.turns).values())
    sample = spread(chunks, SAMPLE)
    words = [text for text in sample if text.strip()]
    encoder.encode(words[:1], DOCUMENT) if words else None  # loads the model
    started = time.perf_counter()
    vectors = _encoded(encoder, sample, DOCUMENT)
    rate = sum(map(len, sample)) / max(1e-9, time.perf_counter() - started)
    of_queries = spread(asked, SAMPLE // 2)
    query_vectors = _encoded(encoder, of_queries, QUERY)
    missing = [_missing(encoder, side, texts, request) for side, texts in _sides(chunks, asked)]
    found = Preflight(
        candidate.name,
        documents=_side(encoder, DOCUMENT, chunks, missing[0]),
        queries=_side(encoder, QUERY, asked, missing[1]),
        dimensions=int(vectors.shape[1]),
        dtype=str(encoder.describe(DOCUMENT).get("dtype", vectors.dtype)),
        zero_vectors=int((~vectors.any(axis=1)).sum()),
        duplicate_vectors=doubles(sample, vectors),
        norms=norms(vectors),
        order_gap=_order_gap(encoder, words[:3]),
        batch_gap=_batch_gap(encoder, words[:8]),
        **_truncated(encoder, chunks),
        **_estimates(candidate, vectors, len(chunks), missing, rate),
    )
    problems = (
        *_problems(candidate, encoder, found, vectors, sample),
        *_query_problems(of_queries, query_vectors, found.dimensions or 0),
    )
    return replace(found, problems=problems)


def _encoded(encoder: Encoder, texts: list[str], side: str) -> Vectors:
    return encoder.encode(texts, side) if texts else np.zeros((0, 1), np.float32)


def _sides(chunks: Sequence[str], asked: Sequence[str]) -> tuple[tuple[str, Sequence[str]], ...]:
    return (DOCUMENT, chunks), (QUERY, asked)


def _missing(encoder: Encoder, side: str, texts: Sequence[str], request: Request) -> Picked:
    """The distinct texts whose vectors are not in the cache."""
    keys = keys_of(texts)
    cache = VectorCache(request.cache_dir, encoder.describe(side))
    return Picked(texts, first_of_each(keys, cache.find(keys) < 0))


def _side(encoder: Encoder, side: str, texts: Sequence[str], missing: Sequence[str]) -> Side:
    prompt = str(encoder.describe(side).get("prompt", ""))
    empty = sum(not text.strip() for text in texts)
    return Side(prompt, len(texts), empty, len(missing))


def _order_gap(encoder: Encoder, texts: list[str]) -> float | None:
    """Three texts one by one, and as a batch in both orders: the same vectors?"""
    if len(texts) < 2:
        return None
    alone = _joined(encoder, [encoder.encode([text], DOCUMENT) for text in texts])
    forth, back = encoder.encode(texts, DOCUMENT), encoder.encode(texts[::-1], DOCUMENT)[::-1]
    _joined(encoder, [alone, forth, back])
    moved = gap(alone, forth), gap(alone, back)
    return None if None in moved else max(one for one in moved if one is not None)


def _batch_gap(encoder: Encoder, texts: list[str]) -> float | None:
    """All texts as one batch, and in batches of half the size: the same vectors?"""
    if len(texts) < 2:
        return None
    half = len(texts) // 2
    parts = [encoder.encode(part, DOCUMENT) for part in (texts[:half], texts[half:])]
    whole = encoder.encode(texts, DOCUMENT)
    _joined(encoder, [whole, *parts])
    return gap(whole, np.concatenate(parts))


def _joined(encoder: Encoder, parts: Sequence[Vectors]) -> Vectors:
    """The vectors of several calls in one array; raises CandidateError where widths differ."""
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1:
        raise CandidateError(
            encoder.name,
            f"gives vectors of {widths[0]} dimensions and of {widths[1]}; all need the same",
        )
    return np.concatenate(parts)


def _truncated(encoder: Encoder, chunks: Sequence[str]) -> dict[str, Any]:
    """The share of counted chunks longer than the model reads, and of their tokens lost."""
    limit = encoder.token_limit()
    if limit is None or not chunks:
        return {"truncated_share": None, "lost_token_share": None}
    counted = [chunks[place] for place in range(0, len(chunks), -(-len(chunks) // COUNTED))]
    tokens = encoder.count_tokens(counted, DOCUMENT).astype(np.int64)
    lost = np.maximum(tokens - limit, 0)
    return {
        "truncated_share": float((lost > 0).mean()),
        "lost_token_share": float(lost.sum() / max(1, tokens.sum())),
    }


def _estimates(
    candidate: Candidate, vectors: Vectors, chunks: int, missing: list[Picked], rate: float
) -> dict[str, Any]:
    """Time, cost, memory and disk for what is not in the cache; `rate` is characters a second."""
    price = candidate.about.price
    tokens = sum(estimated_tokens(text) for side in missing for text in side)
    characters = sum(len(text) for side in missing for text in side)
    width = vectors.shape[1] * vectors.dtype.itemsize
    return {
        "seconds": characters / rate if rate > 0 else None,
        "cost": None if price is None else tokens * price / 1e6,
        "memory_bytes": int(1.2 * chunks * width),
        "disk_bytes": sum(map(len, missing)) * width,
    }


def _query_problems(texts: Sequence[str], vectors: Vectors, width: int) -> Iterator[str]:
    """What is wrong with the vectors of the queries, where those of documents may be sound."""
    if texts and vectors.shape[1] != width:
        yield f"gives documents {width} dimensions and queries {vectors.shape[1]}"
    if not np.isfinite(vectors).all():
        yield "gives NaN or infinity for a query"
    if any(text.strip() for text in texts) and not vectors.any():
        yield "gives vectors of zeros for every query"
    same = doubles(texts, vectors)
    if same > len(texts) // 2:
        yield f"gives the same vector for different queries ({same} of {len(texts)})"


def _problems(
    candidate: Candidate, encoder: Encoder, found: Preflight, vectors: Vectors, texts: Sequence[str]
) -> tuple[str, ...]:
    """What makes every figure of this candidate worthless."""
    same = ENDPOINT_SAME if isinstance(encoder, EndpointEncoder) else SAME[candidate.encode_dtype]
    words = [bool(text.strip()) for text in texts]
    empty = sum(filled and not vector.any() for filled, vector in zip(words, vectors, strict=True))
    width = found.dimensions or 0
    checks = (
        (not np.isfinite(vectors).all(), "gives NaN or infinity"),
        (0 < empty == sum(words), "gives vectors of zeros for every text"),
        (
            found.duplicate_vectors > len(texts) // 2,
            f"gives the same vector for different texts ({found.duplicate_vectors} of "
            f"{len(texts)}): does it read them?",
        ),
        (
            candidate.dimensions is not None and candidate.dimensions > width,
            f"asks for {candidate.dimensions} dimensions; the model has {width}",
        ),
        (
            (found.order_gap or 0.0) > same,
            "gives a text another vector in another order: are answers mixed up?",
        ),
        ((found.batch_gap or 0.0) > same, "gives a text another vector in another batch"),
    )
    return tuple(word for wrong, word in checks if wrong)
