"""Tables with one column a rater, as Quepid exports a book: turned into one row a judgment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labelkit.errors import InputError
from labelkit.formats.tables import Row, Table

GRADE = re.compile(r"-?\d{1,2}(?:\.0+)?|[A-Za-z]?")


def rater_columns(table: Table, headers: Mapping[str, str], said: tuple[str, ...]) -> list[str]:
    """The columns that hold one rater's grades each: those said, or else the ones that can be.

    Without a word they are only taken for such where nothing but the query and the document is
    known of the table, and every other column holds single grades.
    """
    for name in said:
        if name not in table.columns:
            raise InputError(f"there is no column {name!r} to be a rater's.", file=table.file)
    if said or "level" in headers or not {"doc_id"} <= set(headers):
        return list(said)
    if set(headers) - {"query_id", "query_text", "doc_id"}:
        return []
    rest = [column for column in table.columns if column not in headers.values()]
    return rest if all(_grades(table, column) for column in rest) else []


def _grades(table: Table, column: str) -> bool:
    """Whether a column holds single grades and nothing else, and any at all."""
    said = [_said(row.values.get(column)) for row in table.rows]
    return any(said) and all(GRADE.fullmatch(value) for value in said)


def _said(value: Any) -> str:
    return "" if value is None else str(value).strip()


def unfold(table: Table, raters: list[str]) -> Table:
    """One row for each grade that stands in a rater's column, with `level` and `rater`."""
    rows = [
        Row(row.line, {**_rest(row, raters), "level": row.values[rater], "rater": rater})
        for row in table.rows
        for rater in raters
        if _said(row.values.get(rater))
    ]
    columns = [column for column in table.columns if column not in raters]
    note = f"{len(raters)} columns are read as one rater each: {', '.join(raters[:20])}."
    return replace(
        table,
        columns=(*columns, "level", "rater"),
        rows=tuple(rows),
        notes=(*table.notes, note),
    )


def _rest(row: Row, raters: list[str]) -> dict[str, Any]:
    return {name: value for name, value in row.values.items() if name not in raters}
