"""Marked passages at the moment of a freeze: every one stands where it says it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from labelkit.model import Judgment, Span
from labelkit.releases.anchoring import anchor


def reanchored(
    said: Iterable[Judgment], texts: Mapping[str, str]
) -> tuple[list[Judgment], Counter[str]]:
    """Judgments with their passages found again in documents whose text changed since.

    `texts` holds the present text of the documents that changed. Returns the judgments and how
    many passages "moved", were found in several places ("ambiguous": the nearest is taken) or are
    "lost": those are left out here and stay in the history as they were marked.
    """
    counted: Counter[str] = Counter()
    return [_again(one, texts, counted) for one in said], counted


def _again(judgment: Judgment, texts: Mapping[str, str], counted: Counter[str]) -> Judgment:
    text = texts.get(judgment.doc_id)
    if text is None or not judgment.evidence:
        return judgment
    found = [anchor(span, text) for span in judgment.evidence]
    counted.update(one.how for one in found)
    kept = (
        Span(one.start, one.end, one.quote)
        for one in found
        if one.start is not None and one.end is not None
    )
    return replace(judgment, evidence=tuple(kept))


def sentence(counted: Mapping[str, int]) -> str:
    """What became of the passages in changed documents, or nothing to say."""
    words = {
        "moved": "found again elsewhere",
        "ambiguous": "found in several places, the nearest is taken",
        "lost": "no longer in the text: left out, and kept in the history",
    }
    parts = [f"{counted[how]:,} {said}" for how, said in words.items() if counted.get(how)]
    return f"Marked passages in documents whose text changed: {'; '.join(parts)}." if parts else ""
