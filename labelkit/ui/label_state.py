"""What a browser session knows of the pair on its screen, and how it meets its other tabs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import streamlit as st

from labelkit.errors import LabelkitError
from labelkit.judging import Task, claims
from labelkit.model import Cause, Span
from labelkit.store.label_drafts import LabelDraft
from labelkit.ui import session
from labelkit.ui.label_document import Marked

_OPEN = "lk_open_pair"
_DONE = "lk_done_pair"

NOTHING = LabelDraft(None, "")


@dataclass(slots=True)
class OpenPair:
    """The pair on screen.

    `kept` is the draft as this session last read or wrote it: what differs from it was changed
    here, and what the store has otherwise was changed in another tab (`met`). `answered` names the
    last change of the evidence that came from the browser; `marked`: it came in this run. `heard`
    are the keys of the buttons that this run has acted on; `task` is what the screen shows.
    """

    pair_id: int
    shown_at: float
    task: Task | None = None
    level: int | None = None
    cause: Cause | None = None
    cannot: bool = False
    evidence: tuple[Span, ...] = ()
    answered: str = ""
    kept: LabelDraft = NOTHING
    met: bool = False
    marked: bool = False
    heard: frozenset[str] = frozenset()

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

    def take_evidence(self, marked: Marked | None) -> None:
        """Take over what the person marked in the document since the run before."""
        self.marked = marked is not None and marked.change != self.answered
        if marked is not None:
            self.evidence, self.answered = marked.evidence, marked.change

    def draft(self, reason: str) -> LabelDraft:
        """What a rater would want to find again; a level under a cause waits for its return."""
        return replace(
            self.kept,
            level=self.level,
            cause=self.chosen_cause,
            evidence=self.evidence,
            reason=reason,
        )


def reason_key(pair_id: int) -> str:
    """The key of a pair's reason: the id in it keeps words from sliding into the next pair."""
    return f"lk_reason_{pair_id}"


def write_reason(pair_id: int, reason: str) -> None:
    """Put words into the reason before it is drawn."""
    st.session_state[reason_key(pair_id)] = reason


def on_screen() -> OpenPair | None:
    """The pair that the run before drew for this session."""
    state: OpenPair | None = st.session_state.get(_OPEN)
    return state


def opened(task: Task) -> OpenPair:
    """The state of the pair on screen; says so where another tab or a lease changed the pair."""
    state: OpenPair | None = st.session_state.get(_OPEN)
    if state is not None and state.pair_id == task.pair_id:
        _meet(state, task.draft)
        _reread(state, task)
        return state
    if state is not None:
        session.say(
            "warning",
            "The pair on your screen was finished in another tab, given back or withdrawn by a "
            "lead. This is the next one.",
        )
    draft = task.draft or NOTHING
    state = st.session_state[_OPEN] = OpenPair(
        task.pair_id,
        time.monotonic(),
        task=task,
        level=draft.level,
        cause=draft.cause,
        cannot=draft.cause is not None,
        evidence=draft.evidence,
        kept=draft,
    )
    return state


def _meet(state: OpenPair, held: LabelDraft | None) -> None:
    """Take over what another tab kept since, but for what was changed in this one."""
    kept = state.kept
    state.met = held is not None and held.updated_at != kept.updated_at
    if held is None or not state.met:
        return
    reason = st.session_state.get(reason_key(state.pair_id), kept.reason)
    if (state.level, state.chosen_cause) == (kept.level, kept.cause):
        state.level, state.cause = held.level, held.cause
        state.cannot = held.cause is not None
    if state.evidence == kept.evidence:
        state.evidence = held.evidence
    if reason == kept.reason != held.reason:
        write_reason(state.pair_id, held.reason)
    state.kept = held


def _reread(state: OpenPair, task: Task) -> None:
    """Ask for the level anew where the words changed by which it was chosen."""
    what = claims.changed(state.task, task.rubric, task.document) if state.task else ""
    state.task = task
    if what:
        state.level = None
        state.evidence = claims.standing(state.evidence, task.document.text)
        session.say(
            "warning",
            f"Nothing was saved: {what} while this pair was open. Read it, then choose the level "
            "again. Your reason is kept.",
        )


def forget_open() -> None:
    """Let go of the pair on screen because the person asked for another."""
    st.session_state.pop(_OPEN, None)


@contextmanager
def leaving(state: OpenPair, *, judged: bool = False) -> Iterator[None]:
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


def just_judged() -> int | None:
    """The pair that the run before saved: the browser may forget its words."""
    done: int | None = st.session_state.pop(_DONE, None)
    return done
