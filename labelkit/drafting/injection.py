"""Signs that a passage gave a model orders, and that a draft obeys them.

Transparent rules that flag; they prove nothing, and an order in other words passes by them.
"""

from __future__ import annotations

import re

from labelkit.drafting.words import stems

ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|above|previous|"
    r"prior|earlier|everything)\w*"
    r"|\b(?:system|developer)\s+prompt\b"
    r"|\byou\s+are\s+(?:now|no\s+longer)\b"
    r"|\b(?:new|real|actual|hidden)\s+instructions?\b"
    r"|\b(?:reply|respond|answer)\b[^.\n]{0,25}\b(?:only|exactly|verbatim|nothing\s+but)\b"
    r"|\binstead,?\s+(?:output|write|print|say|reply|respond|answer)\b"
    r"|\binstead\s+of\s+(?:a\s+)?(?:quer|question)\w*"
    r"|\b(?:assistant|language\s+model|chatbot|AI|LLM)\b[^.\n]{0,30}\b(?:must|should|shall|will\s+now)\b",
    re.I,
)
SPEAKS_AS_MODEL = re.compile(
    r"\bas an? (?:ai|language model|assistant)\b|\bi(?:'m| am) (?:sorry|unable|an? ai)\b"
    r"|\bi can(?:not|'t) (?:help|assist|comply|do|write|generate|provide)\b"
    r"|\b(?:system|developer) prompt\b"
    r"|\b(?:ignore|disregard|forget)\b.{0,30}\b(?:instruction|prompt|rule)s?\b",
    re.I,
)
BEHIND = 200
"""Characters behind an order that are taken to be part of it."""

FEWEST_SHARED = 2
NEARER = 0.5


def first_order(passage: str) -> str:
    """The first words of a passage that read like an order to a model, or ""."""
    match = ORDER.search(passage)
    return " ".join(match.group().split()) if match else ""


def obeyed(draft: str, passage: str) -> str:
    """Why a draft looks as if its passage had steered the model, or ""."""
    spoken = SPEAKS_AS_MODEL.search(draft)
    if spoken:
        return f"it speaks as a model, or to one: “{spoken.group()}”"
    match = ORDER.search(passage)
    if match is None:
        return ""
    # What the order is about stands in its own words and in those just behind it.
    begin = max(passage.rfind("\n", 0, match.start()), passage.rfind(". ", 0, match.start())) + 1
    ordered = passage[begin : match.end() + BEHIND]
    rest = set(stems(passage[:begin] + passage[match.end() + BEHIND :]))
    asked = set(stems(draft))
    only_there = (asked & set(stems(ordered))) - rest
    if len(only_there) >= FEWEST_SHARED and len(only_there) >= NEARER * len(asked):
        shared = ", ".join(sorted(only_there))
        return (
            f"its words ({shared}) stand in the passage only in the order “{first_order(passage)}”"
        )
    return ""
