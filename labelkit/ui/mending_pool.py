"""After a query was reworded: let the retrievers look for documents by its new text."""

from __future__ import annotations

import streamlit as st

from labelkit import jobs
from labelkit.judging import stopped
from labelkit.model import QueryState
from labelkit.store import queries, reviews
from labelkit.ui import heading, work
from labelkit.ui.frame import Here
from labelkit.wording import counted


def offer(here: Here) -> None:
    """Say which reworded queries were not pooled since, and a button where nothing runs.

    Only in a project that was pooled before; the pairs that are there stay.
    """
    with here.workspace.reading() as db:
        depth = reviews.pooling_depth(db)
    waiting = _waiting(here) if depth is not None else []
    if not waiting:
        return
    count = counted(len(waiting), "reworded query")
    if jobs.running(here.workspace, "pool"):
        heading.note(f"{count} can be pooled once the pooling that runs now has ended.")
        return
    work.last_failure(here.workspace, "pool")
    heading.note(f"{count} not pooled by the new text yet: other documents may answer it.")
    if st.button(f"Pool {count}", key="lk_pool_reworded"):
        jobs.start(here.workspace, "pool", {"depth": depth, "query_ids": waiting})
        st.rerun()


def _waiting(here: Here) -> list[str]:
    """The reworded queries that no pooling has taken up since, by id."""
    pooled = [
        (job.created_at, job.arguments.get("query_ids"))
        for job in jobs.list_jobs(here.workspace, "pool")
        if job.state not in {"failed", "cancelled"}
    ]
    reworded = {
        one.query_id
        for one in stopped.mendings(here.workspace, here.person.person_id)
        if one.decision == "query_edited"
        and not any(at > one.at and (ids is None or one.query_id in ids) for at, ids in pooled)
    }
    if not reworded:
        return []
    accepted = queries.in_state(here.workspace, QueryState.ACCEPTED)
    return sorted(reworded & {query.query_id for query in accepted})
