"""One verb for every candidate: documents and queries in, ranked documents out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from labelkit.errors import InputError
from labelkit.model import Document, Query
from labelkit.retrieval import composed, dense, lexical, outside
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import refuse_duplicates
from labelkit.retrieval.embed import Progress, silent
from labelkit.retrieval.engine import Engine, Here
from labelkit.retrieval.request import Request, Retrieval

RETRIEVERS: dict[str, Callable[[Candidate, Request], Retrieval]] = {
    "bm25": lexical.retrieve_lexical,
    "http": outside.retrieve_http,
    "run": outside.retrieve_run,
}
"""Every other kind has vectors, or is made of other candidates."""


def retrieve(
    candidate: Candidate,
    documents: Sequence[Document],
    queries: Sequence[Query],
    depth: int,
    cache_dir: Path,
    progress: Progress = silent,
    engine: Engine | None = None,
) -> Retrieval:
    """Rank the documents for every query and keep the top `depth`.

    What is encoded of a document is its title, a newline and the chunk, unless the candidate
    says otherwise. Vectors are cached under `cache_dir`; those of documents are made by `engine`,
    or in this process. Raises CandidateError when the candidate
    cannot run, InputError for doubled ids or a depth below 1.
    """
    return asked(
        candidate, Request(documents, queries, depth, cache_dir, progress, engine or Here())
    )


def asked(candidate: Candidate, request: Request) -> Retrieval:
    """What `retrieve` gives, for a request that others may have looked at before."""
    if request.depth < 1:
        raise InputError(f"the depth of a retrieval must be at least 1, not {request.depth}")
    refuse_duplicates([query.query_id for query in request.queries])
    return answer(candidate, request)


def answer(candidate: Candidate, request: Request) -> Retrieval:
    """What a candidate of any kind finds."""
    if candidate.kind == "fusion":
        return composed.retrieve_fused(candidate, request, answer)
    if candidate.kind == "rerank":
        return composed.retrieve_reranked(candidate, request, answer)
    return RETRIEVERS.get(candidate.kind, dense.retrieve_dense)(candidate, request)
