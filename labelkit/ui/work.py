"""Long work in a child process, seen from a page: how far it is, whichever tab started it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from labelkit import jobs
from labelkit.store import Workspace
from labelkit.store.jobs import Job
from labelkit.ui import notice, session
from labelkit.ui.text import plain

KEPT = "What was finished is kept."
TAKEN_BACK = {"import": "It leaves nothing behind, unless its documents were seen already."}
"""What a cancelled job of a kind leaves, where it is not what was finished."""

EVERY = 1.0
"""Seconds between two looks at a running job."""


def nothing_more(job: Job) -> None:
    """Draw nothing below the progress of a job."""


def watch(
    workspace: Workspace, kind: str, title: str, detail: Callable[[Job], None] = nothing_more
) -> bool:
    """Show the running job of a kind, refreshed by itself; False where none runs.

    `detail` draws what is known of the job below its progress.
    """
    job = jobs.running(workspace, kind)
    if job is None:
        return False
    st.fragment(_progress, run_every=EVERY)(workspace, job.job_id, title, detail)
    return True


def last_failure(workspace: Workspace, kind: str) -> None:
    """Say why the newest job of a kind came to nothing, until one is started that does."""
    last = next(iter(jobs.list_jobs(workspace, kind)), None)
    if last is not None and last.state == "failed":
        notice.show("error", f"The last one failed: {last.error}")


def _progress(workspace: Workspace, job_id: str, title: str, detail: Callable[[Job], None]) -> None:
    job = jobs.get(workspace, job_id)
    if job is None or job.ended:
        _tell(job, title)
        st.rerun()
    share = min(job.done / job.total, 1.0) if job.total else 0.0
    st.progress(share, text=plain(_line(job, title)))
    detail(job)
    st.caption("It goes on when this page, the browser or the app is closed.")
    if st.button("Cancel", key=f"lk_cancel_{job_id}"):
        jobs.cancel(workspace, job_id)
        left = TAKEN_BACK.get(job.kind, KEPT)
        session.say("info", f"{title}: cancelled. {left}")
        st.rerun()


def _line(job: Job, title: str) -> str:
    started = datetime.fromisoformat(job.created_at)
    seconds = int((datetime.now(UTC) - started).total_seconds())
    clock = f"{seconds // 60}:{seconds % 60:02d}"
    if not job.message:
        return f"{title}: starting, {clock}"
    return f"{title}: {job.message}, {job.done:,} of {job.total:,}, {clock} since the start"


def _tell(job: Job | None, title: str) -> None:
    if job is None or job.state == "failed":
        return  # the page shows it for as long as it is the last one
    tone: session.Kind = "success" if job.state == "completed" else "info"
    session.say(tone, f"{title}: {job.state}.")
