"""Ids that a person would take for one another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from labelkit.wording import counted

PADDING = re.compile(r"(?<!\d)0+(?=\d)")
MOST = 5


def plain(name: str) -> str:
    """An id without what people overlook: case, zeros before a number, forms of one letter."""
    folded = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return PADDING.sub("", folded.casefold())


def alike(new: Iterable[str], held: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Pairs of different ids that look alike, among the new ones or between new and held."""
    first = {plain(name): name for name in held}
    found = []
    for name in new:
        other = first.setdefault(plain(name), name)
        if other != name:
            found.append((other, name))
    return found


def warning(pairs: list[tuple[str, str]], what: str) -> str:
    """The warning for such pairs."""
    shown = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:MOST])
    more = f" and {counted(len(pairs) - MOST, 'more pair')}" if len(pairs) > MOST else ""
    return (
        f"Some {what} ids differ only by case or padding ({shown}{more}); they are kept as "
        "different ids."
    )
