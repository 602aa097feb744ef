"""Search and support logs: read row by row, kept verbatim, grouped for counting only."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from labelkit.errors import InputError
from labelkit.formats.options import ReadOptions
from labelkit.formats.tables import Problem, Row
from labelkit.intake import columns
from labelkit.intake.columns import Headers, Unreadable
from labelkit.intake.normal import normalised

NAMES: columns.Names = {
    "text": ("text", "query", "search", "search_term", "search_query", "keywords", "question", "q"),
    "count": ("count", "frequency", "freq", "searches", "n", "times"),
    "clicked": ("clicked", "clicked_doc_id", "clicked_document", "clicked_id", "click", "doc_id"),
    "session": ("session", "session_id", "visit", "visit_id"),
    "time": ("time", "timestamp", "date", "datetime", "searched_at", "created_at"),
    "filters": ("filters", "filter", "facets", "facet"),
    "language": ("language", "lang", "locale"),
}
"""What we call a column of a log, and the headers that are read as it, whatever their case."""


@dataclass(frozen=True, slots=True)
class Group:
    """What was typed in forms that differ only by case, width or white space.

    `text` is the form typed most often, verbatim; `forms` counts each. `clicks` count documents,
    `filters` what was set beside the words. `first` and `last` are times as the file gives them.
    """

    key: str
    text: str
    count: int
    rows: int
    forms: Mapping[str, int]
    sessions: int
    first: str
    last: str
    clicks: Mapping[str, int]
    filters: Mapping[str, int]
    language: str


@dataclass(frozen=True, slots=True)
class QueryLog:
    """A log as it was read: groups by falling count, and what could not be read by line.

    `rows` held a text and `empty` did not; `searches` is the sum of the counts.
    """

    file: str
    sha256: str
    rows: int
    searches: int
    empty: int
    groups: tuple[Group, ...]
    problems: tuple[Problem, ...]
    headers: Headers


@dataclass(slots=True)
class _Counted:
    """What is counted of one form; small, because a log can hold a million of them."""

    forms: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    sessions: set[str] | None = None
    first: tuple[datetime, str] | None = None
    last: tuple[datetime, str] | None = None
    clicks: dict[str, int] = field(default_factory=dict)
    filters: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)


def log_columns(
    file: str, data: bytes, options: ReadOptions = columns.AS_DETECTED
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The columns of a log, and how they are read if nobody says otherwise."""
    found = columns.of(columns.opened(file, data, options))
    return found, columns.match(NAMES, found)


def read_log(
    file: str,
    data: bytes,
    *,
    headers: Headers | None = None,
    options: ReadOptions = columns.AS_DETECTED,
) -> QueryLog:
    """Read a log; nothing is written.

    `headers` maps our names to the file's columns where a person has matched them, `options`
    say how the file is written where that is not to be detected. Raises InputError for a file
    that cannot be read or has no column of texts; a row that cannot be read stands in `problems`.
    """
    opened = columns.opened(file, data, options)
    headers = columns.match(NAMES, columns.of(opened)) if headers is None else headers
    columns.require(opened, NAMES, headers, "text")
    counted: dict[str, _Counted] = {}
    problems, empty = [], 0
    for row in opened.rows():
        try:
            if isinstance(row, Problem):
                problems.append(row)
            else:
                empty += not _count(row, headers, counted)
        except Unreadable as error:
            problems.append(Problem(row.line, error.column, error.message))
    made = (_group(key, counted.pop(key)) for key in list(counted))  # each is let go at once
    groups = sorted(made, key=lambda group: (-group.count, group.key))
    return QueryLog(
        file,
        hashlib.sha256(data).hexdigest(),
        sum(group.rows for group in groups),
        sum(group.count for group in groups),
        empty,
        tuple(groups),
        tuple(sorted(problems, key=lambda one: one.line)),
        headers,
    )


def refuse_unreadable(file: str, problems: Sequence[Problem]) -> None:
    """Raise InputError naming the first rows that could not be read."""
    if not problems:
        return
    shown = "; ".join(
        f"line {one.line}{f', column {one.column!r}' if one.column else ''}: {one.message}"
        for one in problems[:3]
    )
    raise InputError(
        f"{len(problems):,} problems in its rows ({shown}). Mend the file, or say that these rows "
        "are to be left out.",
        file=file,
    )


def _count(row: Row, headers: Headers, counted: dict[str, _Counted]) -> bool:
    """Count one row under the normalised form of its text; False for a row without any."""
    said = columns.text(row.values, headers, "text")
    number = columns.count(row.values, headers, "count")
    clicked = columns.ids(row.values, headers, "clicked")
    session, time, language = (
        columns.text(row.values, headers, name) for name in ("session", "time", "language")
    )
    filters = _filters(row.values, headers)
    key = normalised(said)
    if not key:
        return False
    one = counted.setdefault(key, _Counted())
    one.rows += 1
    _add(one.forms, said, number)
    for doc_id in dict.fromkeys(clicked):
        _add(one.clicks, doc_id, number)
    _add(one.filters, filters, number)
    _add(one.languages, language, number)
    if session:
        one.sessions = one.sessions or set()
        one.sessions.add(session)
    _widen(one, time)
    return True


def _add(counts: dict[str, int], text: str, number: int) -> None:
    if text:
        counts[text] = counts.get(text, 0) + number


def _widen(one: _Counted, time: str) -> None:
    """Take a time into the span, where it is written as ISO 8601."""
    try:
        moment = datetime.fromisoformat(time.strip()).replace(tzinfo=None)
    except ValueError:
        return
    one.first = min(one.first or (moment, time), (moment, time))
    one.last = max(one.last or (moment, time), (moment, time))


def _filters(values: Mapping[str, object], headers: Headers) -> str:
    """Filters as they stand; a JSON value in one form, so that it can be counted."""
    value = values.get(headers["filters"]) if "filters" in headers else None
    if isinstance(value, dict):
        return ", ".join(f"{name}={value[name]}" for name in sorted(value))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return columns.text(values, headers, "filters")


def _group(key: str, one: _Counted) -> Group:
    return Group(
        key=key,
        text=_commonest(one.forms),
        count=sum(one.forms.values()),
        rows=one.rows,
        forms=_falling(one.forms),
        sessions=len(one.sessions or ()),
        first="" if one.first is None else one.first[1],
        last="" if one.last is None else one.last[1],
        clicks=_falling(one.clicks),
        filters=_falling(one.filters),
        language=_commonest(one.languages) if one.languages else "",
    )


def _falling(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _commonest(counts: Mapping[str, int]) -> str:
    """What was counted most; among equals the first by its characters, whatever the rows' order."""
    return min(counts, key=lambda text: (-counts[text], text))
