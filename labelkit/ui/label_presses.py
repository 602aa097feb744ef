"""What was pressed on the Label page, done at the head of the run, before anything is drawn.

One run then saves a pair and shows the next. Some presses are put off to the run after: those of
which the session learns only while it draws (its first run after a restart of the server), those
that come with a passage, and those that leave a pair unjudged, for what was typed is kept first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from labelkit import judging
from labelkit.errors import LabelkitError
from labelkit.model import LEVELS, Cause
from labelkit.ui import activity, label_document, label_state, levels, session
from labelkit.ui.frame import Here
from labelkit.ui.label_state import OpenPair, leaving, reason_key

_PUT_OFF = "lk_presses_put_off"
LEAVING = ("later", "skip", "undo")
ACTIONS = ("save", *LEAVING)


def key(name: str, pair_id: int) -> str:
    """The key of one of the small buttons or of Save."""
    return f"lk_{name}_{pair_id}"


@dataclass(frozen=True, slots=True)
class _Presses:
    """The keys of the buttons that were pressed since the run before."""

    keys: frozenset[str]
    pair_id: int

    def levels(self) -> list[int]:
        return [n for n in LEVELS if levels.level_key(n, self.pair_id) in self.keys]

    def causes(self) -> list[Cause]:
        return [c for c in Cause if levels.cause_key(c, self.pair_id) in self.keys]

    def has(self, name: str) -> bool:
        return key(name, self.pair_id) in self.keys


def act(here: Here) -> None:
    """Do what was pressed for the pair on screen; a refusal is kept to be shown, and loses nothing.

    A choice and a save that arrive together save nothing: the keys were faster than the screen.
    """
    state = label_state.on_screen()
    put_off = st.session_state.pop(_PUT_OFF, frozenset())
    if state is None:
        return
    presses = _Presses(_now(state.pair_id) | put_off, state.pair_id)
    state.heard = presses.keys
    if label_document.changed(state.pair_id):
        _put_off(presses.keys)  # the passage that came with it is read where the document is drawn
        return
    chosen = _choose(state, presses)
    action = next((name for name in ACTIONS if presses.has(name)), None)
    if action in LEAVING and key(action, state.pair_id) not in put_off:
        _put_off(frozenset({key(action, state.pair_id)}))
    elif chosen and action == "save":
        session.say("warning", "Not saved: the level changed at that moment. Look, save again.")
    elif action is not None:
        _do(here, state, action)


def relay(state: OpenPair, drawn: Iterable[str]) -> None:
    """Run again for what was pressed and not yet heard at the head of this run."""
    late = frozenset(drawn) - state.heard
    if late:
        _put_off(late)
    # marked: so that the document hears that its marks are kept
    if st.session_state.get(_PUT_OFF) or state.marked:
        st.rerun()


def _now(pair_id: int) -> frozenset[str]:
    ours = [key(name, pair_id) for name in (*ACTIONS, "cannot")]
    ours += [levels.level_key(level, pair_id) for level in LEVELS]
    ours += [levels.cause_key(cause, pair_id) for cause in Cause]
    return frozenset(one for one in ours if st.session_state.get(one) is True)


def _put_off(keys: frozenset[str]) -> None:
    st.session_state[_PUT_OFF] = keys


def _choose(state: OpenPair, presses: _Presses) -> bool:
    """Keep what was chosen; which of two came last is not known, so neither is taken."""
    levels_now, causes = presses.levels(), presses.causes()
    if levels_now:
        state.level = levels_now[0] if len(levels_now) == 1 else None
    if causes:
        state.cause = causes[0] if len(causes) == 1 else None
    if presses.has("cannot"):
        state.cannot = not state.cannot
    if max(len(levels_now), len(causes)) > 1:
        session.say("warning", "Two keys came at once: press the one you mean.")
    return bool(levels_now or causes)


def _do(here: Here, state: OpenPair, action: str) -> None:
    try:
        with leaving(state, judged=action == "save"):
            if action == "save":
                _save(here, state)
            elif action == "skip":
                judging.skip(here.workspace, here.person.person_id, state.pair_id)
            elif action == "later":
                judging.judge_later(here.workspace, here.person.person_id, state.pair_id)
            else:
                undo(here)
    except LabelkitError as error:
        session.say("error", str(error))


def _save(here: Here, state: OpenPair) -> None:
    judging.record(
        here.workspace,
        here.person.person_id,
        state.pair_id,
        level=state.chosen_level,
        cause=state.chosen_cause,
        reason=st.session_state.get(reason_key(state.pair_id)) or "",
        evidence=state.evidence,
        seconds_on_screen=state.seconds_on_screen,
        active_seconds=activity.spent(state.pair_id),
        draft_seen=state.kept.updated_at,
        shown=state.task,
    )


def undo(here: Here) -> None:
    """Withdraw the person's last judgment and say which it was; its pair opens again."""
    undone = judging.undo(here.workspace, here.person.person_id)
    if undone is None:
        session.say("info", "There is nothing to undo: you have no judgment yet.")
    else:
        session.say("info", "Undone. Your last judgment is open again, with all that it said.")
