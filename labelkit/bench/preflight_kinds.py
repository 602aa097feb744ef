"""What a preflight looks at in candidates that encode nothing: files, services, rerankers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labelkit.bench.preflight_found import Preflight, norms, spread
from labelkit.retrieval import Candidate
from labelkit.retrieval.chunking import encoded_text
from labelkit.retrieval.dense import cut_for
from labelkit.retrieval.http_search import HttpSearch
from labelkit.retrieval.lazy_vectors import blocks
from labelkit.retrieval.outside import retrieve_run
from labelkit.retrieval.request import Request
from labelkit.retrieval.reranking import refuse_wrong_scores, scorer_for
from labelkit.retrieval.stored_vectors import given_embeddings
from labelkit.wording import counted

PAIRS = 16
"""Texts that a reranker scores to be looked at."""
SAME_SCORE = 1e-2
"""How far the score of a pair may move, in standard deviations of the sample's scores."""


def of_run(candidate: Candidate, request: Request) -> Preflight:
    """Read the run as the benchmark will, and count the queries that it holds."""
    found = retrieve_run(candidate, request)
    empty = sum(not hits for hits in found.hits.values())
    notes = (f"holds no document for {empty} of {len(found.hits)} queries",) if empty else ()
    return Preflight(candidate.name, notes=(*found.notes, *notes))


def of_service(candidate: Candidate, request: Request) -> Preflight:
    """One query, to see whether the service answers in the way that the candidate says."""
    started = time.perf_counter()
    texts = list(request.texts(candidate.turns).values())
    with HttpSearch(candidate) as service:
        found = [len(service.search(text, 10)) for text in texts[:1]]
    return Preflight(
        candidate.name,
        notes=tuple(f"the first query found {counted(n, 'document')}" for n in found),
        seconds=(time.perf_counter() - started) * len(texts),
    )


def of_stored(candidate: Candidate, request: Request) -> Preflight:
    """Read every stored vector of the documents once."""
    chunks = cut_for(candidate, request)
    asked = [query.query_id for query in request.queries]
    documents, queries, _ = given_embeddings(candidate, list(chunks.doc_ids), asked)
    zeros, held, lengths = 0, set[int](), list[float]()
    for _, block in blocks(documents.vectors):
        zeros += int((~block.any(axis=1)).sum())
        lengths += norms(block) or ()
        held |= {hash(vector.tobytes()) for vector in block if vector.any()}
    filled = len(chunks) - zeros
    width = documents.vectors.shape[1]
    found = Preflight(
        candidate.name,
        dimensions=width,
        dtype="float32",
        norms=(min(lengths), max(lengths)) if lengths else None,
        zero_vectors=zeros,
        duplicate_vectors=filled - len(held),
        seconds=0.0,
        memory_bytes=int(1.2 * len(chunks) * width * 4),
    )
    return replace(found, problems=_wrong_vectors(candidate, found, len(chunks), queries.vectors))


def _wrong_vectors(
    candidate: Candidate, found: Preflight, rows: int, queries: Any
) -> tuple[str, ...]:
    width = found.dimensions or 0
    asked = np.asarray(queries)
    checks = (
        (rows > 0 and found.zero_vectors == rows, "holds vectors of zeros for every document"),
        (len(asked) > 0 and not asked.any(), "holds vectors of zeros for every query"),
        (
            rows > 1 and found.duplicate_vectors > rows // 2,
            f"holds the same vector for different documents ({found.duplicate_vectors} of {rows})",
        ),
        (
            candidate.dimensions is not None and candidate.dimensions > width,
            f"asks for {candidate.dimensions} dimensions; the vectors have {width}",
        ),
    )
    return tuple(word for wrong, word in checks if wrong)


def reranker(candidate: Candidate, request: Request) -> Preflight:
    """Score the first query with a few documents in both orders; the estimate is for all."""
    score, _ = scorer_for(candidate)
    asked = list(request.texts(candidate.turns).values())
    texts = [encoded_text(one, 0, len(one.text)) for one in request.documents]
    sample = [text for text in spread(texts, PAIRS) if text.strip()]
    if not asked or not sample:
        return Preflight(candidate.name)
    _scores(candidate, score(asked[0], sample[:1]), 1)  # loads the model
    started = time.perf_counter()
    forth = _scores(candidate, score(asked[0], sample), len(sample))
    each = (time.perf_counter() - started) / len(sample)
    back = _scores(candidate, score(asked[0], sample[::-1]), len(sample))[::-1]
    depth = min(candidate.rerank_depth, len(request.documents))
    pairs = len(asked) * depth
    moved = np.abs(forth - back).max() > SAME_SCORE * max(float(forth.std()), 1e-6)
    same = len(sample) > 1 and len(set(forth.tolist())) == 1
    return Preflight(
        candidate.name,
        problems=("gives a pair another score in another order",) if moved else (),
        notes=(
            f"scores {counted(pairs, 'pair')}: {counted(depth, 'document')} for each of "
            f"{counted(len(asked), 'query')}",
            *(("gives every document of the sample the same score",) if same else ()),
        ),
        seconds=each * pairs,
    )


def _scores(candidate: Candidate, given: Sequence[float], count: int) -> Any:
    scores = np.asarray(given, dtype=np.float64).reshape(-1)
    refuse_wrong_scores(candidate, scores, count)
    return scores
