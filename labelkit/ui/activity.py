"""How long a person worked on what is on screen, measured in the browser."""

from __future__ import annotations

import streamlit as st

from labelkit.ui.drafts import store_key
from labelkit.ui.scripts import script

_watch = st.components.v2.component("labelkit_activity", js=script("shared", "activity"))


_KEY = "lk_keep_activity"


def watch(item: str | int, *, scope: str, button: str) -> None:
    """Let the browser measure how long `item` is worked on, up to the press of `button`."""
    _watch(
        key=_KEY,
        data={"item": str(item), "button": button, "store": store_key(scope, f"active_{item}")},
        height=1,
        on_spent_change=lambda: None,
    )


def spent(item: str | int) -> float | None:
    """Active seconds on `item` up to the press of its button, or None before that.

    The browser says so, which is no proof: whoever keeps the figure caps it.
    """
    told = (st.session_state.get(_KEY) or {}).get("spent")
    if not isinstance(told, dict) or told.get("item") != str(item):
        return None
    spent = told.get("seconds")
    return float(spent) if isinstance(spent, int | float) else None
