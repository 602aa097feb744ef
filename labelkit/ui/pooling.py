"""Pooling from the Import page: what it does, how deep, and how far it is."""

from __future__ import annotations

import streamlit as st

from labelkit import jobs, judging
from labelkit.judging import Counts
from labelkit.judging.pooling import DEPTH, pooling_candidates
from labelkit.ui import heading, notice, work
from labelkit.ui.frame import Here
from labelkit.wording import counted


def offer(here: Here, counts: Counts) -> None:
    """Start pooling, or show how far it is; say what is missing where it cannot start."""
    names = [candidate.name for candidate in pooling_candidates()]
    heading.section(
        "Pool",
        "What is judged: for each accepted query the best documents of "
        f"{', '.join(names)}, merged, so that no single retriever decides what is looked at.",
    )
    if work.watch(here.workspace, "pool", "Pooling"):
        return
    work.last_failure(here.workspace, "pool")
    if not counts.documents or not counts.queries_accepted:
        missing = "documents" if not counts.documents else "accepted queries"
        notice.show("info", f"Pooling needs documents and accepted queries; no {missing} yet.")
        return
    _start(here, counts)


def _start(here: Here, counts: Counts) -> None:
    unpooled = len(judging.load(here.workspace).unpooled_queries)
    heading.note(
        f"{counted(counts.pairs, 'pair is', 'pairs are')} pooled; {unpooled:,} of "
        f"{counts.queries_accepted:,} accepted queries have none yet. Pooling again adds "
        "what is new and changes nothing else."
    )
    with st.form("lk_pool", border=False):
        depth = st.number_input(
            "Documents of each retriever", 1, 100, DEPTH, key="lk_pool_depth", width=220
        )
        sent = st.form_submit_button(
            "Pool the accepted queries", type="primary" if unpooled else "secondary"
        )
    if sent:
        jobs.start(here.workspace, "pool", {"depth": int(depth)})
        st.rerun()
