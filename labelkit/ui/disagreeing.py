"""The pairs on which raters differ: both reasons beside the document, and the lead's last word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit import judging
from labelkit.errors import LabelkitError
from labelkit.judging import Disagreement
from labelkit.model import LEVELS, Judgment
from labelkit.rubric import Rubric
from labelkit.ui import (
    disagreeing_causes,
    disagreeing_examples,
    drafts,
    evidence_marks,
    heading,
    levels,
    session,
    text,
)
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element, join
from labelkit.ui.text import plain

PAIR = "pair"
"""The query parameter that names the pair on screen."""

_LEVEL = "lk_final_level_"
_DONE = "lk_final_done"
_SEEN = "lk_final_seen_"
_SHOWN = "lk_final_shown"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def show(here: Here, rubric: Rubric, known: Mapping[str, str]) -> None:
    """Draw the section: how many differ, one of them, and what settles it."""
    heading.note(
        "While you could still be given a pair to judge, you are as blind to it as any rater: it "
        "is not shown here."
    )
    found = judging.disagreements(here.workspace, here.person.person_id)
    still_open = [one for one in found if one.adjudication is None]
    widest = sum(one.distance > 1 for one in still_open)
    opened = f"{len(still_open)} open, {widest} of them 0 against 2" if still_open else "None open"
    heading.section(
        "Disagreements", f"{opened}; {len(found) - len(still_open)} settled.{_kept(here)}"
    )
    if not found:
        draw(element("p", "Nothing to settle: no pair has different levels.", cls="lk-empty"))
    else:
        one = _chosen(found)
        if st.checkbox("Hide names", key="lk_hide_names"):
            known = _hidden(one)
        left, right = st.columns([2, 3], gap="medium")
        with left:
            this = item(one.query.query_id, one.document.doc_id)
            _both_sides(one, rubric, known)
            disagreeing_examples.offer(here, rubric, one, this)
            disagreeing_causes.ask(here, one, this)
            _settle(here, rubric, one, this)
        with right:
            _document(one)
    disagreeing_causes.counts(here)


def _kept(here: Here) -> str:
    kept = judging.count_kept_from(here.workspace, here.person.person_id)
    if not kept:
        return ""
    return f" {kept} more {'waits' if kept == 1 else 'wait'} until you have judged your own part."


def _hidden(one: Disagreement) -> dict[str, str]:
    """Letters instead of names."""
    return {person: f"Rater {letter}" for person, letter in _letters(one).items()}


def _letters(one: Disagreement) -> dict[str, str]:
    """A letter for each person, by the order in which the levels were given."""
    people = dict.fromkeys(judgment.person_id for judgment in one.judgments)
    return dict(zip(people, _LETTERS, strict=False))


def _name(one: Disagreement) -> str:
    return f"{one.query.query_id} {one.document.doc_id}"


def _chosen(found: Sequence[Disagreement]) -> Disagreement:
    """The pair the address names, else the one on screen, else the first; with the buttons to go
    through them. Another lead who settles the one on screen does not take it from under a save."""
    names = [_name(one) for one in found]
    asked = st.query_params.get(PAIR, st.session_state.get(_SHOWN))
    at = names.index(asked) if asked in names else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{at + 1} of {len(found)}")
        back = st.button("Previous", key="lk_pair_back", type="tertiary", shortcut="p")
        on = st.button("Next", key="lk_pair_on", type="tertiary", shortcut="n")
    if back or on:
        st.query_params[PAIR] = names[(at + (1 if on else -1)) % len(names)]
        st.rerun()
    st.session_state[_SHOWN] = names[at]
    return found[at]


def _both_sides(one: Disagreement, rubric: Rubric, known: Mapping[str, str]) -> None:
    text.show_turns(one.query.turns)
    text.show(one.query.text, "lk-query", tag="h3")
    if one.query.information_need:
        text.show(f"Need: {one.query.information_need}", "lk-small")
    letters = _letters(one)
    sides = [_side(told, letters[told.person_id], rubric, known) for told in one.judgments]
    draw(element("div", *sides, cls="lk-sides"))
    if one.adjudication is not None:
        final = one.adjudication
        text.show(
            f"Settled as {levels.said(rubric, final.level)} by "
            f"{known.get(final.person_id, final.person_id)}: {final.reason}",
            "lk-small lk-quote",
        )


def _side(judgment: Judgment, letter: str, rubric: Rubric, known: Mapping[str, str]) -> str:
    quotes = [
        element("p", f"“{span.quote}”", cls="lk-quote", dir="auto") for span in judgment.evidence
    ]
    name = known.get(judgment.person_id, judgment.person_id)
    return element(
        "div",
        element("b", letter, cls="lk-letter", aria_hidden="true"),
        element("b", name),
        join(" ", element("span", levels.said(rubric, judgment.level), cls="lk-chip")),
        element("p", judgment.reason, dir="auto"),
        *(quotes or [element("p", "marked nothing", cls="lk-few")]),
    )


def _document(one: Disagreement) -> None:
    """The document with what each marked; where nobody did, with the query's words."""
    if any(judgment.evidence for judgment in one.judgments):
        evidence_marks.show(one.document, one.judgments, _letters(one))
    else:
        text.show_document(one.document, text.query_terms(one.query.text))


def _settle(here: Here, rubric: Rubric, one: Disagreement, this: str) -> None:
    """Ask for the final level and its reason; nothing is written before Save."""
    slot = st.empty()
    chosen = st.session_state.get(_LEVEL + this)
    slot.caption(plain(f"Final level: {levels.said(rubric, chosen)}"))
    pressed = levels.level_buttons(rubric, item=this, chosen=chosen)
    done = st.session_state.pop(_DONE, None)
    reason = drafts.text_area(
        "Why this level is right, one sentence for both raters",
        key=_reason_key(this),
        scope=here.draft_scope,
        choices={str(level): levels.level_key(level, this) for level in LEVELS},
        forget=() if done is None else (_reason_key(done),),
        stored=False,
    )
    with st.container(horizontal=True):
        save = st.button("Settle", key=f"lk_settle_{this}", type="primary", shortcut="Mod+Enter")
        # A settled pair has a button of its own for that, above.
        both = one.adjudication is None and st.button(
            "Settle, and make it a boundary example", key=f"lk_settle_example_{this}"
        )
    if pressed:
        st.session_state[_LEVEL + this] = pressed[0] if len(pressed) == 1 else None
        if save or both or len(pressed) > 1:
            session.say("warning", "Not saved: the level changed at that moment. Look, save again.")
        st.rerun()
    if save or both:
        _save(here, one, chosen, reason, this, example=both)
    st.session_state[_SEEN + this] = _settled_at(one)


def _settled_at(one: Disagreement) -> str:
    return "" if one.adjudication is None else one.adjudication.created_at


def _reason_key(this: str) -> str:
    return f"lk_final_reason_{this}"


def _save(
    here: Here, one: Disagreement, level: int | None, reason: str, this: str, *, example: bool
) -> None:
    try:
        judging.adjudicate(
            here.workspace,
            here.person.person_id,
            one.query.query_id,
            one.document.doc_id,
            level=-1 if level is None else level,
            reason=reason,
            seen=st.session_state.get(_SEEN + this, _settled_at(one)),
        )
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    session.say("success", f"Settled: “{one.query.text}” with {one.document.doc_id} is {level}.")
    if example and level is not None:
        disagreeing_examples.make(here, one, level, reason)
    st.session_state[_DONE] = this
    st.query_params.pop(PAIR, None)
    st.session_state.pop(_SHOWN, None)
    st.rerun()
