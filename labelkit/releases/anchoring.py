"""Evidence after its document has changed: found again by its quote, or flagged."""

from __future__ import annotations

from dataclasses import dataclass

from labelkit.model import Span


@dataclass(frozen=True, slots=True)
class Anchored:
    """Where a quote stands now: `how` is "kept" (same place), "moved", "ambiguous" (several
    places, the nearest is given) or "lost", and then there is no place."""

    quote: str
    how: str
    start: int | None
    end: int | None


def anchor(span: Span, text: str) -> Anchored:
    """Find a span's quote in a text, counted in characters; nothing but the exact quote counts."""
    length = len(span.quote)
    if span.quote and text[span.start : span.start + length] == span.quote:
        return Anchored(span.quote, "kept", span.start, span.start + length)
    places = _places(span.quote, text)
    if not places:
        return Anchored(span.quote, "lost", None, None)
    nearest = min(places, key=lambda place: abs(place - span.start))
    how = "moved" if len(places) == 1 else "ambiguous"
    return Anchored(span.quote, how, nearest, nearest + length)


def _places(quote: str, text: str) -> list[int]:
    places, start = [], text.find(quote) if quote else -1
    while start >= 0:
        places.append(start)
        start = text.find(quote, start + 1)
    return places
