"""Rows of any file, each with where it stands; the shape that every reader gives."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

NOT_STORED = re.compile("[\0\ud800-\udfff]")
NOT_STORED_SAYS = "holds a NUL or half a character (such as \\ud800), which cannot be stored"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line on which it starts (from 1) and its values by column."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one row."""

    line: int
    column: str
    message: str


@dataclass(frozen=True, slots=True)
class Table:
    """The columns in the file's order, the rows that could be read, and those that could not.

    `how` says in words how the file was read (format, encoding, delimiter …), `unit` what
    `line` counts, `notes` what is worth a look.
    """

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    how: Mapping[str, str] = field(default_factory=dict)
    unit: str = "line"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that is ready to be read row by row; `rows` begins anew at each call."""

    file: str
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row | Problem]]
    how: Mapping[str, str] = field(default_factory=dict)
    unit: str = "line"
    notes: tuple[str, ...] = ()

    def table(self, most: int | None = None) -> Table:
        """All rows in memory, or the first `most`."""
        rows: list[Row] = []
        problems: list[Problem] = []
        for number, one in enumerate(self.rows()):
            if number == most:
                break
            if isinstance(one, Row):
                rows.append(one)
            else:
                problems.append(one)
        columns = self.columns or tuple(dict.fromkeys(key for row in rows for key in row.values))
        return Table(
            self.file, columns, tuple(rows), tuple(problems), self.how, self.unit, self.notes
        )


def read_table(file: str, data: bytes) -> Table:
    """Read a whole file that is in memory, whatever its format.

    Raises InputError for an unknown format, an empty file, or bytes in no known encoding.
    """
    from labelkit.formats import reading, source  # which are built on this module

    return reading.open_source(source.from_bytes(file, data)).table()


def parse_json(text: str) -> Any:
    """JSON as its standard has it: no NaN, no number beyond a float, no key twice.

    Raises ValueError for anything else, and for text that cannot be stored as UTF-8.
    """
    try:
        value = STRICT.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if "\\u" in text and _not_stored(value):
        raise ValueError(f"it {NOT_STORED_SAYS}")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {doubled!r} stands twice")
    return found


def _not_stored(value: Any) -> bool:
    """Whether any text in the value cannot be stored."""
    if isinstance(value, str):
        return NOT_STORED.search(value) is not None
    if isinstance(value, dict):
        return any(map(_not_stored, [*value, *value.values()]))
    return isinstance(value, list) and any(map(_not_stored, value))


STRICT = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_distinct_keys
)
"""Made once: a million lines go through it."""
