"""Rows from CSV, TSV, JSON Lines and TREC qrels, each with the line on which it stands."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from labelkit.errors import InputError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
LONGEST_FIELD = 1 << 27
ASCII_SPACE = re.compile(r"[ \t\r\f\v]+")
QRELS_COLUMNS = ("query_id", "iteration", "doc_id", "level")
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
        return data.decode().removeprefix("\ufeff")
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
                problems += [
                    Problem(start, column, NOT_STORED_SAYS)
                    for column, value in rows[-1].values.items()
                    if "\0" in value
                ]
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
            values = parse_json(line)
        except ValueError as error:
            problems.append(Problem(number, "", f"not JSON ({error}): one object a line"))
            continue
        if not isinstance(values, dict):
            problems.append(Problem(number, "", "not a JSON object: write {…} on each line"))
            continue
        columns.update(dict.fromkeys(values))
        rows.append(Row(number, values))
    return Table(file, tuple(columns), tuple(rows), tuple(problems))


def parse_json(text: str) -> Any:
    """JSON as its standard has it: no NaN, no number beyond a float, no key twice.

    Raises ValueError for anything else, and for text that cannot be stored as UTF-8.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            object_pairs_hook=_distinct_keys,
        )
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


def read_qrels_table(file: str, data: bytes) -> Table:
    """TREC qrels as a table: four columns, ASCII spaces between them, ids kept exactly.

    Raises InputError for an empty file, or bytes that are not UTF-8.
    """
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(decode(file, data).split("\n"), 1):
        fields = [field for field in ASCII_SPACE.split(line) if field]
        if len(fields) == len(QRELS_COLUMNS):
            rows.append(Row(number, dict(zip(QRELS_COLUMNS, fields, strict=True))))
        elif fields:
            problems.append(
                Problem(
                    number,
                    "",
                    f"{len(fields)} fields where TREC qrels have four: query id, 0, document "
                    "id, level",
                )
            )
    if not rows and not problems:
        raise InputError("The file is empty.", file=file)
    return Table(file, QRELS_COLUMNS, tuple(rows), tuple(problems))
