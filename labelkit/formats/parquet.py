"""Parquet, batch by batch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from labelkit.errors import InputError
from labelkit.formats.foreign import careful
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import NOT_STORED, NOT_STORED_SAYS, Problem, Reading, Row

ROWS_AT_ONCE = 1000


def read(source: Source, options: ReadOptions) -> Reading:
    """A Parquet file; columns that are no text, number, list or object come as text."""
    import pyarrow.parquet

    with careful(source.name, "Parquet"), source.open() as opened:
        names = pyarrow.parquet.ParquetFile(opened).schema_arrow.names
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise InputError(f"the column {doubled[0]!r} stands twice.", file=source.name)

    def rows() -> Iterator[Row | Problem]:
        with careful(source.name, "Parquet"), source.open() as opened:
            number = 0
            for batch in pyarrow.parquet.ParquetFile(opened).iter_batches(ROWS_AT_ONCE):
                for values in batch.to_pylist():
                    number += 1
                    yield from _row(number, values)

    return Reading(source.name, tuple(names), rows, {"format": "parquet"}, unit="row")


def _row(number: int, values: dict[str, Any]) -> Iterator[Row | Problem]:
    plain = {name: _plain(value) for name, value in values.items()}
    yield Row(number, plain)
    for name, value in plain.items():
        if isinstance(value, str) and NOT_STORED.search(value):
            yield Problem(number, name, NOT_STORED_SAYS)
    for name, value in values.items():
        if isinstance(value, bytes) and not _is_utf8(value):
            yield Problem(number, name, "the column holds bytes that are not UTF-8 text")


def _plain(value: Any) -> Any:
    """A value as JSON has it: what JSON has not as its text, and NaN, which means missing, None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return value.decode() if isinstance(value, bytes) and _is_utf8(value) else str(value)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
