"""The parts of the Import page: a file, how it is read, what is wrong with it, and its import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import importing, judging
from labelkit.formats.spreadsheet import safe_csv
from labelkit.importing import ImportPreview, Matching
from labelkit.ui import heading, notice, session, tables
from labelkit.ui.frame import Here

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

ROWS_SHOWN = 5
PROBLEMS_SHOWN = 20
ENDINGS = ["csv", "tsv", "jsonl", "ndjson"]
_TURN = "lk_import_turn"
_PREVIEW = "lk_import_preview"


def what_is_here(here: Here) -> judging.Counts:
    """Draw what the project holds already, and return the counts."""
    counts = judging.count(judging.load(here.workspace))
    tables.facts(
        [
            ("documents", f"{counts.documents:,}"),
            ("accepted queries", f"{counts.queries_accepted:,}"),
            ("drafts to review", f"{counts.queries_draft:,}"),
            ("pooled pairs", f"{counts.pairs:,}"),
            ("judgments", f"{counts.judgments:,}"),
        ],
        label="What the project holds",
    )
    if not counts.documents:
        heading.note(
            "Begin with the documents that are searched, then the queries; judgments made "
            "elsewhere come last."
        )
    return counts


def ask_kind() -> str:
    """Ask what the file holds; the address keeps the answer."""
    kind = st.radio(
        "What does the file hold?",
        importing.KINDS,
        horizontal=True,
        key="kind",
        bind="query-params",
    )
    return str(kind)


def upload(kind: str) -> UploadedFile | None:
    """Ask for the file, and say what one looks like."""
    trec = ["txt", "qrels", "trec"] if kind == "judgments" else []
    file = st.file_uploader(
        f"A file of {kind}: CSV, TSV or JSON Lines{', or TREC qrels' if trec else ''}, in UTF-8",
        type=ENDINGS + trec,
        key=f"lk_upload_{kind}_{st.session_state.get(_TURN, 0)}",
    )
    if file is None:
        with st.expander("Which columns are read"):
            _columns_read(kind)
    return file


def _columns_read(kind: str) -> None:
    required = importing.REQUIRED[kind]
    tables.show(
        ("column", "read from any of these headers", ""),
        [
            (name, ", ".join(headers), "required" if name in required else "")
            for name, headers in importing.NAMES[kind].items()
        ],
        label=f"Columns of {kind}",
    )
    if kind == "documents":
        heading.note(
            "Other columns become the document's metadata. A file too large to upload is read by "
            "labelkit import on the command line."
        )


def look(here: Here, kind: str, file: UploadedFile, counts: judging.Counts) -> None:
    """Show how the file is read and what is wrong with it, and offer the import.

    `counts` are the project's, so that a preview is made again when they change.
    """
    matching = importing.match_columns(kind, file.name, file.getvalue())
    headers = _match(kind, matching, file.file_id)
    missing = [name for name in importing.REQUIRED[kind] if name not in headers]
    if missing:
        notice.show("warning", f"Say which column holds {', '.join(missing)}.")
        return
    looked_at = _previewed(here, kind, file, headers, counts)
    _first_rows(looked_at)
    if looked_at.problems:
        _problems(looked_at)
    else:
        _offer(here, looked_at, file)


def _match(kind: str, matching: Matching, file_id: str) -> dict[str, str]:
    """Let a person match columns; what is matched by name stands there already."""
    required = importing.REQUIRED[kind]
    incomplete = any(name not in matching.headers for name in required)
    said = ", ".join(f"{ours} from “{theirs}”" for ours, theirs in matching.headers.items())
    with st.expander("Columns", expanded=incomplete):
        slots = st.columns(4)
        chosen = {
            name: slots[at % 4].selectbox(
                f"{name} (required)" if name in required else name,
                matching.columns,
                index=_place(matching, name),
                placeholder="no column",
                key=f"lk_column_{name}_{file_id}",
            )
            for at, name in enumerate(importing.NAMES[kind])
        }
    heading.note(f"Matched by name: {said}." if said else "No column is known by its name.")
    return {name: header for name, header in chosen.items() if header is not None}


def _place(matching: Matching, name: str) -> int | None:
    return matching.columns.index(matching.headers[name]) if name in matching.headers else None


def _previewed(
    here: Here,
    kind: str,
    file: UploadedFile,
    headers: Mapping[str, str],
    counts: judging.Counts,
) -> ImportPreview:
    """The preview, read again only when the file, the matching or the project changed."""
    name = (file.file_id, kind, tuple(sorted(headers.items())), counts)
    held = st.session_state.get(_PREVIEW)
    if held is None or held[0] != name:
        looked_at = importing.preview(
            here.workspace, kind, file.name, file.getvalue(), headers=headers
        )
        held = st.session_state[_PREVIEW] = (name, looked_at)
    preview: ImportPreview = held[1]
    return preview


def _first_rows(looked_at: ImportPreview) -> None:
    rows = importing.sample(looked_at, ROWS_SHOWN)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    heading.section(
        f"{len(looked_at.rows):,} rows",
        f"The first {len(rows)} as they are read; long texts are cut here and only here.",
    )
    tables.show(
        [_read_as(column, looked_at) for column in columns],
        [[_short(row.get(column)) for column in columns] for row in rows],
        label="The first rows of the file",
    )


def _read_as(column: str, looked_at: ImportPreview) -> str:
    """A header, with what becomes of its column where that is not plain."""
    ours = {theirs: ours for ours, theirs in looked_at.headers.items()}.get(column)
    if column == "line" or ours == column:
        return column
    kept = "metadata" if looked_at.kind == "documents" else "not read"
    return f"{column} → {ours or kept}"


def _short(value: object, most: int = 120) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= most else f"{text[:most]} …"


def _problems(looked_at: ImportPreview) -> None:
    problems = looked_at.problems
    lines = len({problem.line for problem in problems})
    heading.section(f"{len(problems):,} problems on {lines:,} lines")
    notice.show("error", "Nothing is imported until every line can be: mend the file, upload it.")
    columns = ("line", "column", "problem")
    rows = [(problem.line, problem.column, problem.message) for problem in problems]
    tables.show(columns, rows[:PROBLEMS_SHOWN], label="Problems", numbers=("line",))
    if len(problems) > PROBLEMS_SHOWN:
        heading.note(f"{PROBLEMS_SHOWN} of {len(problems):,} are shown; the download has all.")
    st.download_button(
        "Download the problems (CSV)",
        safe_csv(columns, rows),
        file_name=f"problems-{looked_at.kind}.csv",
        mime="text/csv",
        on_click="ignore",
        key="lk_problems",
    )


def _offer(here: Here, looked_at: ImportPreview, file: UploadedFile) -> None:
    for said in looked_at.notes:
        notice.show("info", said)
    if looked_at.folded:
        heading.note(f"{looked_at.folded:,} rows repeat an earlier one and are folded into it.")
    rater = _ask_rater(looked_at, file.file_id) if looked_at.kind == "judgments" else None
    if st.button(
        f"Import {len(looked_at.items):,} {looked_at.kind}",
        type="primary",
        key=f"lk_import_{file.file_id}",
    ):
        report = importing.apply(here.workspace, looked_at, rater=rater)
        st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
        session.say("success", report.sentence)
        st.rerun()


def _ask_rater(looked_at: ImportPreview, file_id: str) -> str | None:
    if "rater" in looked_at.headers:
        return None
    name = st.text_input(
        "Who judged? The file has no column for it.",
        placeholder=f"import {looked_at.file.rsplit('.', 1)[0]}",
        key=f"lk_rater_{file_id}",
    )
    return name.strip() or None
