"""The parts of the Review page: one draft, beside its passage, and the decision about it."""

from __future__ import annotations

import time
from typing import NamedTuple

import streamlit as st

from labelkit import drafting
from labelkit.drafting import REJECTIONS, DraftReview
from labelkit.errors import LabelkitError
from labelkit.model import QueryState, Role
from labelkit.store import queries
from labelkit.ui import drafts, heading, reviewing_evidence, reviewing_pool, session, text
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.reviewing_evidence import edited
from labelkit.ui.text import plain

AT = "draft"
"""The query parameter that names the draft on screen."""

REST = "rest"
"""The query parameter that asks for all drafts, not only those of the spot-check."""

QUICKEST = 0.4
"""Seconds a draft has to be on screen before it can be decided on."""

_SHOWN = "lk_draft_shown"
_DONE = "lk_draft_done"
_REJECTING = "lk_draft_rejecting"


class Pressed(NamedTuple):
    """What was pressed below a draft."""

    accept: bool
    reject: bool
    following: bool
    before: bool
    undo: bool


def draft(here: Here, *, only_sample: bool) -> DraftReview | None:
    """The draft to look at now."""
    return drafting.draft_at(here.workspace, st.query_params.get(AT), only_sample=only_sample)


def nothing_left(here: Here) -> None:
    """Say that no draft waits, and where to go; the last decision can still be taken back."""
    done = drafting.reviewed(here.workspace)
    if done.held:
        said = "No draft waits; those that are held can be let go above, by a lead."
    elif done.accepted + done.rejected:
        said = "Every draft is decided on. What was accepted is pooled and judged next."
    else:
        said = (
            "No draft waits. A model drafts queries on the page Draft queries; drafts made "
            "elsewhere come in through Import: a file of queries with the column state set to "
            "draft and source_doc_id naming the document they were drafted from."
        )
    lead = Role.LEAD in here.person.roles
    heading.nothing_yet(said, "import" if lead else "label", "Import" if lead else "Label")
    undo_alone(here)


def undo_alone(here: Here) -> None:
    """The undo, where no draft is on screen."""
    with st.bottom:
        if drafting.last_decision(here.workspace, here.person.person_id) and _undo_button(here):
            _undo(here)


def show(here: Here, review: DraftReview) -> str:
    """Draw the draft beside its passage; returns its text as it stands, edited or not."""
    _note_when_shown(here, review)
    left, right = st.columns([1, 2], gap="medium")
    with left:
        wording = _draft(here, review)
        warnings = reviewing_evidence.warnings(here, review, wording)
    with right:
        reviewing_evidence.documents(here, review, wording, warnings)
    return wording


def _note_when_shown(here: Here, review: DraftReview) -> None:
    """Note since when the draft is on screen; say so where the one before was decided elsewhere."""
    held, query_id = st.session_state.get(_SHOWN), review.query.query_id
    if held is not None and held[0] == query_id:
        return
    st.session_state[_SHOWN] = (query_id, time.monotonic())
    if held is not None and not _still_waits(here, held[0]):
        session.say(
            "warning",
            f"Somebody else decided on {held[0]} in the meantime. You go on elsewhere in the list, "
            "so that the two of you do not read the same drafts.",
        )
        _go_to(review.far)


def _still_waits(here: Here, query_id: str) -> bool:
    with here.workspace.reading() as db:
        query = queries.get(db, query_id)
    return query is not None and query.state is QueryState.DRAFT


def _draft(here: Here, review: DraftReview) -> str:
    query = review.query
    st.caption(plain(f"draft {query.query_id}, {review.position} of {review.of}"))
    text.show_turns(query.turns)
    done = st.session_state.pop(_DONE, None)
    wording = drafts.text_area(
        "The query, as a user would type it (e edits, Esc leaves)",
        key=_wording_key(query.query_id),
        scope=here.draft_scope,
        draft=query.text,
        choices={"e": ""},  # nothing to press: the key only brings the cursor here
        forget=() if done is None else (_wording_key(done),),
        stored=False,
        slot="draft",
        height="content",
    )
    if edited(review, wording):
        heading.note("As drafted:")
        text.show(query.text, "lk-small")
    if query.information_need:
        text.show(f"Need: {query.information_need}", "lk-small")
    about = [query.source.value, *query.tags, query.provenance and f"made by {query.provenance}"]
    heading.note(" · ".join(filter(None, about)))
    return wording


