"""A text area whose words survive a refresh, a closed tab, a lost connection and a restart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import streamlit as st

from labelkit.ui.scripts import script

_keeper = st.components.v2.component("labelkit_drafts", js=script("shared", "drafts"))


def text_area(
    label: str,
    *,
    key: str,
    scope: str,
    draft: str = "",
    choices: Mapping[str, str] | None = None,
    forget: Iterable[str] = (),
    placeholder: str | None = None,
    stored: bool = True,
    slot: str | None = None,
    labelled: bool = False,
    height: Literal["content", "stretch"] | int = 68,
) -> str:
    """Draw the text area and return what the server has of it.

    `key` names the widget and must hold the id of what is written about, so that a text never
    slides into the next item; `scope` is the frame's `draft_scope` (workspace and person);
    `draft` is the text the store has kept. `choices` maps a key, such as "2", to the key of the
    button it presses: the cursor then moves here. `forget` lists the areas whose text is
    finished with. The page saves what is returned as its draft; one that saves nothing before
    the text is used says `stored=False`, and the browser's copy stays until it is forgotten.
    `slot` names a place that shows one item after the other: its keeper then stays from item to
    item, and no key pressed in between goes astray. `labelled`: the page has the label beside it.
    """
    text = st.text_area(
        label,
        value=draft,
        key=key,
        placeholder=placeholder,
        height=height,
        label_visibility="collapsed" if labelled else "visible",
    )
    _keeper(
        key=f"lk_keep_{slot or key}",
        data={
            "field": key,
            "store": store_key(scope, key),
            "value": (text or "") if stored else draft,
            "buttons": dict(choices or {}),
            "forget": [store_key(scope, done) for done in forget],
        },
        height=1,
    )
    return text or ""


def store_key(scope: str, key: str) -> str:
    """Where the browser keeps the text of one area."""
    return f"labelkit:draft:{scope}:{key}"
