"""Pooling what was accepted in review: a job that works on all of it, one at a time."""

from __future__ import annotations

import streamlit as st

from labelkit import jobs
from labelkit.judging.pooling import pooling_candidates
from labelkit.store import reviews
from labelkit.ui import heading, work
from labelkit.ui.frame import Here
from labelkit.wording import counted

NOT_YET = (
    "Only its own document is pooled: the project's queries were not pooled yet (page Import)."
)


def begin(here: Here) -> str:
    """Start pooling the accepted drafts where the project was pooled before; says what happens.

    One job at a time: while one runs, what is accepted waits for the next.
    """
    with here.workspace.reading() as db:
        depth, waiting = reviews.pooling_depth(db), reviews.unpooled(db)
    if depth is None:
        return NOT_YET
    if jobs.running(here.workspace, "pool"):
        return "Its own document is pooled; the rest follows after the pooling that runs now."
    if waiting:
        jobs.start(here.workspace, "pool", {"depth": depth, "query_ids": waiting})
    names = ", ".join(candidate.name for candidate in pooling_candidates())
    return f"Its own document is pooled; {names} look for {depth} more each now."


def standing(here: Here) -> None:
    """Say which accepted drafts wait for the retrievers; a button where nothing works on them."""
    with here.workspace.reading() as db:
        depth, waiting = reviews.pooling_depth(db), reviews.unpooled(db)
    if depth is None or not waiting:
        return
    count = counted(len(waiting), "accepted draft")
    if jobs.running(here.workspace, "pool") or _take_up(here, depth, waiting):
        # No progress bar: it would move the draft below while somebody is typing.
        heading.note(f"{count} in the pooling that runs now, or next.")
        return
    work.last_failure(here.workspace, "pool")
    heading.note(f"{count} so far pooled with the own document only.")
    if st.button(f"Pool {count}", key="lk_pool_accepted"):
        jobs.start(here.workspace, "pool", {"depth": depth, "query_ids": waiting})
        st.rerun()


def _take_up(here: Here, depth: int, waiting: list[str]) -> bool:
    """Start on what was accepted while another pooling ran; says whether it did.

    Not after one that failed, nor for drafts it was already asked for: a person looks first.
    """
    last = next(iter(jobs.list_jobs(here.workspace, "pool")), None)
    if last is None or last.state != "completed":
        return False
    if set(waiting) <= set(last.arguments.get("query_ids") or ()):
        return False
    jobs.start(here.workspace, "pool", {"depth": depth, "query_ids": waiting})
    return True
