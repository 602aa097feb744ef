"""How a page begins: its question, and what the run before had to say."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from labelkit.ui import navigation, notice, session
from labelkit.ui.markup import draw, element

_STYLE = Path(__file__).parent / "static" / "pages.css"


def ask(question: str) -> None:
    """Draw the page's question and, in a place kept for it, the message of the run before."""
    st.html(_STYLE)
    st.title(question, anchor=False)
    # Kept: a message that appears above a form would wipe what is being typed in it.
    notice.show_note(session.heard(), st.empty())


def section(title: str, text: str = "") -> None:
    """Begin a part of a page."""
    st.subheader(title, anchor=False)
    if text:
        note(text)


def note(text: str) -> None:
    """A plain sentence beside the figures."""
    draw(element("p", text, cls="lk-note"))


def nothing_yet(text: str, page: str, link: str) -> None:
    """An empty state: what is missing, and where to begin."""
    draw(element("p", text, cls="lk-empty"))
    navigation.link(page, link)
