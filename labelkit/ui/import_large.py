"""Uploads too large to be looked at as a whole: imported by a process of their own."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from labelkit import jobs
from labelkit.importing import ImportOptions, job, large, merging
from labelkit.ui import heading, work
from labelkit.ui.frame import Here

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

KIND = "import"


def watch(here: Here) -> bool:
    """Show the import that is under way, or why the last one came to nothing."""
    if work.watch(here.workspace, KIND, "Import"):
        return True
    merging.sweep(here.workspace)
    _remove_uploads(here)
    work.last_failure(here.workspace, KIND)
    _report_of_last(here)
    return False


def _remove_uploads(here: Here) -> None:
    """Remove what a job that was killed left of its upload."""
    for one in jobs.list_jobs(here.workspace, KIND):
        if one.ended and one.arguments.get("upload"):
            for path in one.arguments["paths"]:
                Path(path).unlink(missing_ok=True)


def _report_of_last(here: Here) -> None:
    """Offer the table of every problem of an import that failed."""
    last = next(iter(jobs.list_jobs(here.workspace, KIND)), None)
    if last is None or last.state != "failed" or not last.arguments.get("report"):
        return
    path = Path(last.arguments["report"])
    if path.exists():
        st.download_button(
            "Download every problem (CSV)",
            path.read_bytes(),
            file_name="problems-documents.csv",
            mime="text/csv",
            on_click="ignore",
            key="lk_large_problems",
        )


def is_large(kind: str, file: UploadedFile) -> bool:
    """Whether an upload is imported by a process of its own."""
    return kind in ("documents", "beir") and file.size >= large.LARGE


def offer(here: Here, file: UploadedFile, options: ImportOptions, **more: Any) -> None:
    """Offer the import of a large upload; `more` goes into the job's arguments."""
    heading.note(
        f"{file.name} holds {file.size / 2**20:,.0f} MB: it is read by a process of its own, which "
        "goes on when this page is closed and names every problem. Nothing is seen before the end, "
        "and raters can go on."
    )
    if st.button("Import in the background", type="primary", key=f"lk_large_{file.file_id}"):
        start(here, file, options, **more)
        st.rerun()


def start(here: Here, file: UploadedFile, options: ImportOptions, **more: Any) -> str:
    """Keep the upload beside the workspace and start its import; returns the job's id."""
    name = uuid.uuid4().hex
    path = merging.folder(here.workspace) / f"{name}.upload{Path(file.name).suffix}"
    path.write_bytes(file.getvalue())
    arguments = job.arguments_for(
        [str(path)],
        options,
        by=here.person.name,
        name=file.name,
        report=path.with_name(f"{name}.problems.csv"),
        upload=True,
        **more,
    )
    return jobs.start(here.workspace, KIND, arguments)
