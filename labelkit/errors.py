"""What can go wrong, in one tree.

LabelkitError
├── InputError      a file or value given by the user is wrong: says where and what to do
├── NotReady        an earlier step is missing: names it
├── AlreadyFrozen   a frozen release never changes
├── Conflict        someone else changed it first: says what to reload
├── NotAllowed      this person's roles do not allow it
├── EndpointError   the server of a language model refused or failed: says how and what to do
└── CandidateError  one candidate failed: names it; the run goes on

Anything else that is raised is a bug and surfaces as one.
"""

from __future__ import annotations

from pathlib import Path


class LabelkitError(Exception):
    """Base of every error that labelkit raises on purpose; its text is meant for the user."""


class InputError(LabelkitError):
    """Bad input: what was wrong, where (file, line, column or id) and what to do."""

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        self.message, self.file, self.line, self.column = message, file, line, column
        place = [str(file)] if file is not None else []
        place += [f"line {line}"] if line is not None else []
        place += [f"column {column!r}"] if column is not None else []
        super().__init__(f"{', '.join(place)}: {message}" if place else message)


class NotReady(LabelkitError):
    """Something has to be done first; the text names it."""


class AlreadyFrozen(LabelkitError):
    """A release, once frozen, is never changed."""


class Conflict(LabelkitError):
    """The thing was changed or taken by someone else in the meantime."""


class NotAllowed(LabelkitError):
    """The person's roles do not allow this."""


class EndpointError(LabelkitError):
    """A language model's server refused, failed or did not answer.

    `paid` says that the request may have been charged, `again` that sending it again may help,
    `after` how many seconds the server asked to wait, and `stops` that no other request to this
    server will fare better.
    """

    def __init__(
        self,
        message: str,
        *,
        paid: bool = False,
        again: bool = False,
        stops: bool = False,
        after: float | None = None,
    ) -> None:
        self.paid, self.again, self.stops, self.after = paid, again, stops, after
        super().__init__(message)


class CandidateError(LabelkitError):
    """A benchmark candidate failed; the others go on."""

    def __init__(self, candidate: str, message: str) -> None:
        self.candidate, self.message = candidate, message
        super().__init__(f"candidate {candidate!r}: {message}")

    def __reduce__(self) -> tuple[type[CandidateError], tuple[str, str]]:
        """How it comes back from another process."""
        return CandidateError, (self.candidate, self.message)
