"""The block at the foot of the Label page: choose, say why, save. Nothing is saved by accident."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from labelkit import judging
from labelkit.errors import LabelkitError
from labelkit.judging import Task
from labelkit.model import LEVELS
from labelkit.ui import activity, clock, drafts, finding, label_rubric, levels, notice, session
from labelkit.ui.frame import Here
from labelkit.ui.label_keys import show_keys
from labelkit.ui.label_state import (
    OpenPair,
    just_judged,
    leaving,
    reason_key,
    write_reason,
)
from labelkit.ui.text import plain

REASON = "Reason, one sentence"

Action = Literal["save", "later", "skip", "undo", "keys"]


def ask(here: Here, task: Task, state: OpenPair) -> tuple[Action | None, str]:
    """Draw the form in the part of the page that stays on screen.

    Returns what was pressed and the reason as the server has it. A choice is kept in `state`
    and as a draft, and the page runs again to show it. A choice and a save that arrive
    together save nothing: the keys were faster than the screen.
    """
    with st.bottom:
        slot = st.empty()  # reserved: a message that shifts what is below would wipe the reason
        left, right = st.columns([3, 2])
        with left:
            pressed = _choose(here, task, state)
        with right:
            reason, save = _reason(here, task, state)
            small = _actions(here, task, state)
            action: Action | None = "save" if save else small
    if pressed:
        if action == "save":
            session.say("warning", "Not saved: the level changed at that moment. Look, save again.")
        elif pressed > 1:
            session.say("warning", "Two keys came at once: press the one you mean.")
        st.rerun()
    if action == "save" and state.met:
        session.say("warning", "Not saved: another tab changed this pair. Look, save again.")
        st.rerun()
    if state.marked and action is None:
        st.rerun()  # so that the document hears that its marks are kept
    notice.show_note(session.heard(), slot)
    return action, reason


def act(here: Here, state: OpenPair, action: Action | None, reason: str) -> None:
    """Do what was pressed and run again; a refusal is said above the form and loses nothing."""
    if action == "keys":
        show_keys()
    elif action is not None:
        try:
            _do(here, state, action, reason)
        except LabelkitError as error:
            session.say("error", str(error))
        st.rerun()


def _do(here: Here, state: OpenPair, action: Action, reason: str) -> None:
    workspace, person_id = here.workspace, here.person.person_id
    with leaving(state, judged=action == "save"):
        if action == "save":
            judging.record(
                workspace,
                person_id,
                state.pair_id,
                level=state.chosen_level,
                cause=state.chosen_cause,
                reason=reason,
                evidence=state.evidence,
                seconds_on_screen=state.seconds_on_screen,
                active_seconds=state.active_seconds,
            )
        elif action == "skip":
            judging.skip(workspace, person_id, state.pair_id)
        elif action == "later":
            judging.judge_later(workspace, person_id, state.pair_id)
        else:
            undo(here)


def undo(here: Here) -> None:
    """Withdraw the person's last judgment and say which it was; its pair opens again."""
    undone = judging.undo(here.workspace, here.person.person_id)
    if undone is None:
        session.say("info", "There is nothing to undo: you have no judgment yet.")
    else:
        session.say("info", "Undone. Your last judgment is open again, with all that it said.")


def _choose(here: Here, task: Task, state: OpenPair) -> int:
    """Draw the choices, keep what was pressed, and return how many were."""
    if state.cannot:
        _chosen_line(here, f"Cause: {levels.said(task.rubric, None, state.cause)}", task)
        with st.container(key="lk_levels"):
            causes = levels.cause_buttons(item=task.pair_id, chosen=state.cause)
        if causes:
            state.cause = causes[0] if len(causes) == 1 else None
        return len(causes)
    _chosen_line(here, f"Your level: {levels.said(task.rubric, state.level)}", task)
    with st.container(key="lk_levels"):
        found = levels.level_buttons(task.rubric, item=task.pair_id, chosen=state.level)
    if found:
        # Which of two came last is not known, so neither is taken.
        state.level = found[0] if len(found) == 1 else None
    return len(found)


