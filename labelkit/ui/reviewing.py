"""The parts of the Review page: one draft, its passage, its warnings, and the decision."""

from __future__ import annotations

import time

import streamlit as st

from labelkit import drafting
from labelkit.drafting import REJECTIONS, DraftReview
from labelkit.errors import LabelkitError
from labelkit.model import QueryState, Role
from labelkit.store import queries
from labelkit.ui import drafts, heading, session, tables, text
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element
from labelkit.ui.text import plain

AFTER = "after"
"""The query parameter that names the draft behind which the next one is sought."""

QUICKEST = 0.4
"""Seconds a draft has to be on screen before it can be decided on."""

_SHOWN = "lk_draft_shown"
_DONE = "lk_draft_done"
_REJECTING = "lk_draft_rejecting"


def standing(here: Here) -> None:
    """Draw how many drafts were decided on, and the acceptance rate with its interval."""
    done = drafting.reviewed(here.workspace)
    rate = done.acceptance
    share = "–" if rate.mean is None else f"{rate.mean:.0%} ({rate.low:.0%} to {rate.high:.0%})"
    tables.facts(
        [
            ("waiting", done.waiting),
            (
                "accepted",
                f"{done.accepted} ({done.edited} edited)" if done.edited else done.accepted,
            ),
            ("rejected", done.rejected),
            ("acceptance rate, 95 %", share),
        ],
        label="Drafts by decision",
    )


def nothing_left(here: Here) -> None:
    """Say that no draft waits, and where to go."""
    done = drafting.reviewed(here.workspace)
    if done.accepted + done.rejected:
        said = "Every draft is decided on. What was accepted is pooled and judged next."
    else:
        said = (
            "No draft waits. A model drafts queries on the page Draft queries; drafts made "
            "elsewhere come in through Import: a file of queries with the column state set to "
            "draft and source_doc_id naming the document they were drafted from."
        )
    lead = Role.LEAD in here.person.roles
    heading.nothing_yet(said, "import" if lead else "label", "Import" if lead else "Label")


def show(here: Here, review: DraftReview) -> str:
    """Draw the draft beside its passage; returns its text as it stands, edited or not."""
    _note_when_shown(here, review.query.query_id)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        wording = _draft(here, review)
        _warnings(review)
    with right:
        _passage(review, wording)
    return wording


def _note_when_shown(here: Here, query_id: str) -> None:
    """Note since when the draft is on screen; say so where the one before was decided elsewhere."""
    held = st.session_state.get(_SHOWN)
    if held is not None and held[0] == query_id:
        return
    st.session_state[_SHOWN] = (query_id, time.monotonic())
    if held is not None and not _still_waits(here, held[0]):
        session.say(
            "warning",
            f"Somebody else decided on {held[0]} in the meantime; this is the next draft.",
        )
        st.rerun()


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
        height=96,
    )
    if query.information_need:
        text.show(f"Need: {query.information_need}", "lk-small")
    about = [query.source.value, *query.tags, query.provenance and f"made by {query.provenance}"]
    heading.note(" · ".join(filter(None, about)))
    return wording


def _wording_key(query_id: str) -> str:
    return f"lk_wording_{item(query_id)}"


def _warnings(review: DraftReview) -> None:
    if not review.warnings:
        heading.note("No warning from the checks.")
    for warning in review.warnings:
        chip = element("span", warning.name, cls="lk-chip lk-chip-warn")
        draw(
            element(
                "details",
                element("summary", chip),
                element("p", warning.evidence, dir="auto"),
                cls="lk-why",
                open="",
            )
        )


def _passage(review: DraftReview, wording: str) -> None:
    if review.source is None:
        named = review.query.source_doc_id
        heading.note(
            f"Its document {named} is not in the project." if named else "It names no document."
        )
        return
    st.caption(plain(f"drafted from {review.source.doc_id}"))
    text.show_document(review.source, text.query_terms(wording))


def decide(here: Here, review: DraftReview, wording: str) -> None:
    """Draw the decision in the part of the page that stays on screen, and do what was pressed."""
    query_id = review.query.query_id
    with st.bottom:
        accept, reject, skip = _actions(query_id, edited=wording.strip() != review.query.text)
        cause, note = (
            _causes(query_id) if st.session_state.get(_REJECTING) == query_id else ("", "")
        )
    if reject:
        opened = st.session_state.get(_REJECTING) == query_id
        st.session_state[_REJECTING] = None if opened else query_id
        st.rerun()
    if skip:
        _go_on(query_id)
    if accept or cause:
        _do(here, review, wording, cause, note)


def _actions(query_id: str, *, edited: bool) -> tuple[bool, bool, bool]:
    label = "Accept as edited" if edited else "Accept"
    with st.container(horizontal=True, key="lk_draft_actions"):
        return (
            st.button(label, key=f"lk_accept_{item(query_id)}", type="primary", shortcut="a"),
            st.button("Reject", key=f"lk_reject_{item(query_id)}", shortcut="x"),
            st.button("Next", key=f"lk_next_{item(query_id)}", type="tertiary", shortcut="n"),
        )


def _causes(query_id: str) -> tuple[str, str]:
    """Draw the causes of a rejection; returns the one pressed ("" for none) and the note."""
    note = st.text_input(
        "Note",
        key=f"lk_note_{item(query_id)}",
        placeholder="one sentence; required for the last cause",
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
            session.say("success", f"Accepted {query_id}.")
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    st.session_state[_DONE] = query_id
    st.session_state[_SHOWN] = None
    _go_on(query_id)


def _go_on(query_id: str) -> None:
    st.query_params[AFTER] = query_id
    st.rerun()
