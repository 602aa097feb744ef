"""Columns of logs, conversations and misses: which header is read as what, and its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from labelkit.errors import InputError
from labelkit.formats import reading
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import from_bytes
from labelkit.formats.tables import Reading, Row, parse_json

Names = Mapping[str, tuple[str, ...]]
Headers = Mapping[str, str]


class Unreadable(ValueError):
    """One value cannot be used; carries the column it stands in."""

    def __init__(self, column: str, message: str) -> None:
        self.column, self.message = column, message
        super().__init__(message)


AS_DETECTED = ReadOptions()

LARGEST = 200_000_000
"""Bytes of a file of conversations or misses: unlike a log, all its turns are held at once."""


def opened(file: str, data: bytes, options: ReadOptions = AS_DETECTED) -> Reading:
    """A file of any kind that labelkit.formats reads, ready to be read row by row.

    Raises InputError for one that cannot be read.
    """
    return reading.open_source(from_bytes(file, data), options)


def refuse_larger(file: str, size: int) -> None:
    """Raise InputError for a file whose turns would not fit into memory beside everything else."""
    if size > LARGEST:
        raise InputError(
            f"{size / 1e6:,.1f} MB: conversations and misses are read up to {LARGEST / 1e6:,.0f} "
            "MB at once; split the file.",
            file=file,
        )


def of(file: Reading) -> tuple[str, ...]:
    """The columns of a file; one that names them row by row is read through for them."""
    if file.columns:
        return file.columns
    rows = (row for row in file.rows() if isinstance(row, Row))
    return tuple(dict.fromkeys(name for row in rows for name in row.values))


def match(names: Names, columns: tuple[str, ...]) -> dict[str, str]:
    """Our name of a column to the file's header, whatever its case, for the headers known."""
    plain = {re.sub(r"[\s-]+", "_", column.strip().casefold()): column for column in columns}
    found: dict[str, str] = {}
    for name, headers in names.items():
        known = [plain[header] for header in headers if header in plain]
        if known and known[0] not in found.values():
            found[name] = known[0]
    return found


def require(table: Reading, names: Names, headers: Headers, *required: str) -> None:
    """Raise InputError where a column is missing that nothing can be read without."""
    for name in required:
        if name not in headers:
            raise InputError(
                f"no column {name!r} (any of {', '.join(names[name])}); the file has "
                f"{', '.join(map(repr, of(table))) or 'none of these'}.",
                file=table.file,
                line=1,
            )


def text(values: Mapping[str, Any], headers: Headers, name: str) -> str:
    """A text exactly as it stands, empty where the column or value is absent."""
    value = values.get(headers[name]) if name in headers else None
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)  # a search for a number, in a file that types its values
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        raise Unreadable(headers[name], f"{value!r} is not text")
    return value


def count(values: Mapping[str, Any], headers: Headers, name: str) -> int:
    """A whole number from 1; 1 where the column or value is absent."""
    value = values.get(headers[name]) if name in headers else None
    if value is None or value == "":
        return 1
    said = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,15}", said.strip()) or not int(said):
        raise Unreadable(headers[name], f"{value!r} is no count: give a whole number from 1")
    return int(said)


def ids(values: Mapping[str, Any], headers: Headers, name: str) -> tuple[str, ...]:
    """Ids exactly as given: one, or a JSON list of them."""
    value = values.get(headers[name]) if name in headers else None
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = listed(values, headers, name)
    found = value if isinstance(value, list) else [value]
    if any(isinstance(one, bool | float | dict | list) for one in found):
        raise Unreadable(headers[name], f"{value!r} is no id, nor a list of ids")
    return tuple(str(one) for one in found if one not in (None, ""))


def listed(values: Mapping[str, Any], headers: Headers, name: str) -> list[Any]:
    """A list, given as such or as JSON."""
    value = values.get(headers[name])
    try:
        found = parse_json(value) if isinstance(value, str) and value.strip() else value or []
    except ValueError as error:
        raise Unreadable(headers[name], f"not JSON ({error})") from None
    if not isinstance(found, list):
        raise Unreadable(headers[name], f"{value!r} is no list")
    return found
