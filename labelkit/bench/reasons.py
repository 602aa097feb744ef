"""Where a candidate's own code runs, and why it failed, in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from labelkit.errors import LabelkitError
from labelkit.retrieval import Candidate

FOREIGN = (Exception, SystemExit)
"""What a candidate's code may raise; one that calls sys.exit ends itself and no other."""

Found = TypeVar("Found", covariant=True)


class Failed(Protocol[Found]):
    """Makes a finding of nothing but the reason why there is none."""

    def __call__(self, *, why: str) -> Found:
        """The finding."""


def measured(candidate: Candidate, measure: Callable[[], Found], failed: Failed[Found]) -> Found:
    """What is measured of a candidate, or why nothing is: it is excluded, or its code fails."""
    if candidate.excluded:
        return failed(why=f"{candidate.name}: {candidate.excluded}")
    try:
        return measure()
    except FOREIGN as error:  # the boundary where a candidate, foreign code, runs
        return failed(why=f"{candidate.name}: {reason(candidate, error)}")


def reason(candidate: Candidate, error: BaseException) -> str:
    """An error in words, without the candidate's name; of foreign errors the first line."""
    if isinstance(error, LabelkitError):
        return str(error).removeprefix(f"candidate {candidate.name!r}: ")
    first = (str(error).strip().splitlines() or ["without a message"])[0]
    return f"{type(error).__name__}: {first}"
