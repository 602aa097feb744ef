"""Search and support logs: read row by row, kept verbatim, grouped for counting only."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    forms: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    sessions: set[str] = field(default_factory=set)
    times: list[str] = field(default_factory=list)
    clicks: Counter[str] = field(default_factory=Counter)
    filters: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)


def log_columns(
    file: str, data: bytes, options: ReadOptions = columns.AS_DETECTED
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The columns of a log, and how they are read if nobody says otherwise."""
    table = columns.read(file, data, options)
    return table.columns, columns.match(NAMES, table.columns)


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
    table = columns.read(file, data, options)
    headers = columns.match(NAMES, table.columns) if headers is None else headers
    columns.require(table, NAMES, headers, "text")
    counted: dict[str, _Counted] = {}
    problems, empty = list(table.problems), 0
    for row in table.rows:
        try:
            empty += not _count(row, headers, counted)
        except Unreadable as error:
            problems.append(Problem(row.line, error.column, error.message))
    groups = sorted((_group(*one) for one in counted.items()), key=lambda g: (-g.count, g.key))
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
    beside = {name: columns.text(row.values, headers, name) for name in ("session", "time")}
    filters = _filters(row.values, headers)
    language = columns.text(row.values, headers, "language")
    key = normalised(said)
    if not key:
        return False
    one = counted.setdefault(key, _Counted())
    one.rows += 1
    one.forms[said] += number
    one.clicks.update(dict.fromkeys(clicked, number))
    one.sessions |= {beside["session"]} - {""}
    one.times += filter(None, [beside["time"]])
    one.filters.update({filters: number} if filters else {})
    one.languages.update({language: number} if language else {})
    return True


def _filters(values: Mapping[str, object], headers: Headers) -> str:
    """Filters as they stand; a JSON value in one form, so that it can be counted."""
    value = values.get(headers["filters"]) if "filters" in headers else None
    if isinstance(value, dict):
        return ", ".join(f"{name}={value[name]}" for name in sorted(value))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return columns.text(values, headers, "filters")


def _group(key: str, one: _Counted) -> Group:
    first, last = _span(one.times)
    return Group(
        key=key,
        text=_commonest(one.forms),
        count=one.forms.total(),
        rows=one.rows,
        forms=dict(sorted(one.forms.items(), key=lambda form: (-form[1], form[0]))),
        sessions=len(one.sessions),
        first=first,
        last=last,
        clicks=dict(sorted(one.clicks.items(), key=lambda click: (-click[1], click[0]))),
        filters=dict(sorted(one.filters.items(), key=lambda each: (-each[1], each[0]))),
        language=_commonest(one.languages) if one.languages else "",
    )


def _commonest(counts: Counter[str]) -> str:
    """What was counted most; among equals the first by its characters, whatever the rows' order."""
    return min(counts, key=lambda text: (-counts[text], text))


def _span(times: Iterable[str]) -> tuple[str, str]:
    """The first and last time, as they stand; empty where they are not written as ISO 8601."""
    read = []
    for given in times:
        try:
            moment = datetime.fromisoformat(given.strip())
        except ValueError:
            continue
        read.append((moment.replace(tzinfo=None), given))
    return (min(read)[1], max(read)[1]) if read else ("", "")