def _wording_key(query_id: str) -> str:
    return f"lk_wording_{item(query_id)}"


def decide(here: Here, review: DraftReview, wording: str) -> None:
    """Draw the decision in the part of the page that stays on screen, and do what was pressed."""
    query_id = review.query.query_id
    with st.bottom:
        pressed = _actions(here, review, edited=edited(review, wording))
        rejecting = st.session_state.get(_REJECTING) == query_id
        cause, note = _causes(query_id) if rejecting else ("", "")
    if pressed.undo:
        _undo(here)
    if pressed.reject:
        st.session_state[_REJECTING] = None if rejecting else query_id
        st.rerun()
    if pressed.following or pressed.before:
        _go_to(review.following if pressed.following else review.before)
    if pressed.accept or cause:
        _do(here, review, wording, cause, note)


def _actions(here: Here, review: DraftReview, *, edited: bool) -> Pressed:
    named = item(review.query.query_id)
    with st.container(horizontal=True, gap="small", key="lk_draft_actions"):
        return Pressed(
            accept=st.button(
                "Accept as edited" if edited else "Accept",
                key=f"lk_accept_{named}",
                type="primary",
                shortcut="a",
            ),
            reject=st.button("Reject", key=f"lk_reject_{named}", shortcut="x"),
            following=st.button("Next", key=f"lk_next_{named}", type="tertiary", shortcut="n"),
            before=st.button("Previous", key=f"lk_before_{named}", type="tertiary", shortcut="p"),
            undo=_undo_button(here),
        )


def _undo_button(here: Here) -> bool:
    last = drafting.last_decision(here.workspace, here.person.person_id)
    # One key for each decision: a second click on the same one finds no button.
    return st.button(
        f"Undo {plain(last.query_id)}" if last else "Undo",
        key=f"lk_undo_{last.decision_id if last else 'none'}",
        type="tertiary",
        shortcut="u",
        disabled=last is None,
    )


def _causes(query_id: str) -> tuple[str, str]:
    """Draw the causes of a rejection; returns the one pressed ("" for none) and the note."""
    note = st.text_input(
        "Note",
        key=f"lk_note_{item(query_id)}",
        placeholder="a note, one sentence; required for the last cause",
        label_visibility="collapsed",
    )
    pressed = ""
    with st.container(horizontal=True, gap="xsmall", key="lk_draft_causes"):
        for number, (cause, words) in enumerate(REJECTIONS.items(), 1):
            if st.button(words, key=f"lk_cause_{cause}_{item(query_id)}", shortcut=str(number)):
                pressed = cause
    return pressed, note


def _do(here: Here, review: DraftReview, wording: str, cause: str, note: str) -> None:
    query_id = review.query.query_id
    if time.monotonic() - st.session_state[_SHOWN][1] < QUICKEST:
        session.say("warning", "That was too quick to have been read: nothing was done.")
        st.rerun()
    workspace, person_id = here.workspace, here.person.person_id
    try:
        if cause:
            drafting.reject(workspace, person_id, query_id, cause=cause, note=note)
            session.say("info", f"Rejected {query_id}: {REJECTIONS[cause]}.")
        else:
            drafting.accept(workspace, person_id, query_id, text=wording.strip())
            session.say("success", f"Accepted {query_id}. {reviewing_pool.begin(here)}")
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    st.session_state[_DONE] = query_id
    st.session_state[_SHOWN] = None
    _go_to(review.following)


def _undo(here: Here) -> None:
    last = drafting.last_decision(here.workspace, here.person.person_id)
    if last is None:
        st.rerun()
    try:
        drafting.undo(here.workspace, here.person.person_id, last.query_id)
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    yours = f" Your wording was “{last.text}”." if last.edited else ""
    session.say("info", f"Taken back: {last.query_id} waits again, as it was drafted.{yours}")
    st.session_state[_SHOWN] = None
    drawn = drafting.draft_at(here.workspace, last.query_id, only_sample=True)
    if drawn is None or drawn.query.query_id != last.query_id:
        st.query_params[REST] = "1"
    _go_to(last.query_id)


def _go_to(query_id: str) -> None:
    st.query_params[AT] = query_id
    st.rerun()
