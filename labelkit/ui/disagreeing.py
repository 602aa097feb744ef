"""The pairs on which raters differ: both reasons beside the document, and the lead's last word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit import judging
from labelkit.errors import LabelkitError
from labelkit.judging import Disagreement
from labelkit.model import LEVELS, Judgment
from labelkit.rubric import Rubric
from labelkit.ui import drafts, heading, levels, session, text
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element, join
from labelkit.ui.text import Finder, plain

PAIR = "pair"
"""The query parameter that names the pair on screen."""

_LEVEL = "lk_final_level_"
_DONE = "lk_final_done"
_LETTERS = "ABCDEFGHIJ"


def show(here: Here, rubric: Rubric, known: Mapping[str, str]) -> None:
    """Draw the section: how many differ, one of them, and what settles it."""
    heading.note(
        "While you could still be given a pair to judge, you are as blind to it as any rater: it "
        "is not shown here."
    )
    found = judging.disagreements(here.workspace, here.person.person_id)
    still_open = [one for one in found if one.adjudication is None]
    widest = sum(one.distance > 1 for one in still_open)
    heading.section(
        "Disagreements",
        f"{len(still_open)} open, {widest} of them 0 against 2; "
        f"{len(found) - len(still_open)} settled." + _kept(here),
    )
    if not found:
        draw(element("p", "Nothing to settle: no pair has different levels.", cls="lk-empty"))
    else:
        one = _chosen(found)
        if st.checkbox("Hide names", key="lk_hide_names"):
            known = _hidden(one)
        left, right = st.columns([2, 3], gap="medium")
        with left:
            _both_sides(one, rubric, known)
            _settle(here, rubric, one)
        with right:
            text.show_document(one.document, _evidence(one))


def _kept(here: Here) -> str:
    kept = judging.count_kept_from(here.workspace, here.person.person_id)
    if not kept:
        return ""
    return f" {kept} more {'waits' if kept == 1 else 'wait'} until you have judged your own part."


def _hidden(one: Disagreement) -> dict[str, str]:
    """Letters instead of names, by the order in which the levels were given."""
    people = dict.fromkeys(judgment.person_id for judgment in one.judgments)
    return {person: f"Rater {letter}" for person, letter in zip(people, _LETTERS, strict=False)}


def _name(one: Disagreement) -> str:
    return f"{one.query.query_id} {one.document.doc_id}"


def _chosen(found: Sequence[Disagreement]) -> Disagreement:
    """The pair the address names, else the first; with the buttons to go through them."""
    names = [_name(one) for one in found]
    asked = st.query_params.get(PAIR)
    at = names.index(asked) if asked in names else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{at + 1} of {len(found)}")
        back = st.button("Previous", key="lk_pair_back", type="tertiary", shortcut="p")
        on = st.button("Next", key="lk_pair_on", type="tertiary", shortcut="n")
    if back or on:
        st.query_params[PAIR] = names[(at + (1 if on else -1)) % len(names)]
        st.rerun()
    return found[at]


def _both_sides(one: Disagreement, rubric: Rubric, known: Mapping[str, str]) -> None:
    text.show_turns(one.query.turns)
    text.show(one.query.text, "lk-query", tag="h3")
    if one.query.information_need:
        text.show(f"Need: {one.query.information_need}", "lk-small")
    sides = [_side(judgment, rubric, known) for judgment in one.judgments]
    draw(element("div", *sides, cls="lk-sides"))
    if one.adjudication is not None:
        final = one.adjudication
        text.show(
            f"Settled as {levels.said(rubric, final.level)} by "
            f"{known.get(final.person_id, final.person_id)}: {final.reason}",
            "lk-small lk-quote",
        )


def _side(judgment: Judgment, rubric: Rubric, known: Mapping[str, str]) -> str:
    quotes = [element("p", f"“{span.quote}”", cls="lk-quote") for span in judgment.evidence]
    return element(
        "div",
        element("b", known.get(judgment.person_id, judgment.person_id)),
        join(" ", element("span", levels.said(rubric, judgment.level), cls="lk-chip")),
        element("p", judgment.reason, dir="auto"),
        *quotes,
    )


def _evidence(one: Disagreement) -> Finder | None:
    """What the raters marked, else the query's words."""
    quotes = {span.quote for judgment in one.judgments for span in judgment.evidence if span.quote}
    if not quotes:
        return text.query_terms(one.query.text)
    return re.compile("|".join(re.escape(quote) for quote in sorted(quotes, key=len, reverse=True)))


def _settle(here: Here, rubric: Rubric, one: Disagreement) -> None:
    """Ask for the final level and its reason; nothing is written before Save."""
    this = item(one.query.query_id, one.document.doc_id)
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
    save = st.button("Settle", key=f"lk_settle_{this}", type="primary", shortcut="Mod+Enter")
    if pressed:
        st.session_state[_LEVEL + this] = pressed[0] if len(pressed) == 1 else None
        if save or len(pressed) > 1:
            session.say("warning", "Not saved: the level changed at that moment. Look, save again.")
        st.rerun()
    if save:
        _save(here, one, chosen, reason, this)


def _reason_key(this: str) -> str:
    return f"lk_final_reason_{this}"


def _save(here: Here, one: Disagreement, level: int | None, reason: str, this: str) -> None:
    try:
        judging.adjudicate(
            here.workspace,
            here.person.person_id,
            one.query.query_id,
            one.document.doc_id,
            level=-1 if level is None else level,
            reason=reason,
        )
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    session.say("success", f"Settled: “{one.query.text}” with {one.document.doc_id} is {level}.")
    st.session_state[_DONE] = this
    st.query_params.pop(PAIR, None)
    st.rerun()
