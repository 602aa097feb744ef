"""Numbers of things in words: "1 query", "2,000 queries"."""

from __future__ import annotations

SINGULAR = {
    "documents": "document",
    "queries": "query",
    "judgments": "judgment",
    "runs": "ranked document",
    "ranked documents": "ranked document",
    "rows": "row",
    "lines": "line",
    "problems": "problem",
}
NOUNS = {"runs": "ranked documents"}
"""What a row of a kind of file is, where that is not the kind's own name."""


def counted(number: int, kind: str, one: str = "", more: str = "") -> str:
    """So many of a kind of file or row, with the form of a verb that goes with the number."""
    noun, verb = (SINGULAR[kind], one) if number == 1 else (NOUNS.get(kind, kind), more)
    return f"{number:,} {noun}{f' {verb}' if verb else ''}"
