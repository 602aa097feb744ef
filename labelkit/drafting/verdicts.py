"""Reading a model's grade of a pair: a level, a reason and a quote that stands in the document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from labelkit.drafting.lenient import Cut, Fields, values
from labelkit.drafting.replies import without_thoughts
from labelkit.model import LEVELS


@dataclass(frozen=True, slots=True)
class Verdict:
    """A grade with the document's own words that it rests on; level 0 may rest on none."""

    level: int
    reason: str
    quote: str = ""
    quote_start: int | None = None


def read_verdict(reply: str, text: str) -> Verdict | str:
    """The grade of a reply about a document's text, or why it is none, in words."""
    said, problem = without_thoughts(reply)
    if problem:
        return problem
    found = [
        one for one in values(said) if isinstance(one, Fields) and _of(one, "level") is not None
    ]
    if not found:
        return "no object with a level was found in the reply"
    levels = {repr(_of(one, "level")) for one in found}
    if len(levels) > 1:
        return f"the reply gives several levels: {', '.join(sorted(levels))}"
    return _verdict(found[-1], text)


def _verdict(fields: Fields, text: str) -> Verdict | str:
    level, reason = _level(_of(fields, "level")), _of(fields, "reason")
    if level is None:
        return f"{_of(fields, 'level')!r} is not on the scale 0, 1, 2: no grade was taken"
    if not isinstance(reason, str) or isinstance(reason, Cut) or not reason.strip():
        return "the grade has no reason"
    quote = _of(fields, "quote")
    place = find_quote(quote, text) if isinstance(quote, str) and quote.strip() else None
    if place is not None:
        start, end = place
        return Verdict(level, " ".join(reason.split()), text[start:end], start)
    if level > 0:
        shown = f"“{str(quote)[:60]}” does not stand in the document" if quote else "is missing"
        return f"level {level} needs a quote from the document: the quote {shown}"
    return Verdict(level, " ".join(reason.split()))


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, word for word; only white space may differ."""
    for wording in (quote, unescape(quote)):
        parts = [re.escape(part) for part in wording.strip().strip("…").split()]
        match = re.search(r"\s+".join(parts), text) if parts else None
        if match is not None:
            return match.span()
    return None


def _of(fields: Fields, name: str) -> Any:
    return next((value for key, value in fields if key.strip().lower() == name), None)


def _level(value: Any) -> int | None:
    """A whole number on the scale, or its digit as text; True and 1.0 are no levels."""
    if isinstance(value, str) and value.strip() in {str(level) for level in LEVELS}:
        return int(value)
    return value if type(value) is int and value in LEVELS else None
