"""The parts of the Import page: a file, how it is read, what is wrong with it, and its import."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from labelkit import importing, judging
from labelkit.formats.source import from_bytes
from labelkit.formats.tables import Reading
from labelkit.importing import ImportOptions, ImportPreview
from labelkit.importing.counting import of_kind
from labelkit.importing.preview import open_reading
from labelkit.ui import (
    address,
    heading,
    import_beir,
    import_large,
    import_meaning,
    import_preview,
    import_reading,
    session,
    tables,
)
from labelkit.ui.frame import Here

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

KINDS = (*importing.KINDS, "beir")
LABELS = {"beir": "BEIR folder (zip)"}
SAID = {
    "documents": "CSV, Excel, JSON Lines, Parquet, a zip of text, Markdown or HTML files …",
    "queries": "CSV, Excel, JSON Lines, TREC topics, one a line …",
    "judgments": "CSV, Excel, TREC or BEIR qrels, Quepid, OpenSearch, Label Studio …",
    "runs": "a TREC run, or a table of query_id, doc_id and score",
    "beir": "corpus.jsonl, queries.jsonl and qrels, zipped",
}
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
    return address.pick(
        "What does the file hold?", KINDS, "kind", format_func=lambda kind: LABELS.get(kind, kind)
    )


def upload(kind: str) -> UploadedFile | None:
    """Ask for the file, and say what one looks like.

    Endings are left open: qrels and SMART files have any, or none, and the bytes say what it is.
    """
    file = st.file_uploader(
        f"A file of {LABELS.get(kind, kind)}: {SAID[kind]}",
        type=["zip"] if kind == "beir" else None,
        key=f"lk_upload_{kind}_{st.session_state.get(_TURN, 0)}",
    )
    if file is None and kind != "beir":
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
    if kind == "beir":
        if import_beir.look(here, file):
            _next_file()
        return
    options = _options(here, kind, file)
    if options is None:
        return
    if import_large.is_large(kind, file):
        import_preview.unmatched_rows(_opened(kind, file, options))
        import_large.offer(here, file, options)
        return
    looked_at = _previewed(here, kind, file, options, counts, "read")
    if looked_at.grades:
        levels = import_meaning.grades(looked_at.grades, file.file_id)
        if levels is not None:
            options = replace(options, levels=levels)
            looked_at = _previewed(here, kind, file, options, counts, "mapped")
    _show(here, looked_at, file)


def _opened(kind: str, file: UploadedFile, options: ImportOptions) -> Reading:
    return open_reading(kind, from_bytes(file.name, file.getvalue()), options)


def _options(here: Here, kind: str, file: UploadedFile) -> ImportOptions | None:
    """What is said of the file; None while something has to be said first."""
    read = import_reading.ask(kind, file)
    if read is None:
        return None
    said = ImportOptions(read=read)
    matching = importing.match_columns(kind, file.name, file.getvalue(), said, here.workspace)
    headers = import_meaning.columns(kind, matching, file.file_id)
    ids = import_meaning.ids(kind, headers, file.file_id)
    if import_meaning.missing(kind, headers, ids):
        import_preview.unmatched_rows(_opened(kind, file, said))
        return None
    if kind != "judgments":
        return replace(said, headers=headers, ids=ids)
    query_ids, unknown = import_meaning.pointing(file.file_id)
    return replace(said, headers=headers, query_ids=query_ids, unknown=unknown)


def _previewed(
    here: Here,
    kind: str,
    file: UploadedFile,
    options: ImportOptions,
    counts: judging.Counts,
    stage: str,
) -> ImportPreview:
    """The preview, read again only when the file, what is said or the project changed."""
    name, slot = (file.file_id, kind, options, counts), f"{_PREVIEW}_{stage}"
    held = st.session_state.get(slot)
    if held is None or held[0] != name:
        looked_at = importing.preview(
            here.workspace, kind, file.name, file.getvalue(), options=options
        )
        held = st.session_state[slot] = (name, looked_at)
    preview: ImportPreview = held[1]
    return preview


def _show(here: Here, looked_at: ImportPreview, file: UploadedFile) -> None:
    import_preview.first_rows(looked_at)
    if looked_at.grades and not import_meaning.open_question(looked_at):
        import_meaning.read_as(looked_at.grades)
    if looked_at.problems:
        import_preview.problems(looked_at)
        return
    import_preview.notes(looked_at)
    rater = _ask_rater(looked_at, file.file_id) if looked_at.kind == "judgments" else None
    what = of_kind(len(looked_at.items), looked_at.kind)
    if st.button(f"Import {what}", type="primary", key=f"lk_import_{file.file_id}"):
        report = importing.apply(here.workspace, looked_at, rater=rater, by=here.person.name)
        session.say("success", report.sentence)
        _next_file()


def _next_file() -> None:
    """Make room for another upload."""
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
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
