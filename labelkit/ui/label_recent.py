"""The person's own last judgments on the Label page: seen again, corrected, with their history."""

from __future__ import annotations

import streamlit as st

from labelkit import judging
from labelkit.drafting import llm_judge
from labelkit.judging import RecentJudgment, ToCorrect
from labelkit.model import Cause, Judgment
from labelkit.rubric import Rubric
from labelkit.store import meta
from labelkit.ui import clock, label_document, levels, session, text
from labelkit.ui.frame import Here
from labelkit.ui.label_state import OpenPair
from labelkit.ui.model_grades import model_grade_note
from labelkit.wording import counted

Answer = int | Cause
_KINDS = {"withdrawal": "undone"}


def panel(here: Here, rubric: Rubric) -> None:
    """The person's last five judgments, newest first; each can be corrected.

    They are read when the panel is opened: every save draws the page again.
    """
    with st.expander("Your last judgments", key="lk_recent", on_change="rerun") as panel:
        if not panel.open:
            return
        recent = judging.recent(here.workspace, here.person.person_id)
        if not recent:
            st.caption("None yet.")
        for judgment in recent:
            with st.container(gap="xxsmall"):
                _row(here, rubric, judgment)


def _row(here: Here, rubric: Rubric, judgment: RecentJudgment) -> None:
    notes = [
        clock.time_of_day(judgment.created_at),
        levels.said(rubric, judgment.level, judgment.cause),
        judgment.doc_title,
        f"“{judgment.query_text}”",
        *(["corrected"] if judgment.corrected else []),
        *(["reason reused"] if judgment.reason_reused else []),
    ]
    text.show(f"{'  ·  '.join(notes)}\n{judgment.reason}", "lk-text lk-small")
    key = f"lk_correcting_{judgment.judgment_id}"
    if st.button("Correct", key=f"lk_correct_{judgment.judgment_id}", type="tertiary"):
        st.session_state[key] = not st.session_state.get(key, False)
    _model(here, judgment)
    if st.session_state.get(key):
        held = judging.to_correct(here.workspace, here.person.person_id, judgment.judgment_id)
        _history(rubric, held)
        _correction(here, rubric, held, judgment.judgment_id)


def _model(here: Here, judgment: RecentJudgment) -> None:
    """What the model says of the pair, on request and where the project shows it to raters.

    Only on request: whoever has seen it is no independent voice on this pair any more.
    """
    if meta.get(here.workspace, llm_judge.TO_RATERS) != "yes":
        return
    key = f"lk_model_says_{judgment.judgment_id}"
    if st.button("What the model says", key=f"{key}_button", type="tertiary"):
        st.session_state[key] = not st.session_state.get(key, False)
    if st.session_state.get(key) and not model_grade_note(here, judgment.pair_id):
        st.caption("No model has graded this pair.")


def _history(rubric: Rubric, held: ToCorrect) -> None:
    """What stood before, oldest first; nothing to say where this is the first."""
    if len(held.history) > 1:
        lines = (_event(rubric, event) for event in held.history)
        text.show_list(["History, oldest first:", *lines])


def _event(rubric: Rubric, event: Judgment) -> str:
    said = _KINDS.get(event.kind) or levels.said(rubric, event.level, event.cause)
    passages = len(event.evidence)
    marked = f", {counted(passages, 'marked passage')}" if passages else ""
    reason = "" if event.kind in _KINDS else f": {event.reason}"
    return f"{clock.time_of_day(event.created_at)} {said}{marked}{reason}"


def _correction(here: Here, rubric: Rubric, held: ToCorrect, judgment_id: int) -> None:
    state = _state(held, judgment_id)
    state.take_evidence(
        label_document.show(
            held.document,
            held.query.text,
            item=f"correct_{judgment_id}",
            scope=here.draft_scope,
            evidence=state.evidence,
            answered=state.answered,
            main=False,
        )
    )
    if state.marked:
        st.rerun()
    _form(here, rubric, held, state)


def _state(held: ToCorrect, judgment_id: int) -> OpenPair:
    key = f"lk_correction_state_{judgment_id}"
    if key not in st.session_state:
        st.session_state[key] = OpenPair(0, 0.0, evidence=held.stands.evidence)
    state: OpenPair = st.session_state[key]
    return state


def _form(here: Here, rubric: Rubric, held: ToCorrect, state: OpenPair) -> None:
    answers: list[Answer] = [2, 1, 0, *Cause]
    stands = held.stands
    now = stands.level if stands.cause is None else stands.cause
    with st.form(f"lk_correction_{stands.judgment_id}"):
        answer = st.radio(
            "Level or cause",
            answers,
            index=answers.index(now) if now is not None else None,
            format_func=lambda a: levels.said(rubric, *_split(a)),
        )
        reason = st.text_input("Reason", value=stands.reason)
        if st.form_submit_button("Save the correction"):
            level, cause = _split(answer)
            judging.correct(
                here.workspace,
                here.person.person_id,
                stands.judgment_id,
                level=level,
                cause=cause,
                reason=reason,
                evidence=state.evidence,
            )
            session.say("success", "Corrected. The judgment before it stays on record.")
            st.rerun()


def _split(answer: Answer | None) -> tuple[int | None, Cause | None]:
    # A Cause is a string, a level a number: told apart by type, never by truth.
    return (None, answer) if isinstance(answer, Cause) else (answer, None)
