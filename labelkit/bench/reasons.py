"""Why a candidate failed, in one line."""

from __future__ import annotations

from labelkit.errors import CandidateError
from labelkit.retrieval import Candidate


def reason(candidate: Candidate, error: Exception) -> str:
    """An error in words, without the candidate's name; of foreign errors the first line."""
    if isinstance(error, CandidateError):
        return str(error).removeprefix(f"candidate {candidate.name!r}: ")
    first = (str(error).strip().splitlines() or ["without a message"])[0]
    return f"{type(error).__name__}: {first}"
