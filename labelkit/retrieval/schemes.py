"""Where a text may be cut: tokens, sentences, headings, or any callable.

Every scheme covers the whole text: what lies between two units belongs to the one before.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from labelkit.errors import InputError

Span = tuple[int, int]
Offsets = Callable[[str], list[Span]]

SENTENCE_END = re.compile(
    r"[.!?…]+[\"'”’)\]]*(?=\s+[^\sa-z])"  # a Latin stop, then white space and no small letter
    r"|[。！？]+[」』”’）]*"
    r"|\n\s*\n"
)
HEADING = re.compile(r"^(?:#{1,6}[ \t]+\S|[^\s\-=#>*].*\n(?:=+|-{3,})[ \t]*$)", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def grouped(length: int, units: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Pieces of `size` units, sharing `overlap` of them; together they cover `length` characters.

    A piece begins where its first unit does and ends where the unit after its last one begins.
    """
    if not units:
        return [(0, length)]
    starts = [0, *(start for start, _ in units[1:]), length]
    step, pieces = size - overlap, []
    for first in range(0, len(units), step):
        last = min(first + size, len(units))
        pieces.append((starts[first], starts[last]))
        if last == len(units):
            break
    return pieces


def sentences(text: str) -> list[Span]:
    """Sentences by their closing signs, and paragraphs by blank lines.

    A full stop before a small letter ends none, so most abbreviations stay whole; what follows
    "Dr." does not. Good enough to cut by, not to parse by.
    """
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    bounds = [0, *(end for end in ends if end < len(text)), len(text)]
    return [(start, end) for start, end in pairwise(bounds) if text[start:end].strip()]


def headings(text: str) -> list[Span]:
    """One piece before the first Markdown heading and one from each heading to the next.

    Both kinds of heading count (signs in front, a line below); signs in fenced code do not.
    """
    fences = [match.span() for match in FENCE.finditer(text)]
    starts = [
        match.start()
        for match in HEADING.finditer(text)
        if not any(start <= match.start() < end for start, end in fences)
    ]
    bounds = sorted({0, *starts, len(text)})
    return list(pairwise(bounds)) or [(0, len(text))]


def by_function(name: str, text: str) -> list[Span]:
    """What a callable "module:function" gives for a text, checked.

    Raises InputError when it cannot be imported, or gives none or spans outside of the text.
    """
    given = loaded(name)(text)
    try:
        spans = sorted((int(start), int(end)) for start, end in given)
    except (TypeError, ValueError):
        raise InputError(
            f"the chunking function {name!r} gave {given!r:.80} and no list of (start, end)"
        ) from None
    if not spans or any(not 0 <= start <= end <= len(text) for start, end in spans):
        raise InputError(
            f"the chunking function {name!r} gave {spans[:3]} for a text of {len(text)} "
            "characters; it has to give at least one (start, end) within the text"
        )
    return spans


@lru_cache(maxsize=8)
def loaded(name: str) -> Callable[[str], Any]:
    """The callable that "module:function" names."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise InputError(f"a chunking function is 'module:function', not {name!r}")
    try:
        found: Callable[[str], Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the chunking function {name!r} cannot be imported ({error}); is it on PYTHONPATH?"
        ) from error
    return found
