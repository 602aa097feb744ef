"""The block at the foot of the Label page: choose, say why, save. Nothing is saved by accident."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from labelkit import judging
from labelkit.judging import Task
from labelkit.model import LEVELS
from labelkit.ui import (
    activity,
    clock,
    drafts,
    finding,
    label_presses,
    label_rubric,
    levels,
    notice,
    session,
)
from labelkit.ui.frame import Here
from labelkit.ui.label_keys import show_keys
from labelkit.ui.label_state import OpenPair, just_judged, reason_key, write_reason
from labelkit.ui.text import plain

if TYPE_CHECKING:
    from streamlit.elements.lib.mutable_popover_container import PopoverContainer

REASON = "Reason, one sentence"


def ask(here: Here, task: Task, state: OpenPair) -> None:
    """Draw the form in the part of the page that stays on screen.

    What is pressed in it is done at the head of the next run (`label_presses`).
    """
    with st.bottom:
        slot = st.empty()  # reserved: a message that shifts what is below would wipe the reason
        left, right = st.columns([3, 2])
        with left:
            pressed = _choose(here, task, state)
        with right:
            pressed |= _reason(here, task, state)
            pressed |= _actions(here, task, state)
    label_presses.relay(state, pressed)
    notice.show_note(session.heard(), slot)


def _choose(here: Here, task: Task, state: OpenPair) -> set[str]:
    """Draw the choices; returns the keys of those that were pressed."""
    item = task.pair_id
    if state.cannot:
        _chosen_line(here, f"Cause: {levels.said(task.rubric, None, state.cause)}", task)
        with st.container(key="lk_levels"):
            causes = levels.cause_buttons(item=item, chosen=state.cause)
        return {levels.cause_key(cause, item) for cause in causes}
    _chosen_line(here, f"Your level: {levels.said(task.rubric, state.level)}", task)
    with st.container(key="lk_levels"):
        found = levels.level_buttons(task.rubric, item=item, chosen=state.level)
    return {levels.level_key(level, item) for level in found}


def _chosen_line(here: Here, words: str, task: Task) -> None:
    """What is chosen, and the rubric's help with choosing, each opening beside the buttons."""
    with st.container(horizontal=True, gap="small", key="lk_help", vertical_alignment="center"):
        st.caption(plain(words), width="content")
        with _popover("Rubric", "lk_rubric") as shown:
            if shown.open:
                label_rubric.whole(here, task.rubric)
        for boundary in label_rubric.boundaries(task.rubric):
            with _popover(f"Examples {boundary}", f"lk_examples_{boundary}") as shown:
                if shown.open:
                    label_rubric.examples(task.rubric, boundary)


def _popover(label: str, key: str) -> PopoverContainer:
    # Filled when it is opened: every save draws the page again.
    return st.popover(label, type="tertiary", key=key, on_change="rerun")


def _reason(here: Here, task: Task, state: OpenPair) -> set[str]:
    """The reason, kept at once together with all else that was chosen; and the button Save."""
    key, done = reason_key(task.pair_id), just_judged()
    with st.container(horizontal=True, gap="small", key="lk_about", vertical_alignment="center"):
        st.caption("Reason", width="content")
        reused = _reuse(here, task)
        saved = st.empty()
    with st.container(horizontal=True, gap="xsmall", key="lk_say", wrap=False):
        reason = drafts.text_area(
            REASON,
            key=key,
            scope=here.draft_scope,
            # What was just written into the field stands: it takes no second source.
            draft="" if reused or state.met else state.kept.reason,
            choices=_digits(state),
            forget=[key] if reused else [] if done is None else [reason_key(done)],
            placeholder="One sentence: what in the document decides?",
            slot="reason",
            labelled=True,
        )
        save = _save(here, state)
    _keep_draft(here, task, state, reason)
    saved.caption(_kept(state), width="content")
    return save


def _digits(state: OpenPair) -> dict[str, str]:
    """Which digit presses which button on screen."""
    if state.cannot:
        return {n: levels.cause_key(c, state.pair_id) for n, c in levels.CAUSE_DIGITS.items()}
    return {str(n): levels.level_key(n, state.pair_id) for n in LEVELS}


def _kept(state: OpenPair) -> str:
    """When the draft was last kept, and whether a passage should still be marked."""
    at = state.kept.updated_at
    parts = [f"kept {clock.time_of_day(at)}"] if at else []
    if state.chosen_level in {1, 2} and not state.evidence:
        parts.append("no passage yet")
    return " · ".join(parts)


def _save(here: Here, state: OpenPair) -> set[str]:
    key = label_presses.key("save", state.pair_id)
    activity.watch(state.pair_id, scope=here.draft_scope, button=key)
    # Always enabled and checked on the server: a disabled button would swallow quick keys.
    pressed = st.button("Save", key=key, type="primary", shortcut="Mod+Enter")
    return {key} if pressed else set()


def _reuse(here: Here, task: Task) -> bool:
    """Offer the person's own last reasons; a click writes one into the field."""
    with _popover("Reuse", "lk_reuse") as shown:
        if not shown.open:
            return False
        offered = judging.recent_reasons(here.workspace, here.person.person_id)
        st.caption(
            "Your last reasons. One that you use again is marked as reused."
            if offered
            else "None yet: here you find your last reasons."
        )
        for number, reason in enumerate(offered):
            if st.button(plain(reason), key=f"lk_reuse_{number}_{task.pair_id}", width="stretch"):
                write_reason(task.pair_id, reason)
                return True
    return False


def _actions(here: Here, task: Task, state: OpenPair) -> set[str]:
    """Draw the small actions; their keys rest while somebody types."""
    with st.container(horizontal=True, gap="xsmall", key="lk_actions"):
        pressed = _small("Later", "later", "j", state)
        pressed |= _small("Skip", "skip", "s", state)
        pressed |= _small("Levels" if state.cannot else "Cannot judge", "cannot", "x", state)
        pressed |= _small("Undo", "undo", "u", state)
        finding.panel(here, task.query)
        # One dialog at a time.
        if _small("Keys", "keys", "h", state) and not finding.is_open():
            show_keys()
    return pressed


def _small(label: str, name: str, shortcut: str, state: OpenPair) -> set[str]:
    key = label_presses.key(name, state.pair_id)
    return {key} if st.button(label, key=key, type="tertiary", shortcut=shortcut) else set()


def _keep_draft(here: Here, task: Task, state: OpenPair, reason: str) -> None:
    if state.draft(reason) != state.kept:
        kept = judging.save_draft(
            here.workspace,
            here.person.person_id,
            task.pair_id,
            level=state.level,
            cause=state.chosen_cause,
            reason=reason,
            evidence=state.evidence,
            seconds_on_screen=state.seconds_on_screen,
        )
        state.kept = kept or state.kept
