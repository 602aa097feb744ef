"""HTML built from parts, so that whatever a person or a file wrote is always escaped."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st


class Markup(str):
    """HTML made here; every other string is text and is escaped when it is put inside."""

    __slots__ = ()


def element(name: str, *inside: Any, **attributes: Any) -> Markup:
    """One element; `cls` is its class, and an underscore in an attribute's name is a dash."""
    given = "".join(
        f' {_attribute(key)}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{''.join(map(safe, inside))}</{name}>")


def safe(value: Any) -> Markup:
    """Markup as it is, anything else as text; None is a dash."""
    if isinstance(value, Markup):
        return value
    text = "–" if value is None else str(value)
    # A lone surrogate cannot be sent; it becomes a question mark, as in any other encoder.
    return Markup(escape(text.encode("utf-8", "replace").decode()))


def join(*parts: Any) -> Markup:
    """Parts one behind the other."""
    return Markup("".join(map(safe, parts)))


def draw(*parts: Any) -> None:
    """Put parts on the page."""
    st.html(join(*parts))


def _attribute(key: str) -> str:
    return "class" if key == "cls" else key.replace("_", "-")
