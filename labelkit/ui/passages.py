"""Documents in panes of their own, one beside the other, with passages marked and in view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import streamlit as st

from labelkit.model import Document
from labelkit.ui.items import item
from labelkit.ui.markup import Markup, draw, element, join
from labelkit.ui.text import Finder, marked

Span = tuple[int, int]

_bring = st.components.v2.component(
    "labelkit_passage",
    js=(Path(__file__).parent / "static" / "passage.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True, slots=True)
class Pane:
    """A document to show: what it is here, its passage, and the runs of words to be marked."""

    about: str
    document: Document
    passage: Span | None = None
    runs: tuple[Span, ...] = ()


def show(panes: Sequence[Pane], terms: Finder | None, *, shown: str) -> None:
    """Draw panes beside one another; each is scrolled to its mark when `shown` changes."""
    target = f"lk-at-{item(shown)}"
    draw(element("div", *(_pane(pane, terms, target) for pane in panes), cls="lk-beside"))
    _bring(key="lk_keep_passage", data={"shown": shown, "target": target}, height=1)


def _pane(pane: Pane, terms: Finder | None, target: str) -> Markup:
    document = pane.document
    return element(
        "section",
        element("p", pane.about, cls="lk-note"),
        element("h2", document.title or document.doc_id, cls="lk-title", dir="auto"),
        element(
            "div",
            element("div", _body(pane, terms, target), cls="lk-text", dir="auto"),
            cls="lk-pane",
            tabindex=0,
            role="region",
            aria_label=f"Document {document.doc_id}",
        ),
    )


def _body(pane: Pane, terms: Finder | None, target: str) -> Markup:
    """The text in pieces: each lies in the passage or not, in a run or not."""
    text, inside = pane.document.text, pane.passage or (0, 0)
    edges = sorted({0, len(text), *inside, *(edge for run in pane.runs for edge in run)})
    first = min((run[0] for run in pane.runs), default=inside[0] if pane.passage else -1)
    parts: list[Markup] = []
    for start, end in pairwise(edges):
        copied = any(run[0] <= start < run[1] for run in pane.runs)
        piece = Markup(marked(text[start:end], None if copied else terms))
        classes = [
            "lk-passage" * (inside[0] <= start < inside[1]),
            target * (start == first),
        ]
        name = " ".join(filter(None, classes))
        if copied:
            parts.append(element("mark", piece, cls=f"lk-copied {name}".strip()))
        else:
            parts.append(element("span", piece, cls=name) if name else piece)
    return join(*parts)
