"""CSV for people: opens in a spreadsheet without running what it holds."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """The rows as UTF-8 CSV; a text that a spreadsheet would run gets an apostrophe before it."""
    out = io.StringIO()
    writer = csv.writer(out)  # CRLF, so that a lone carriage return is quoted too
    writer.writerow([harmless(column) for column in columns])
    writer.writerows([harmless(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8-sig")


def as_written(value: str) -> str:
    """A text without the apostrophe that `harmless`, or a spreadsheet, put before it."""
    return value[1:] if value[:1] == "'" and value[1:].startswith(FORMULA_STARTS) else value


def harmless(value: Any) -> Any:
    """A text that starts like a formula with an apostrophe before it; numbers stay numbers."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
