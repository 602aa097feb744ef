"""One pair of a warm-up or quiz, drawn like a real one, with its form at the foot."""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st

from labelkit.judging import recording
from labelkit.judging.training import Exercise, Feedback
from labelkit.model import LEVELS, Span
from labelkit.rubric import Rubric
from labelkit.ui import (
    drafts,
    label_document,
    label_panels,
    label_rubric,
    levels,
    notice,
    session,
    text,
)
from labelkit.ui.frame import Here
from labelkit.ui.label_state import OpenPair

_OPEN = "lk_practice_open"


@dataclass(frozen=True, slots=True)
class Said:
    """What the person wants to save."""

    level: int | None
    reason: str
    evidence: tuple[Span, ...]


def pair(here: Here, shown: Exercise | Feedback, rubric: Rubric, caption: str) -> OpenPair:
    """Query, document and rubric, without anything that tells the level.

    Passages are marked as with real pairs, also where the rubric requires it, and are not kept.
    """
    state = _opened(shown.item_id)
    label_panels.card(caption, shown.query)
    left, right = st.columns([3, 2], gap="medium")
    with right, st.container(key="lk_side"):
        label_rubric.whole(here, rubric)
    with left:
        state.take_evidence(
            label_document.show(
                shown.document,
                shown.query.text,
                item=f"training_{shown.item_id}",
                scope=here.draft_scope,
                evidence=state.evidence,
                answered=state.answered,
            )
        )
    return state


def ask(here: Here, shown: Exercise, caption: str) -> Said | None:
    """Draw the pair and its form; returns what the person saves, once they do.

    The keys are those of the Label page. A choice and a save that arrive together save nothing.
    """
    state = pair(here, shown, shown.rubric, caption)
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
    if save and state.seconds_on_screen < recording.SHORTEST_LOOK:
        session.say("warning", "That came faster than the document can be read. Look, save again.")
        st.rerun()
    if state.marked and not save:
        st.rerun()  # so that the document hears that its marks are kept
    notice.show_note(session.heard(), slot)
    return Said(state.level, reason, state.evidence) if save else None


def _opened(item_id: int) -> OpenPair:
    held: OpenPair | None = st.session_state.get(_OPEN)
    if held is None or held.pair_id != item_id:
        held = st.session_state[_OPEN] = OpenPair(item_id, time.monotonic())
    return held


def _choose(shown: Exercise, state: OpenPair) -> bool:
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
        placeholder="One sentence: what in the document decides?",
        stored=False,
        slot="training",
    )
