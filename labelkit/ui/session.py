"""The names under which a browser session keeps things, and one message to the next run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

PERSON = "lk_person"
"""The person id this session is signed in as; "" after signing out, absent before either."""

Kind = Literal["info", "success", "warning", "error"]
_NOTE = "lk_note"


@dataclass(frozen=True, slots=True)
class Note:
    """A message for the person, shown once."""

    kind: Kind
    text: str


def say(kind: Kind, text: str) -> None:
    """Keep a message for the next run: what is shown before a rerun is wiped by it."""
    st.session_state[_NOTE] = Note(kind, text)


def heard() -> Note | None:
    """Take the message kept by the run before, if any."""
    note: Note | None = st.session_state.pop(_NOTE, None)
    return note
