"""Choices that the page's address keeps, so that a link opens what its sender saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st


def choose(
    label: str,
    options: Sequence[str],
    name: str,
    *,
    default: str | None = None,
    format_func: Callable[[str], Any] = str,
    width: int = 360,
) -> str:
    """Ask for one of the options; the query parameter `name` holds it, the default as well.

    Streamlit's own binding leaves the default out, and "the newest" is another one tomorrow.
    """
    key, asked = f"lk_{name}", st.query_params.get(name)
    if st.session_state.get(key) not in options:
        # by the session and not by `index`, which leaves a box that the browser knows as it was
        first = asked if asked in options else default
        st.session_state[key] = first if first in options else options[0]
    value: str = st.selectbox(label, options, format_func=format_func, key=key, width=width)
    if asked != value:
        st.query_params[name] = value
    return value


def pick(
    label: str,
    options: Sequence[str],
    name: str,
    *,
    format_func: Callable[[str], str] = str,
    **more: Any,
) -> str:
    """Ask for one of a few options side by side; the query parameter `name` holds it.

    Streamlit's own binding would write an option's label into the address, not its name.
    """
    asked = st.query_params.get(name)
    value: str = st.radio(
        label,
        options,
        index=options.index(asked) if asked in options else 0,
        format_func=format_func,
        horizontal=True,
        key=f"lk_{name}",
        **more,
    )
    if asked != value:
        st.query_params[name] = value
    return value
