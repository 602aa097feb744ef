"""Messages to the person: plain text in one of four tones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from labelkit.ui.session import Kind, Note
from labelkit.ui.text import plain

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def show(kind: Kind, text: str, slot: DeltaGenerator | None = None) -> None:
    """Show one message, in a slot reserved for it where the page has one."""
    target = slot or st
    draw = {
        "info": target.info,
        "success": target.success,
        "warning": target.warning,
        "error": target.error,
    }
    draw[kind](plain(text))


def show_note(note: Note | None, slot: DeltaGenerator | None = None) -> None:
    """Show a message kept by the run before, if there is one."""
    if note is not None:
        show(note.kind, note.text, slot)
