"""Whether a candidate could run here, found out without loading a model or asking a server."""

from __future__ import annotations

from pathlib import Path

from labelkit.errors import CandidateError, InputError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.encoders import encoder_for
from labelkit.retrieval.http_search import HttpSearch
from labelkit.retrieval.reranking import scorer_for
from labelkit.retrieval.schemes import loaded


def require_available(candidate: Candidate) -> None:
    """Raise CandidateError when a model, file, function, package or key is missing."""
    for part in candidate.parts:
        require_available(part)
    if candidate.kind == "rerank":
        scorer_for(candidate)
    elif candidate.kind == "http":
        with HttpSearch(candidate):
            pass
    elif candidate.kind in ("static", "encoder", "endpoint", "function"):
        encoder_for(candidate)
    if candidate.chunking.function:
        _require_chunker(candidate)
    for name in (candidate.document_vectors, candidate.query_vectors, candidate.run_file):
        if name and not Path(name).is_file():
            raise CandidateError(candidate.name, f"there is no file {name}")


def _require_chunker(candidate: Candidate) -> None:
    try:
        loaded(candidate.chunking.function)
    except InputError as error:
        raise CandidateError(candidate.name, error.message) from error
