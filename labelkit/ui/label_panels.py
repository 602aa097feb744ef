"""What surrounds the form of the Label page: the query, the document, what stands beside it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from labelkit import judging
from labelkit.judging import EmptyQueue, Task
from labelkit.model import Query
from labelkit.ui import (
    assigning,
    clock,
    heading,
    label_document,
    label_recent,
    label_rubric,
    tables,
    text,
)
from labelkit.ui.frame import Here
from labelkit.ui.label_presses import undo
from labelkit.ui.label_state import OpenPair, forget_open
from labelkit.ui.markup import draw, element

SHORT_TALK = 400
"""Characters of earlier turns that are shown without being asked for."""

_STYLE = Path(__file__).parent / "static" / "label.css"


def query_card(here: Here, task: Task) -> None:
    """The query of a pair to judge, and the progress."""
    card(_progress(here, task), task.query)


def card(progress: str, query: Query) -> None:
    """The query as it was typed, its earlier turns, the need behind it; above it the progress."""
    st.html(_STYLE)
    with st.container(key="lk_query_card", gap="xxsmall"):
        st.caption(progress)
        draw(_query(query))


def _progress(here: Here, task: Task) -> str:
    progress = judging.progress(here.workspace, here.person.person_id)
    parts = [
        f"document {task.position} of {task.of}",
        f"{progress.today:,} by you today",
        f"{progress.open_for_me:,} open",
    ]
    if progress.due:
        parts.append(assigning.due_words(progress.due))
    if progress.last_saved:
        parts.append(f"saved {clock.time_of_day(progress.last_saved)}")
    return " · ".join(parts)


def _query(query: Query) -> str:
    """Query, need and turns in a block that scrolls on its own where they are long."""
    need = query.information_need
    parts = [element("h1", query.text, cls="lk-query", dir="auto")]
    if need:
        parts.append(element("p", f"Need: {need}", cls="lk-small", dir="auto"))
    if query.turns:
        turns = [
            element("p", element("b", turn.role), " ", turn.text, cls="lk-turn", dir="auto")
            for turn in query.turns
        ]
        summary = element("summary", f"Earlier turns ({len(turns)})")
        short = sum(len(turn.text) for turn in query.turns) <= SHORT_TALK
        opened = {"open": ""} if short else {}
        parts.append(element("details", summary, *turns, cls="lk-turns", **opened))
    return element("div", *parts, cls="lk-card", tabindex="0", role="region", aria_label="Query")


def document_and_side(here: Here, task: Task, state: OpenPair) -> None:
    """The document in its pane; beside it the pinned rubric, else below it only the own lists."""
    if not label_rubric.pinned(here):
        _document(here, task, state)
        _own_lists(here, task)
        return
    document, beside = st.columns([3, 2], gap="medium")
    with document:
        _document(here, task, state)
    with beside, st.container(key="lk_side"):
        label_rubric.panel(here, task.rubric)
        _own_lists(here, task)


def _document(here: Here, task: Task, state: OpenPair) -> None:
    state.take_evidence(
        label_document.show(
            task.document,
            task.query.text,
            item=task.pair_id,
            scope=here.draft_scope,
            evidence=state.evidence,
            answered=state.answered,
        )
    )


def _own_lists(here: Here, task: Task) -> None:
    label_recent.panel(here, task.rubric)
    later_panel(here)


def later_panel(here: Here, *, expanded: bool = False) -> None:
    """The pairs the person set aside with "judge later"; each can be opened."""
    waiting = judging.judge_later_list(here.workspace, here.person.person_id)
    if not waiting:
        return
    with st.expander(f"Set aside by you ({len(waiting)})", expanded=expanded):
        for pair_id, query, title in waiting:
            with st.container(gap="xxsmall"):
                text.show(f"“{query}” · {title}", "lk-small")
                if st.button("Open", key=f"lk_open_{pair_id}", type="tertiary"):
                    _open(here, pair_id)


def _open(here: Here, pair_id: int) -> None:
    forget_open()
    judging.claim_pair(here.workspace, here.person.person_id, pair_id)
    st.rerun()


def nothing_left(here: Here, empty: EmptyQueue) -> None:
    """Why the queue is empty, in words and counts, and what to do next."""
    heading.ask("Nothing to judge now")
    text.show(f"{empty.reason} {empty.next_step}")
    tables.facts(
        [(name, f"{count:,}") for name, count in empty.counts.items() if count],
        label="Why the queue is empty",
    )
    if judging.recent(here.workspace, here.person.person_id, 1) and st.button(
        "Undo my last judgment", shortcut="u", key="lk_undo_last"
    ):
        undo(here)
        st.rerun()
