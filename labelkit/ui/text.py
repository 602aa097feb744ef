"""Words that others wrote, shown as they are: never read as Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

import streamlit as st

from labelkit.model import Document, Turn
from labelkit.ui.terms import Finder, query_terms

__all__ = [
    "marked",
    "plain",
    "query_terms",
    "show",
    "show_document",
    "show_list",
    "show_turns",
]

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&^=])")
_EMOJI_NAME = re.compile(r":(?=[a-z0-9_+\\-]+:)")


def plain(text: str) -> str:
    """Escape text for a place that reads Markdown, such as a button's label or a message.

    Emoji names such as `:smile:` are read even behind a backslash; an invisible joiner behind
    the colon stops that.
    """
    one_line = re.sub(r"\s+", " ", text).strip()
    return _EMOJI_NAME.sub(":\u2060", _MARKDOWN.sub(r"\\\1", one_line))


def marked(text: str, pattern: Finder | None) -> str:
    """Text as HTML that shows it unchanged, with what the pattern finds marked.

    The pattern runs over the text itself and each piece is escaped afterwards, so that neither
    can break out of the other.
    """
    pieces, end = [], 0
    for match in pattern.finditer(text) if pattern else ():
        if match.end() > match.start():
            pieces.append(_escaped(text[end : match.start()]))
            pieces.append(f"<mark>{_escaped(match.group())}</mark>")
            end = match.end()
    return "".join([*pieces, _escaped(text[end:])])


def show(text: str, style: str = "lk-text", tag: str = "div") -> None:
    """Show text as it is: its own line breaks, its own direction, no markup read."""
    st.html(f'<{tag} class="{style}" dir="auto">{_escaped(text)}</{tag}>')


def show_document(document: Document, pattern: Finder | None = None) -> None:
    """Show a document's title and text in a pane that scrolls on its own on a wide screen."""
    st.html(
        f'<h2 class="lk-title" dir="auto">{_escaped(document.title or document.doc_id)}</h2>'
        '<div class="lk-pane" tabindex="0" role="region" aria-label="Document">'
        f'<div class="lk-text" dir="auto">{marked(document.text, pattern)}</div></div>'
    )


def show_list(lines: Iterable[str]) -> None:
    """Show short lines under one another, close together."""
    items = "".join(f'<li dir="auto">{_escaped(line)}</li>' for line in lines)
    st.html(f'<ul class="lk-rules">{items}</ul>')


def show_turns(turns: Iterable[Turn]) -> None:
    """Show the earlier turns of a conversation, oldest first."""
    rows = [
        f'<p class="lk-turn" dir="auto"><b>{_escaped(turn.role)}</b> {_escaped(turn.text)}</p>'
        for turn in turns
    ]
    if rows:
        st.html("".join(rows))


def _escaped(text: str) -> str:
    # A lone surrogate cannot be sent; it becomes a question mark, as in any other encoder.
    return escape(text.encode("utf-8", "replace").decode())
