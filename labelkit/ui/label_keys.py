"""The keys of the Label page, in words."""

from __future__ import annotations

import streamlit as st

KEYS = (
    ("2, 1, 0", "choose a level and go to the reason; nothing is saved yet"),
    ("Esc", "leave the reason or the search, so that the keys act again"),
    ("Ctrl+Enter", "save level, reason and evidence, next document"),
    ("/", "search in the document; Enter and Shift+Enter go on and back"),
    ("Shift+arrows", "in the document: select a passage, from the place found or the top line"),
    ("e", "mark the selected passage as evidence"),
    ("j", "judge later: onto your own list"),
    ("s", "skip: comes back at the end"),
    ("x", "cannot judge: choose a cause instead of a level, and back"),
    ("1 to 4", "while you cannot judge: choose the cause"),
    ("u", "undo your last judgment and open it again"),
    ("f", "find a document of the collection for this query, and close that again"),
    ("h", "this list"),
)


@st.dialog("Keys")
def show_keys() -> None:
    """The keys of the Label page; none of them acts while a text field has the cursor."""
    st.markdown("\n".join(["| key | does |", "|---|---|", *(f"| {k} | {d} |" for k, d in KEYS)]))