def _chosen_line(here: Here, words: str, task: Task) -> None:
    """What is chosen, and the rubric's help with choosing, each opening beside the buttons."""
    with st.container(horizontal=True, gap="small", key="lk_help", vertical_alignment="center"):
        st.caption(plain(words), width="content")
        for boundary in label_rubric.boundaries(task.rubric):
            with st.popover(f"Examples {boundary}", type="tertiary"):
                label_rubric.examples(task.rubric, boundary)
        with st.popover("Rubric", type="tertiary"):
            label_rubric.whole(here, task.rubric)


def _reason(here: Here, task: Task, state: OpenPair) -> tuple[str, bool]:
    """The reason, kept at once together with all else that was chosen; and whether to save."""
    key, done = reason_key(task.pair_id), just_judged()
    with st.container(horizontal=True, gap="small", key="lk_about", vertical_alignment="center"):
        st.caption(REASON, width="content")
        reused = _reuse(here, task)
        saved = st.empty()
    choices = {} if state.cannot else {str(n): levels.level_key(n, task.pair_id) for n in LEVELS}
    with st.container(horizontal=True, gap="xsmall", key="lk_say", wrap=False):
        reason = drafts.text_area(
            REASON,
            key=key,
            scope=here.draft_scope,
            # What was just written into the field stands: it takes no second source.
            draft="" if reused or state.met else state.kept.reason,
            choices=choices,
            forget=[key] if reused else [] if done is None else [reason_key(done)],
            placeholder="What in the document decides?",
            slot="reason",
            labelled=True,
        )
        save = _save(here, state)
    _keep_draft(here, task, state, reason)
    saved.caption(_kept(state), width="content")
    return reason, save


def _kept(state: OpenPair) -> str:
    """When the draft was last kept, and whether a passage should still be marked."""
    at = state.kept.updated_at
    parts = [f"kept {clock.time_of_day(at)}"] if at else []
    if state.chosen_level in {1, 2} and not state.evidence:
        parts.append("no passage marked yet (e)")
    return " · ".join(parts)


def _save(here: Here, state: OpenPair) -> bool:
    key = f"lk_save_{state.pair_id}"
    state.active_seconds = activity.seconds(state.pair_id, scope=here.draft_scope, button=key)
    # Always enabled and checked on the server: a disabled button would swallow quick keys.
    return st.button("Save", key=key, type="primary", shortcut="Mod+Enter")


def _reuse(here: Here, task: Task) -> bool:
    """Offer the person's own last reasons; a click writes one into the field."""
    offered = judging.recent_reasons(here.workspace, here.person.person_id)
    with st.popover("Reuse", type="tertiary", disabled=not offered):
        st.caption("Your last reasons. One that you use again is marked as reused.")
        for number, reason in enumerate(offered):
            if st.button(plain(reason), key=f"lk_reuse_{number}_{task.pair_id}", width="stretch"):
                write_reason(task.pair_id, reason)
                return True
    return False


def _actions(here: Here, task: Task, state: OpenPair) -> Action | None:
    """Draw the small actions; their keys rest while somebody types."""
    item = state.pair_id
    with st.container(horizontal=True, gap="xsmall", key="lk_actions"):
        pressed: dict[Action, bool] = {
            "later": _small("Later", f"lk_later_{item}", "j"),
            "skip": _small("Skip", f"lk_skip_{item}", "s"),
        }
        if _small("Levels" if state.cannot else "Cannot judge", f"lk_cannot_{item}", "x"):
            state.cannot = not state.cannot
            st.rerun()
        pressed["undo"] = _small("Undo", f"lk_undo_{item}", "u")
        finding.panel(here, task.query)
        # One dialog at a time.
        pressed["keys"] = _small("Keys", f"lk_keys_{item}", "h") and not finding.is_open()
    return next((action for action, was in pressed.items() if was), None)


def _small(label: str, key: str, shortcut: str) -> bool:
    return st.button(label, key=key, type="tertiary", shortcut=shortcut)


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
