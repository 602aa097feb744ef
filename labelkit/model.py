"""The values that everything else speaks of: plain, frozen, without behaviour of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from labelkit.wording import counted

LEVELS: tuple[int, int, int] = (0, 1, 2)
"""The levels of a judgment in ascending order; the domain of ordinal agreement."""


QUERY_TYPES: Mapping[str, str] = {
    "keyword": "words without a sentence",
    "question": "asks something in so many words",
    "statement": "a sentence that is no question, such as a problem told",
    "navigational": "asks for a place, such as a page to log in",
    "error-code": "holds an error's name or number",
    "follow-up": "leans on an earlier turn",
    "date-bound": "asks for a time: it tests a filter rather than an encoder",
}
"""Each type with what it means. A query can have several."""


class QuerySource(StrEnum):
    """Where a query came from."""

    LOG = "log"
    CONVERSATION = "conversation"
    SYNTHETIC = "synthetic"
    MANUAL = "manual"
    FAILURE = "failure"


class QueryState(StrEnum):
    """Where a query stands; nothing is ever deleted."""

    DRAFT = "draft"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETIRED = "retired"


class Cause(StrEnum):
    """Why a pair cannot be judged; never a level of 0."""

    QUERY_UNCLEAR = "query_unclear"
    DOCUMENT_UNREADABLE = "document_unreadable"
    NEEDS_EXPERT = "needs_expert"
    RUBRIC_GAP = "rubric_gap"


class Role(StrEnum):
    """What a person may do."""

    RATER = "rater"
    LEAD = "lead"
    REVIEWER = "reviewer"


@dataclass(frozen=True, slots=True)
class Document:
    """One source document; judgments point to its `doc_id`, offsets to characters of `text`."""

    doc_id: str
    title: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text_sha256(self) -> str:
        """SHA-256 of title and text, the part of a document that a rater reads."""
        return hashlib.sha256(f"{self.title}\n{self.text}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier turn of a conversation."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """What a user typed, verbatim, with where it came from and what was needed.

    `types` say what kind of query it is, by "rule" or by a "person" (`types_by`).
    `rewritten_text` is a follow-up put so that it stands without its turns, and `rewritten_by`
    names who or what did that; `text` stays what the user typed.
    """

    query_id: str
    text: str
    source: QuerySource
    state: QueryState = QueryState.ACCEPTED
    turns: tuple[Turn, ...] = ()
    information_need: str = ""
    tags: tuple[str, ...] = ()
    language: str = ""
    source_doc_id: str | None = None
    drafted_text: str | None = None
    note: str = ""
    provenance: str = ""
    types: tuple[str, ...] = ()
    types_by: str = ""
    rewritten_text: str | None = None
    rewritten_by: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Evidence: characters `[start, end)` of a document's text, with the quote that stood there."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One rater's event on one pair: a level or a cause, with its reason.

    `kind` is "judgment", "correction" (supersedes an earlier event of the same rater) or
    "withdrawal" (an undo). `round` says which pass it belongs to: "first", "second" or "check".
    """

    judgment_id: int
    query_id: str
    doc_id: str
    person_id: str
    rubric_version: int
    level: int | None
    cause: Cause | None
    reason: str
    evidence: tuple[Span, ...] = ()
    kind: str = "judgment"
    round: str = "first"
    provenance: str = ""
    active_seconds: float | None = None
    created_at: str = ""
    supersedes: int | None = None
    reason_reused: bool = False


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A lead's final level for a pair on which humans differ."""

    query_id: str
    doc_id: str
    person_id: str
    level: int
    reason: str
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who works in the project."""

    person_id: str
    name: str
    roles: tuple[Role, ...]
    active: bool = True


DEMO = "demo"
"""The provenance of labels that were written for the demo."""

UNREVIEWED = "accepted unreviewed"
"""Ends the provenance of a query that a lead accepted without anybody reading the draft."""


def demo_labels(provenances: Iterable[str]) -> list[str]:
    """The sentence that goes with every figure from demo labels; empty where there are none."""
    number = sum(provenance == DEMO for provenance in provenances)
    if not number:
        return []
    return [
        f"{counted(number, 'judgment is a demo label', 'judgments are demo labels')}, written by "
        "labelkit's authors (a language model) and not by domain experts."
    ]
