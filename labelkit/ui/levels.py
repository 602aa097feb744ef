"""The buttons that choose: one for each level of the rubric, or one for each cause."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from labelkit.model import LEVELS, Cause
from labelkit.rubric import Rubric
from labelkit.ui.text import plain

CAUSES: Mapping[Cause, tuple[str, str]] = {
    Cause.QUERY_UNCLEAR: ("query unclear", "back to whoever wrote it"),
    Cause.DOCUMENT_UNREADABLE: ("document unreadable or cut", "to whoever owns the documents"),
    Cause.NEEDS_EXPERT: ("needs another expert or language", "to another rater"),
    Cause.RUBRIC_GAP: ("the rubric does not cover it", "to the lead"),
}
"""Each cause in words, and where the pair goes with it."""

CAUSE_DIGITS = {str(number): cause for number, cause in enumerate(CAUSES, start=1)}


def level_buttons(
    rubric: Rubric, *, item: str | int, chosen: int | None, shortcuts: bool = True
) -> list[int]:
    """Draw the levels from high to low, each with its definition; digits press them.

    Returns the levels pressed since the run before: none, one, or several when the keys were
    faster than the server. Which of several came last is not known, so the page asks again.
    """
    return [
        level
        for level in sorted(LEVELS, reverse=True)
        if _choice(
            level_key(level, item),
            f"**{level} {plain(rubric.levels[level].name)}**",
            plain(rubric.levels[level].definition),
            chosen=chosen == level,
            shortcut=str(level) if shortcuts else None,
        )
    ]


def cause_buttons(*, item: str | int, chosen: Cause | None) -> list[Cause]:
    """Draw the causes why a pair cannot be judged; the digits from 1 on press them.

    Returns those pressed since the run before.
    """
    return [
        cause
        for digit, cause in CAUSE_DIGITS.items()
        if _choice(
            cause_key(cause, item),
            f"**{CAUSES[cause][0]}**",
            CAUSES[cause][1],
            chosen=chosen == cause,
            shortcut=digit,
        )
    ]


def level_key(level: int, item: str | int) -> str:
    """The key of a level's button."""
    return f"lk_choice_level_{level}_{item}"


def cause_key(cause: Cause, item: str | int) -> str:
    """The key of a cause's button."""
    return f"lk_choice_cause_{cause}_{item}"


def said(rubric: Rubric, level: int | None, cause: Cause | None = None) -> str:
    """A level or cause in words."""
    if cause is not None:
        return CAUSES[cause][0]
    return "none yet" if level is None else f"{level} {rubric.levels[level].name}"


def _choice(
    key: str, name: str, definition: str, *, chosen: bool, shortcut: str | None = None
) -> bool:
    # Buttons and not a radio: a focused radio would swallow the digits.
    mark = "checked" if chosen else "unchecked"
    return st.button(
        f"{name} · {definition}",
        key=key,
        type="primary" if chosen else "secondary",
        icon=f":material/radio_button_{mark}:",
        width="stretch",
        wrap=True,
        shortcut=shortcut,
    )
