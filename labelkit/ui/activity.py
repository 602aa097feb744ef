"""How long a person worked on what is on screen, measured in the browser."""

from __future__ import annotations

import streamlit as st

from labelkit.ui.drafts import store_key
from labelkit.ui.scripts import script

_watch = st.components.v2.component("labelkit_activity", js=script("shared", "activity"))


def seconds(item: str | int, *, scope: str, button: str) -> float | None:
    """Active seconds on `item` up to the press of `button`, or None before that.

    The browser says so, which is no proof: whoever keeps the figure caps it.
    """
    told = _watch(
        key="lk_keep_activity",
        data={"item": str(item), "button": button, "store": store_key(scope, f"active_{item}")},
        height=1,
        on_spent_change=lambda: None,
    ).spent
    if not isinstance(told, dict) or told.get("item") != str(item):
        return None
    spent = told.get("seconds")
    return float(spent) if isinstance(spent, int | float) else None
