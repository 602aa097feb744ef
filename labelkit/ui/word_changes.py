"""Two wordings as one text: what went is struck through, what came is underlined."""

from __future__ import annotations

from collections.abc import Iterable

from labelkit.ui.markup import Markup, element

_TAGS = {"removed": "del", "added": "ins"}


def changed(words: Iterable[tuple[str, str]]) -> Markup:
    """The pieces of a word by word comparison, each "same", "removed" or "added"."""
    parts = [
        element(_TAGS[kind], text) if kind in _TAGS else element("span", text)
        for kind, text in words
    ]
    return element("div", *parts, cls="lk-words", dir="auto")
