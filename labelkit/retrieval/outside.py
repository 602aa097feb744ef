"""Candidates that rank outside of labelkit: a live service, and a run made elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from labelkit.errors import CandidateError, InputError
from labelkit.formats import trec
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.http_search import HttpSearch, described
from labelkit.retrieval.request import Request, Retrieval, describe
from labelkit.retrieval.search import Hit
from labelkit.retrieval.weights import file_sha256
from labelkit.wording import counted


def retrieve_http(candidate: Candidate, request: Request) -> Retrieval:
    """Ask a live service once per query; its whole answer time counts as search."""
    texts = request.texts(candidate.turns)
    hits, times = {}, []
    with HttpSearch(candidate) as service:
        for done, (query_id, text) in enumerate(texts.items(), start=1):
            start = time.perf_counter()
            hits[query_id] = service.search(text, request.depth)
            times.append(time.perf_counter() - start)
            request.progress(done, len(texts), "searching")
        about = described(service.http)
    return Retrieval(
        candidate=candidate,
        depth=request.depth,
        hits=hits,
        encode_ms=np.zeros(len(texts)),
        search_ms=1000 * np.array(times, dtype=np.float64),
        description=describe(candidate, about),
        notes=strangers(hits, request),
    )


def retrieve_run(candidate: Candidate, request: Request) -> Retrieval:
    """Read a TREC run; queries that it does not hold have no hits, nothing was timed."""
    path = Path(candidate.run_file)
    try:
        run = trec.read_run(path)
    except InputError as error:
        raise CandidateError(candidate.name, str(error)) from error
    wanted = [query.query_id for query in request.queries]
    if wanted and not run.keys() & set(wanted):
        raise CandidateError(
            candidate.name,
            f"{path} holds none of the release's queries; it has {next(iter(run))!r}, "
            f"the release {wanted[0]!r}",
        )
    hits = {query_id: ranked(run.get(query_id, {}), request.depth) for query_id in wanted}
    untimed = np.full(len(wanted), np.nan)
    return Retrieval(
        candidate=candidate,
        depth=request.depth,
        hits=hits,
        encode_ms=untimed,
        search_ms=untimed,
        description=describe(candidate, {"run_sha256": file_sha256(path)}),
        notes=strangers(hits, request),
    )


def ranked(scores: Mapping[str, float], depth: int) -> list[Hit]:
    """The top `depth` documents in trec_eval's order; offsets are not known."""
    order = sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id.encode()), reverse=True)
    return [Hit(doc_id, scores[doc_id], 0, 0) for doc_id in order[:depth]]


def strangers(hits: Mapping[str, list[Hit]], request: Request) -> tuple[str, ...]:
    """A note where documents were found that the release does not hold."""
    known = {document.doc_id for document in request.documents}
    found = {hit.doc_id for one in hits.values() for hit in one} - known
    if not found:
        return ()
    return (
        f"found {counted(len(found), 'document')} outside the release, such as {min(found)!r}: "
        "they count as unjudged. Does it search another corpus, or name documents otherwise?",
    )
