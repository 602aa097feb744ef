"""Long lists in pages."""

from __future__ import annotations

import streamlit as st


def ask(total: int, size: int, key: str, *, what: str = "") -> int:
    """Ask for a page where there are several; returns how many items stand before it."""
    pages = max(1, -(-total // size))
    held = st.session_state.get(key)
    if held is not None and held > pages:
        del st.session_state[key]  # the list has become shorter
    if pages == 1:
        return 0
    label = f"Page of {pages}{f': {total:,} {what}' if what else ''}"
    return (int(st.number_input(label, 1, pages, key=key, width=240)) - 1) * size
