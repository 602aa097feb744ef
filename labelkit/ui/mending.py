"""The pairs that nobody could judge: their four queues, and the decision that ends each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit.errors import LabelkitError
from labelkit.judging import stopped
from labelkit.judging.stopped import StoppedPair
from labelkit.model import Cause
from labelkit.ui import (
    clock,
    drafts,
    heading,
    mending_fields,
    mending_pool,
    navigation,
    session,
    tables,
    text,
)
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element
from labelkit.ui.mending_fields import Decision
from labelkit.wording import counted

QUEUES: Mapping[Cause, tuple[str, str]] = {
    Cause.QUERY_UNCLEAR: ("Query unclear", "for whoever wrote or owns the query"),
    Cause.DOCUMENT_UNREADABLE: ("Document unreadable", "for whoever owns the documents"),
    Cause.NEEDS_EXPERT: ("Needs an expert", "anyone else is given these as well"),
    Cause.RUBRIC_GAP: ("Rubric gap", "for whoever keeps the rubric"),
}
_DONE = "lk_mended_fields"
"""The fields of the decision just made: the browser may forget their words."""

DECIDED = {
    "query_edited": "query reworded",
    "query_retired": "query retired",
    "document_corrected": "document corrected",
    "document_unreadable": "declared unreadable",
    "rubric_clarified": "rubric clarified",
    "judge_anyway": "judge anyway",
    "experts_named": "given to named people",
}


def show(here: Here, found: Sequence[StoppedPair], known: Mapping[str, str]) -> None:
    """Draw the queue chosen, one subject of it, and what can be decided."""
    heading.note(
        "Nobody is given these pairs until you decide; those that need an expert go to anyone else "
        "meanwhile. You read why someone could not judge, and "
        "no level; a pair that you could still be given to judge yourself is left out."
    )
    if not found:
        draw(element("p", "No pair waits here: everything can be judged.", cls="lk-empty"))
    else:
        _queue(here, found, known)
    mending_pool.offer(here)
    _decided(here, known)


def _queue(here: Here, found: Sequence[StoppedPair], known: Mapping[str, str]) -> None:
    counts = {cause: sum(one.cause is cause for one in found) for cause in QUEUES}
    first = next(cause for cause in QUEUES if counts[cause])
    cause = st.radio(
        "Queue",
        list(QUEUES),
        index=list(QUEUES).index(first),
        format_func=lambda one: f"{QUEUES[one][0]} ({counts[one]})",
        horizontal=True,
        key="lk_queue",
        label_visibility="collapsed",
    )
    heading.note(f"{QUEUES[cause][0]}: {QUEUES[cause][1]}.")
    subjects = _subjects(cause, [one for one in found if one.cause is cause])
    if not subjects:
        draw(element("p", "Nothing waits in this queue.", cls="lk-empty"))
        return
    name = st.selectbox(
        "What waits",
        list(subjects),
        format_func=lambda one: " ".join(_named(cause, subjects[one]).split()),
        key=f"lk_subject_{cause}",
    )
    group = subjects.get(name) or next(iter(subjects.values()))
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _reasons(group, known)
        _decide(here, cause, group)
    with right:
        text.show_document(group[0].document, text.query_terms(group[0].query.text))


def _subjects(cause: Cause, waiting: Sequence[StoppedPair]) -> dict[str, list[StoppedPair]]:
    """What is decided together: all pairs of one query or document, else one pair."""
    grouped: dict[str, list[StoppedPair]] = {}
    for one in waiting:
        subject = {
            Cause.QUERY_UNCLEAR: one.query.query_id,
            Cause.DOCUMENT_UNREADABLE: one.document.doc_id,
        }.get(cause, str(one.pair_id))
        grouped.setdefault(subject, []).append(one)
    return grouped


def _named(cause: Cause, group: Sequence[StoppedPair]) -> str:
    one = group[0]
    title = one.document.title or one.document.doc_id
    pairs = "" if len(group) == 1 else f" ({counted(len(group), 'pair')})"
    if cause is Cause.DOCUMENT_UNREADABLE:
        return f"{title}{pairs}"
    if cause is Cause.QUERY_UNCLEAR:
        return f"“{one.query.text}”{pairs}"
    return f"“{one.query.text}” with {title}"


def _reasons(group: Sequence[StoppedPair], known: Mapping[str, str]) -> None:
    first = group[0]
    text.show_turns(first.query.turns)
    text.show(first.query.text, "lk-query", tag="h3")
    if first.query.information_need:
        text.show(f"Need: {first.query.information_need}", "lk-small")
    for one in group:
        for given in one.given:
            who = known.get(given.person_id, given.person_id)
            said = f"{who}, {clock.time_of_day(given.created_at)}: {given.reason}"
            text.show(f"{one.document.title or one.document.doc_id}\n{said}", "lk-text lk-small")
        if one.levels:
            people_gave = counted(one.levels, "person gave", "people gave")
            text.show(f"{people_gave} it a level; that level stands.", "lk-small")


def _decide(here: Here, cause: Cause, group: Sequence[StoppedPair]) -> None:
    this = item(cause, *(str(one.pair_id) for one in group))
    choices = mending_fields.CHOICES[cause]
    choice = st.radio("Decision", list(choices), key=f"lk_decision_{this}")
    with st.form(f"lk_mend_{this}_{list(choices).index(choice)}", border=False):
        decision = choices[choice](here, group, this)
        note = drafts.text_area(
            decision.note_label,
            key=f"lk_note_{this}",
            scope=here.draft_scope,
            stored=False,
            forget=st.session_state.pop(_DONE, ()),
        )
        sent = st.form_submit_button(decision.button, type="primary")
    if cause is Cause.RUBRIC_GAP:
        navigation.link("rubric", "Edit the rubric first")
    if sent:
        _save(decision, note, this)


def _save(decision: Decision, note: str, this: str) -> None:
    try:
        said = decision.save(note)
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    session.say("success", said)
    st.session_state[_DONE] = [f"lk_{field}_{this}" for field in ("note", "wording", "body")]
    st.rerun()


def _decided(here: Here, known: Mapping[str, str]) -> None:
    """The last decisions, for whoever asks what became of a pair."""
    past = stopped.mendings(here.workspace, here.person.person_id)
    if not past:
        return
    with st.expander(f"Decided so far ({len(past)} shown)"):
        tables.show(
            ["when", "decision", "about", "pairs", "why", "by"],
            [
                (
                    f"{clock.day(one.at)} {clock.time_of_day(one.at)}",
                    DECIDED[one.decision],
                    f"“{one.before}” to “{one.after}”" if one.after else one.query_id or one.doc_id,
                    one.pairs,
                    one.note,
                    known.get(one.person_id, one.person_id),
                )
                for one in past
            ],
            label="Decisions on pairs that could not be judged",
            numbers=["pairs"],
        )


def note_for_rater(here: Here, pair_id: int) -> None:
    """On the Label page: what a lead wrote for whoever judges this pair after it came back."""
    # Always there: what appears above a form would wipe what is being typed in it.
    with st.container(key="lk_lead_notes"):
        for note in stopped.notes_for_rater(here.workspace, pair_id):
            text.show(f"A lead's note on this pair: {note}", "lk-small lk-quote")
