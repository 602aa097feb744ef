"""What surrounds the form of the Label page: the query, the rubric, the person's own list."""

from __future__ import annotations

import streamlit as st

from labelkit import judging
from labelkit.judging import EmptyQueue, RecentJudgment, Task
from labelkit.model import Cause
from labelkit.rubric import Rubric
from labelkit.ui import clock, heading, levels, session, tables, text
from labelkit.ui.frame import Here
from labelkit.ui.label_form import forget_open, undo

Answer = int | Cause


def query_card(here: Here, task: Task) -> None:
    """The query as it was typed, its earlier turns, the need behind it, and the progress."""
    progress = judging.progress(here.workspace, here.person.person_id)
    saved = f" · saved {clock.time_of_day(progress.last_saved)}" if progress.last_saved else ""
    with st.container(key="lk_query_card", gap="xxsmall"):
        st.caption(
            f"document {task.position} of {task.of} for this query · "
            f"{progress.today} by you today{saved} · {progress.open_for_me} open for you"
        )
        if task.query.turns:
            with st.expander(f"Earlier turns ({len(task.query.turns)})", expanded=True):
                text.show_turns(task.query.turns)
        text.show(task.query.text, "lk-query", tag="h1")
        if task.query.information_need:
            text.show(f"Need: {task.query.information_need}", "lk-small")


def rubric_panel(rubric: Rubric) -> None:
    """The levels, the rules and the boundary examples."""
    text.show(f"{rubric.title} (rubric v{rubric.version})", "lk-title", tag="h2")
    levels_first = [
        f"{level} {words.name}: {words.definition}"
        for level, words in sorted(rubric.levels.items(), reverse=True)
    ]
    text.show_list([*levels_first, *(f"– {rule}" for rule in rubric.rules)])
    for boundary in sorted({example.boundary for example in rubric.examples}, reverse=True):
        with st.expander(f"Examples between {boundary.replace('/', ' and ')}"):
            _examples(rubric, boundary)


def _examples(rubric: Rubric, boundary: str) -> None:
    for example in rubric.examples:
        if example.boundary == boundary:
            text.show(f"“{example.query}” with {example.doc_id}: {example.level}", "lk-small")
            if example.passage:
                text.show(example.passage, "lk-text lk-small lk-quote")
            text.show(f"because {example.why}", "lk-small")


def recent_panel(here: Here, rubric: Rubric) -> None:
    """The person's last five judgments, newest first; each can be corrected."""
    recent = judging.recent(here.workspace, here.person.person_id)
    if not recent:
        return
    with st.expander(f"Your last judgments ({len(recent)})", key="lk_recent"):
        for judgment in recent:
            _recent_row(here, rubric, judgment)


def _recent_row(here: Here, rubric: Rubric, judgment: RecentJudgment) -> None:
    said = levels.said(rubric, judgment.level, judgment.cause)
    text.show(
        f"{clock.time_of_day(judgment.created_at)}  {said}  ·  {judgment.doc_title}  ·  "
        f"“{judgment.query_text}”\n{judgment.reason}",
        "lk-text lk-small",
    )
    opened = f"lk_correcting_{judgment.judgment_id}"
    if st.button("Correct", key=f"lk_correct_{judgment.judgment_id}", type="tertiary"):
        st.session_state[opened] = not st.session_state.get(opened, False)
    if st.session_state.get(opened):
        _correction(here, rubric, judgment)


def _correction(here: Here, rubric: Rubric, judgment: RecentJudgment) -> None:
    answers: list[Answer] = [2, 1, 0, *Cause]
    now = judgment.level if judgment.cause is None else judgment.cause
    with st.form(f"lk_correction_{judgment.judgment_id}"):
        answer = st.radio(
            "Level or cause",
            answers,
            index=answers.index(now) if now is not None else None,
            format_func=lambda a: levels.said(rubric, *_split(a)),
        )
        reason = st.text_input("Reason", value=judgment.reason)
        if st.form_submit_button("Save the correction"):
            level, cause = _split(answer)
            judging.correct(
                here.workspace,
                here.person.person_id,
                judgment.judgment_id,
                level=level,
                cause=cause,
                reason=reason,
            )
            session.say("success", "Corrected. The judgment before it stays on record.")
            st.rerun()


def _split(answer: Answer | None) -> tuple[int | None, Cause | None]:
    # A Cause is a string, a level a number: told apart by type, never by truth.
    return (None, answer) if isinstance(answer, Cause) else (answer, None)


def later_panel(here: Here, *, expanded: bool = False) -> None:
    """The pairs the person set aside with "judge later"; each can be opened."""
    waiting = judging.judge_later_list(here.workspace, here.person.person_id)
    if not waiting:
        return
    with st.expander(f"Set aside by you ({len(waiting)})", expanded=expanded):
        for pair_id, query, title in waiting:
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
