"""What was read of an uploaded file: first rows, problems, what it would change."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from labelkit import importing
from labelkit.formats.spreadsheet import safe_csv
from labelkit.formats.tables import Reading
from labelkit.importing import ImportPreview
from labelkit.ui import heading, notice, tables
from labelkit.ui.import_words import on_page
from labelkit.wording import counted

ROWS_SHOWN = 5
PROBLEMS_SHOWN = 20
TOUCHED_SHOWN = 20


def unmatched_rows(read: Reading) -> None:
    """The first rows of a file whose columns are not matched yet, and how it is read."""
    table = read.table(ROWS_SHOWN)
    _read_how(table.how)
    rows = [[_short(row.values.get(column)) for column in table.columns] for row in table.rows]
    tables.show(table.columns, rows, label="The first rows of the file")


def _read_how(how: Mapping[str, str]) -> None:
    heading.note(f"Read as: {', '.join(f'{k} {v}' for k, v in how.items())}.")


def first_rows(looked_at: ImportPreview) -> None:
    """The first rows, and how the file was read."""
    rows = importing.sample(looked_at, ROWS_SHOWN)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    heading.section(
        counted(len(looked_at.rows), "row"),
        f"The first {len(rows)} as they are read; long texts are cut here and only here.",
    )
    _read_how(looked_at.how)
    tables.show(
        [_read_as(column, looked_at) for column in columns],
        [[_short(row.get(column)) for column in columns] for row in rows],
        label="The first rows of the file",
    )


def _read_as(column: str, looked_at: ImportPreview) -> str:
    """A header, with what becomes of its column where that is not plain."""
    ours = {theirs: ours for ours, theirs in looked_at.headers.items()}.get(column)
    if column == looked_at.unit or ours == column:
        return column
    kept = "metadata" if looked_at.kind == "documents" else "not read"
    return f"{column} → {ours or kept}"


def _short(value: object, most: int = 120) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= most else f"{text[:most]} …"


def problems(looked_at: ImportPreview) -> None:
    """Every problem by row, the first ones here and all of them to download."""
    found = looked_at.problems
    lines = len({problem.line for problem in found})
    heading.section(f"{counted(len(found), 'problem')} on {counted(lines, 'line')}")
    notice.show(
        "error",
        "Nothing is imported until every line can be: answer what is asked above, or mend the "
        "file and upload it again.",
    )
    columns = (looked_at.unit, "column", "problem")
    rows = [(one.line, one.column, on_page(one.message)) for one in found[:PROBLEMS_SHOWN]]
    tables.show(columns, rows, label="Problems", numbers=(looked_at.unit,))
    if len(found) > PROBLEMS_SHOWN:
        heading.note(f"{PROBLEMS_SHOWN} of {len(found):,} are shown; the download has all.")
    st.download_button(
        "Download the problems (CSV)",
        importing.problems_csv(found, looked_at.unit),
        file_name=f"problems-{looked_at.kind}.csv",
        mime="text/csv",
        on_click="ignore",
        key="lk_problems",
    )


def notes(looked_at: ImportPreview) -> None:
    """What is worth a look and stops nothing."""
    for said in looked_at.notes:
        notice.show("info", on_page(said))
    if looked_at.folded:
        folded = counted(looked_at.folded, "row repeats", "rows repeat")
        heading.note(f"{folded} an earlier one with the same content, which is kept once.")
    if looked_at.left_out:
        heading.note(f"{counted(looked_at.left_out, 'row is', 'rows are')} left out.")
    if looked_at.touched:
        _touched(looked_at)


def _touched(looked_at: ImportPreview) -> None:
    """The judgments that stand on a text which the file changes."""
    found = looked_at.touched
    stand = counted(len(found), "judgment stands", "judgments stand")
    notice.show("warning", f"{stand} on texts that this file changes.")
    columns = ("query", "document", "rater", "level")
    rows = [(one.query_id, one.doc_id, one.person_id, one.level) for one in found]
    tables.show(columns, rows[:TOUCHED_SHOWN], label="Judgments on changed texts")
    st.download_button(
        "Download these judgments (CSV)",
        safe_csv(columns, rows),
        file_name="judgments-on-changed-documents.csv",
        mime="text/csv",
        on_click="ignore",
        key="lk_touched",
    )
