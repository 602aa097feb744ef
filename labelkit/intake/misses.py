"""Queries that people bring themselves: production misses, pasted or from a file, and by hand."""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.errors import InputError
from labelkit.formats.options import ReadOptions
from labelkit.formats.tables import Problem
from labelkit.intake import columns
from labelkit.intake.columns import Headers, Unreadable
from labelkit.intake.incoming import Incoming, folded, incoming
from labelkit.model import QuerySource

NAMES: columns.Names = {
    "text": ("text", "query", "search", "question"),
    "note": ("note", "comment", "what_went_wrong", "remark", "reason"),
    "link": ("link", "url", "run", "event", "event_id", "ticket", "trace"),
    "expected": ("expected", "expected_doc_id", "doc_id", "document"),
    "language": ("language", "lang"),
}
"""A miss: what was typed, what went wrong, the run or event to look at, the document wanted."""


def pasted(text: str, *, note: str = "", link: str = "", language: str = "") -> list[Incoming]:
    """One miss a line, with the note and the link to the run or event that all of them share.

    Raises InputError where no line holds anything.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines:
        raise InputError("Paste the queries that failed, one a line.")
    return folded(_miss(line, note, link, language) for line in lines)


def read_misses(
    file: str,
    data: bytes,
    *,
    headers: Headers | None = None,
    options: ReadOptions = columns.AS_DETECTED,
) -> tuple[list[Incoming], tuple[Problem, ...]]:
    """The misses of a file, and the rows that could not be read.

    Raises InputError for a file that cannot be read or has no column of texts.
    """
    columns.refuse_larger(file, len(data))
    opened = columns.opened(file, data, options)
    headers = columns.match(NAMES, columns.of(opened)) if headers is None else headers
    columns.require(opened, NAMES, headers, "text")
    found, problems = [], []
    for row in opened.rows():
        if isinstance(row, Problem):
            problems.append(row)
            continue
        try:
            said = {name: columns.text(row.values, headers, name) for name in NAMES}
            if not said["text"].strip():
                raise Unreadable(headers["text"], "the query is empty")
            found.append(
                _miss(said["text"], said["note"], said["link"], said["language"], said["expected"])
            )
        except Unreadable as error:
            problems.append(Problem(row.line, error.column, error.message))
    return folded(found), tuple(sorted(problems, key=lambda one: one.line))


def by_hand(
    text: str, *, need: str = "", language: str = "", types: Sequence[str] | None = None
) -> Incoming:
    """A query that a person writes down; raises InputError where it is empty."""
    if not text.strip():
        raise InputError("The query is empty: write what a user would type.")
    return incoming(
        text.strip(), QuerySource.MANUAL, need=need.strip(), language=language, types=types
    )


def _miss(text: str, note: str, link: str, language: str, expected: str = "") -> Incoming:
    said = {"note": note.strip(), "link": link.strip(), "expected": expected}
    detail = {name: value for name, value in said.items() if value}
    return incoming(text, QuerySource.FAILURE, language=language, detail=detail)
