"""One pair of a warm-up or quiz, drawn like a real one, with its form at the foot."""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st

from labelkit.judging.training import Exercise
from labelkit.model import LEVELS, Document, Query
from labelkit.rubric import BOUNDARIES, Rubric
from labelkit.ui import drafts, levels, notice, session, text
from labelkit.ui.frame import Here
from labelkit.ui.terms import query_terms

_OPEN = "lk_practice_open"
SHORTEST_LOOK = 0.4
"""Seconds below which a save is a key that was held, as with real pairs."""


@dataclass(slots=True)
class _Open:
    """What this session knows of the pair on its screen."""

    item_id: int
    shown_at: float
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A level and a reason that the person wants to save."""

    level: int | None
    reason: str


def pair(query: Query, document: Document, rubric: Rubric, caption: str) -> None:
    """Query, document and rubric, without anything that tells the level."""
    with st.container(key="lk_query_card", gap="xxsmall"):
        st.caption(caption)
        if query.turns:
            with st.expander(f"Earlier turns ({len(query.turns)})", expanded=True):
                text.show_turns(query.turns)
        text.show(query.text, "lk-query", tag="h1")
        if query.information_need:
            text.show(f"Need: {query.information_need}", "lk-small")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        text.show_document(document, query_terms(query.text))
    with right:
        _rubric(rubric)


def _rubric(rubric: Rubric) -> None:
    text.show(f"{rubric.title} (rubric v{rubric.version})", "lk-title", tag="h2")
    text.show_list(
        [
            *(
                f"{level} {words.name}: {words.definition}"
                for level, words in sorted(rubric.levels.items(), reverse=True)
            ),
            *(f"– {rule}" for rule in rubric.rules),
        ]
    )
    for boundary in reversed(BOUNDARIES):
        found = [example for example in rubric.examples if example.boundary == boundary]
        if found:
            with st.expander(f"Examples between {boundary.replace('/', ' and ')}"):
                for one in found:
                    text.show(f"“{one.query}” with {one.doc_id}: {one.level}", "lk-small")
                    text.show(f"because {one.why}", "lk-small")


def ask(here: Here, shown: Exercise, caption: str) -> Said | None:
    """Draw the pair and its form; returns what the person saves, once they do.

    The keys are those of the Label page. A choice and a save that arrive together save nothing.
    """
    state = _opened(shown.item_id)
    pair(shown.query, shown.document, shown.rubric, caption)
    with st.bottom:
        slot = st.empty()  # reserved: a message that shifts what is below would wipe the reason
        left, right = st.columns([3, 2])
        with left:
            pressed = _choose(shown, state)
        with right:
            reason = _reason(here, shown.item_id)
            save = st.button(
                "Save",
                key=f"lk_save_training_{shown.item_id}",
                type="primary",
                width="stretch",
                shortcut="Mod+Enter",
            )
    if pressed:
        if save:
            session.say("warning", "Not saved: the level changed at that moment. Look, save again.")
        st.rerun()
    if save and time.monotonic() - state.shown_at < SHORTEST_LOOK:
        session.say("warning", "That came faster than the document can be read. Look, save again.")
        st.rerun()
    notice.show_note(session.heard(), slot)
    return Said(state.level, reason) if save else None


def _opened(item_id: int) -> _Open:
    held: _Open | None = st.session_state.get(_OPEN)
    if held is None or held.item_id != item_id:
        held = st.session_state[_OPEN] = _Open(item_id, time.monotonic())
    return held


def _choose(shown: Exercise, state: _Open) -> bool:
    st.caption(f"Your level: {text.plain(levels.said(shown.rubric, state.level))}")
    found = levels.level_buttons(shown.rubric, item=f"training_{shown.item_id}", chosen=state.level)
    if found:
        # Which of two came last is not known, so neither is taken.
        state.level = found[0] if len(found) == 1 else None
    return bool(found)


def _reason(here: Here, item_id: int) -> str:
    return drafts.text_area(
        "Reason, one sentence",
        key=f"lk_reason_training_{item_id}",
        scope=here.draft_scope,
        choices={str(level): levels.level_key(level, f"training_{item_id}") for level in LEVELS},
        placeholder="What in the document decides?",
        stored=False,
        slot="training",
    )
