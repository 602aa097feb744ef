"""Rows from CSV, TSV and JSON Lines, each with the line on which it stands."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from labelkit.errors import InputError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
LONGEST_FIELD = 1 << 27


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
    """The columns in the file's order, the rows that could be read, and those that could not."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]


def read_table(file: str, data: bytes) -> Table:
    """Read a table by its file name's ending: .csv, .tsv or .jsonl.

    Raises InputError for another ending, an empty file, or bytes that are not UTF-8.
    """
    suffix = PurePath(file).suffix.lower()
    if suffix not in DELIMITERS and suffix not in JSON_LINES:
        raise InputError(f"{suffix or 'no'} ending: use a .csv, .tsv or .jsonl file.", file=file)
    text = decode(file, data)
    if not text.strip():
        raise InputError("The file is empty.", file=file)
    if suffix in JSON_LINES:
        return _read_json_lines(file, text)
    return _read_delimited(file, text, DELIMITERS[suffix])


def decode(file: str, data: bytes) -> str:
    """UTF-8 text, a byte order mark taken off; refuses other bytes with their place."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8: save the file as "
            "UTF-8 and import it again.",
            file=file,
            line=line,
        ) from None


def _read_delimited(file: str, text: str, delimiter: str) -> Table:
    csv.field_size_limit(LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    problems: list[Problem] = []
    columns: tuple[str, ...] = ()
    start = 1
    try:
        for values in reader:
            if not columns:
                columns = _header(file, values)
            elif len(values) == len(columns):
                rows.append(Row(start, dict(zip(columns, values, strict=True))))
            elif values:
                problems.append(_wrong_width(start, len(values), len(columns)))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{error}: a quote may be missing.", file=file, line=start) from None
    return Table(file, columns, tuple(rows), tuple(problems))


def _wrong_width(line: int, found: int, wanted: int) -> Problem:
    return Problem(
        line, "", f"{found} fields where the header has {wanted}: quote fields with commas."
    )


def _header(file: str, values: list[str]) -> tuple[str, ...]:
    columns = tuple(value.strip() for value in values)
    doubled = {column for column in columns if columns.count(column) > 1}
    if doubled:
        raise InputError(f"the column {min(doubled)!r} stands twice in the header", file=file)
    return columns


def _read_json_lines(file: str, text: str) -> Table:
    rows: list[Row] = []
    problems: list[Problem] = []
    columns: dict[str, None] = {}
    # Not str.splitlines: it also splits at U+2028 and its like, which may stand in a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except ValueError as error:
            problems.append(Problem(number, "", f"not JSON ({error}): one object a line"))
            continue
        if not isinstance(values, dict):
            problems.append(Problem(number, "", "not a JSON object: write {…} on each line"))
            continue
        columns.update(dict.fromkeys(values))
        rows.append(Row(number, values))
    return Table(file, tuple(columns), tuple(rows), tuple(problems))
