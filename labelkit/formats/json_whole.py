"""JSON that is read as a whole: lists of objects, objects of lists, exports of other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labelkit.errors import InputError
from labelkit.formats import encodings, json_lines, tools
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import Problem, Reading, Row, parse_json


def read(source: Source, options: ReadOptions, kind: str = "") -> Reading:
    """A JSON file; one that holds an object a line is read as JSON Lines.

    Raises InputError for what is no JSON, or has a shape in which no rows are seen.
    """
    encoding, known_by = encodings.detect(source, options.encoding)
    text = encodings.decode(source, encoding)
    if not text.strip():
        raise InputError("The file is empty.", file=source.name)
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and options.format is None:
            return json_lines.read(source, options)
        raise InputError(f"not JSON ({error.msg}).", file=source.name, line=error.lineno) from None
    except ValueError as error:
        raise InputError(f"not JSON ({error}).", file=source.name) from None
    shape, found = _rows(source.name, value, kind)
    how = {"format": f"json, {shape}", "encoding": f"{encoding} ({known_by})"}
    return Reading(source.name, _columns(found), lambda: iter(found), how, unit="entry")


def _columns(rows: Sequence[Row | Problem]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for row in rows if isinstance(row, Row) for key in row.values))


def _rows(file: str, value: Any, kind: str) -> tuple[str, list[Row | Problem]]:
    for shape, recognised, flattened in tools.SHAPES:
        if recognised(value):
            return shape, list(_numbered(flattened(value, kind)))
    if isinstance(value, list):
        return "a list of objects", list(_numbered(value))
    if isinstance(value, dict) and value and all(isinstance(v, list) for v in value.values()):
        return "an object of lists", list(_numbered(_turned(file, value)))
    raise InputError(
        "no rows are seen in it: it should be a list of objects, an object of lists of one "
        "length, or an export of Quepid, OpenSearch or Label Studio.",
        file=file,
    )


def _numbered(entries: Any) -> Iterator[Row | Problem]:
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, dict):
            yield Row(number, entry)
        else:
            yield Problem(number, "", "not a JSON object: write {…} for each entry")


def _turned(file: str, columns: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a table that is given column by column."""
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name!r} {length}" for name, length in lengths.items())
        raise InputError(f"its lists differ in length ({said}).", file=file)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))
