"""Where in a document a query is answered, as far as its words tell."""

from __future__ import annotations

from labelkit.drafting.passages import cut
from labelkit.drafting.words import stems

LONGEST = 500
"""Characters of a passage that is pointed out: what is read at one glance."""


def likeliest_passage(text: str, query: str) -> tuple[int, int] | None:
    """The characters of the passage that shares most words with a query, the first of equals.

    None where no passage shares any, or the whole text is one.
    """
    asked = set(stems(query))
    pieces = list(cut(text, LONGEST))
    if len(pieces) < 2:
        return None
    shared = [len(asked.intersection(stems(text[start:end]))) for start, end in pieces]
    most = max(shared)
    return pieces[shared.index(most)] if most else None
