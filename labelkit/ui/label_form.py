"""The block at the foot of the Label page: choose, say why, save. Nothing is saved by accident."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from labelkit import judging
from labelkit.errors import LabelkitError
from labelkit.judging import Task
from labelkit.model import LEVELS, Cause
from labelkit.ui import drafts, levels, notice, session
from labelkit.ui.frame import Here

Action = Literal["save", "later", "skip", "undo", "keys"]
_OPEN = "lk_open_pair"
_DONE = "lk_done_pair"

KEYS = (
    ("2, 1, 0", "choose a level and go to the reason; nothing is saved yet"),
    ("Esc", "leave the reason, so that the keys act again"),
    ("Ctrl+Enter", "save level and reason, next document"),
    ("j", "judge later: onto your own list"),
    ("s", "skip: comes back at the end"),
    ("x", "cannot judge: choose a cause instead of a level, and back"),
    ("u", "undo your last judgment and open it again"),
    ("h", "this list"),
)


@dataclass(slots=True)
class OpenPair:
    """What this browser session knows of the pair on its screen."""

    pair_id: int
    shown_at: float
    level: int | None = None
    cause: Cause | None = None
    cannot: bool = False

    @property
    def seconds_on_screen(self) -> float:
        """How long the pair has been on this screen."""
        return time.monotonic() - self.shown_at

    @property
    def chosen_level(self) -> int | None:
        """The level, unless a cause is being chosen instead."""
        return None if self.cannot else self.level

    @property
    def chosen_cause(self) -> Cause | None:
        """The cause, if one is being chosen instead of a level."""
        return self.cause if self.cannot else None


def reason_key(pair_id: int) -> str:
    """The key of a pair's reason: the id in it keeps words from sliding into the next pair."""
    return f"lk_reason_{pair_id}"


def opened(task: Task) -> OpenPair:
    """The state of the pair on screen; says so where another tab or a lease changed the pair."""
    state: OpenPair | None = st.session_state.get(_OPEN)
    if state is not None and state.pair_id == task.pair_id:
        return state
    if state is not None:
        session.say(
            "warning",
            "The pair on your screen was finished in another tab or given back. "
            "This is the next one.",
        )
    level = task.draft.level if task.draft else None
    state = st.session_state[_OPEN] = OpenPair(task.pair_id, time.monotonic(), level)
    return state


def forget_open() -> None:
    """Let go of the pair on screen because the person asked for another."""
    st.session_state.pop(_OPEN, None)


@contextmanager
def _leaving(state: OpenPair, *, judged: bool = False) -> Iterator[None]:
    """Let go of the pair on screen around the verb that ends it; take it back if that refuses.

    Before and not after: a second click can end this run right behind the verb, and the next
    run would take the pair for one that another tab finished.
    """
    st.session_state.pop(_OPEN, None)
    if judged:
        st.session_state[_DONE] = state.pair_id
    try:
        yield
    except LabelkitError:
        st.session_state[_OPEN] = state
        st.session_state.pop(_DONE, None)
        raise


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
            pressed = _choose(task, state)
        with right:
            reason = _reason(here, task, state)
            action = _actions(state)
    _keep_draft(here, task, state, reason)
    if pressed:
        if action == "save":
            session.say("warning", "Not saved: the level changed at that moment. Look, save again.")
        elif pressed > 1:
            session.say("warning", "Two keys came at once: press the one you mean.")
        st.rerun()
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
    with _leaving(state, judged=action == "save"):
        if action == "save":
            judging.record(
                workspace,
                person_id,
                state.pair_id,
                level=state.chosen_level,
                cause=state.chosen_cause,
                reason=reason,
                seconds_on_screen=state.seconds_on_screen,
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
        session.say("info", "Undone. Your last judgment is open again, its level and reason kept.")


def _choose(task: Task, state: OpenPair) -> int:
    """Draw the choices, keep what was pressed, and return how many were."""
    if state.cannot:
        st.caption(f"Cause: {levels.said(task.rubric, None, state.cause)}")
        causes = levels.cause_buttons(item=task.pair_id, chosen=state.cause)
        if causes:
            state.cause = causes[0] if len(causes) == 1 else None
        return len(causes)
    st.caption(f"Your level: {levels.said(task.rubric, state.level)}")
    found = levels.level_buttons(task.rubric, item=task.pair_id, chosen=state.level)
    if found:
        # Which of two came last is not known, so neither is taken.
        state.level = found[0] if len(found) == 1 else None
    return len(found)


def _reason(here: Here, task: Task, state: OpenPair) -> str:
    done = st.session_state.pop(_DONE, None)
    return drafts.text_area(
        "Reason, one sentence",
        key=reason_key(task.pair_id),
        scope=here.draft_scope,
        draft=task.draft.reason if task.draft else "",
        choices={}
        if state.cannot
        else {str(level): levels.level_key(level, task.pair_id) for level in LEVELS},
        forget=() if done is None else (reason_key(done),),
        placeholder="What in the document decides?",
        slot="reason",
    )


def _actions(state: OpenPair) -> Action | None:
    """Draw Save and the small actions; the keys of the small ones rest while somebody types."""
    item = state.pair_id
    # Always enabled and checked on the server: a disabled button would swallow quick keys.
    save = st.button(
        "Save", key=f"lk_save_{item}", type="primary", width="stretch", shortcut="Mod+Enter"
    )
    with st.container(horizontal=True, gap="xsmall", key="lk_actions"):
        pressed: dict[Action, bool] = {
            "later": _small("Later", f"lk_later_{item}", "j"),
            "skip": _small("Skip", f"lk_skip_{item}", "s"),
        }
        if _small("Levels" if state.cannot else "Cannot judge", f"lk_cannot_{item}", "x"):
            state.cannot = not state.cannot
            st.rerun()
        pressed["undo"] = _small("Undo", f"lk_undo_{item}", "u")
        pressed["keys"] = _small("Keys", f"lk_keys_{item}", "h")
    if save:
        return "save"
    return next((action for action, was in pressed.items() if was), None)


def _small(label: str, key: str, shortcut: str) -> bool:
    return st.button(label, key=key, type="tertiary", shortcut=shortcut)


def _keep_draft(here: Here, task: Task, state: OpenPair, reason: str) -> None:
    held = (task.draft.level, task.draft.reason) if task.draft else (None, "")
    if (state.level, reason) != held:
        judging.save_draft(
            here.workspace,
            here.person.person_id,
            task.pair_id,
            level=state.level,
            reason=reason,
        )


@st.dialog("Keys")
def show_keys() -> None:
    """The keys of the Label page; none of them acts while a text field has the cursor."""
    st.markdown("\n".join(["| key | does |", "|---|---|", *(f"| {k} | {d} |" for k, d in KEYS)]))
