"""How many of what a file brings, in words: "1 query", "2,000 ranked documents"."""

from __future__ import annotations

from labelkit.wording import counted

NOUNS = {
    "documents": ("document", "documents"),
    "queries": ("query", "queries"),
    "judgments": ("judgment", "judgments"),
    "runs": ("ranked document", "ranked documents"),
}


def of_kind(number: int, kind: str, one: str = "", more: str = "") -> str:
    """So many of what this kind of file holds, with the verb's form that goes with it."""
    single, several = NOUNS[kind]
    return counted(number, f"{single} {one}".strip(), f"{several} {more}".strip())
