"""What several people marked in one document, each with a letter: shown in the text itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from labelkit.model import Document, Judgment, Span
from labelkit.ui.markup import Markup, draw, element, join

Places = Mapping[str, Sequence[tuple[int, int]]]


def show(document: Document, judgments: Sequence[Judgment], letters: Mapping[str, str]) -> None:
    """Draw the document with each person's passages, framed and lettered."""
    places = {
        letters[one.person_id]: [
            at for span in one.evidence if (at := place(document.text, span)) is not None
        ]
        for one in judgments
    }
    draw(
        element("h2", document.title or document.doc_id, cls="lk-title", dir="auto"),
        element(
            "div",
            element("div", *marked(document.text, places), cls="lk-text", dir="auto"),
            cls="lk-pane",
            tabindex="0",
            role="region",
            aria_label="Document",
        ),
    )


def place(text: str, span: Span) -> tuple[int, int] | None:
    """Where the quote stands: at its offsets, else where it is found first, else nowhere."""
    if not span.quote:
        return None
    if text[span.start : span.end] == span.quote:
        return span.start, span.end
    found = text.find(span.quote)
    return None if found < 0 else (found, found + len(span.quote))


def marked(text: str, places: Places) -> list[Markup | str]:
    """The text cut where a passage begins or ends; each marked piece says whose it is."""
    edges = sorted({0, len(text), *(e for found in places.values() for at in found for e in at)})
    pieces: list[Markup | str] = []
    before = ""
    for start, end in pairwise(edges):
        whose = "".join(
            letter
            for letter, found in places.items()
            if any(a <= start and end <= b for a, b in found)
        )
        pieces.append(_piece(text[start:end], whose, whose != before))
        before = whose
    return pieces


def _piece(text: str, whose: str, begins: bool) -> Markup | str:
    if not whose:
        return text
    style = "lk-both" if len(whose) > 1 else f"lk-by-{'even' if ord(whose) % 2 else 'odd'}"
    letters = element("b", " ".join(whose), cls="lk-letter") if begins else Markup("")
    return join(letters, element("mark", text, cls=style))
