"""The document to judge, in a pane of its own: searched and marked in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelkit.model import Document, Span
from labelkit.ui.drafts import store_key
from labelkit.ui.scripts import script
from labelkit.ui.terms import query_spans

_view = st.components.v2.component(
    "labelkit_document",
    js=script("shared", "document_text", "document"),
    isolate_styles=False,
)


@dataclass(frozen=True, slots=True)
class Marked:
    """The evidence after a change of it in the browser; `change` names that change."""

    change: str
    evidence: tuple[Span, ...]


def show(
    document: Document,
    query: str,
    *,
    item: str | int,
    scope: str,
    evidence: Sequence[Span] = (),
    answered: str = "",
    main: bool = True,
) -> Marked | None:
    """Show the document with the query's words and the evidence marked.

    Returns the evidence if the person changed it since the run before. The browser keeps a
    change until `answered` names it, so that none is lost with the connection; `scope` is the
    frame's `draft_scope`. `main` is the one document whose pane fills the screen and takes keys.
    """
    told = _view(
        key=_key(item),
        data={
            "title": _sendable(document.title or document.doc_id),
            "text": _sendable(document.text),
            "terms": query_spans(query, document.text),
            "evidence": [{"start": s.start, "end": s.end, "quote": s.quote} for s in evidence],
            "answered": answered,
            "store": store_key(scope, f"evidence_{item}"),
            "main": main,
        },
        on_evidence_change=lambda: None,
    ).evidence
    return _marked(document, told)


def changed(item: str | int) -> bool:
    """Whether the browser told of a change of the evidence since the run before."""
    return bool((st.session_state.get(_key(item)) or {}).get("evidence"))


def _key(item: str | int) -> str:
    return f"lk_document_{item}"


def _marked(document: Document, told: Any) -> Marked | None:
    """What the browser said, as far as it stands in the document character by character."""
    try:
        spans = [Span(int(s["start"]), int(s["end"]), str(s["quote"])) for s in told["spans"]]
        change = str(told["id"])
    except (TypeError, KeyError, ValueError):
        return None
    found = (s for s in spans if 0 <= s.start < s.end and document.text[s.start : s.end] == s.quote)
    return Marked(change, tuple(found))


def _sendable(text: str) -> str:
    # A lone surrogate cannot be sent; a question mark keeps every other character in its place.
    return text.encode("utf-8", "replace").decode()
