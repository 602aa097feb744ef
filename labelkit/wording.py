"""Numbers of things in words: "1 query", "2,000 queries", "1 pair waits", "12 pairs wait"."""

from __future__ import annotations


def counted(number: int, one: str, more: str = "") -> str:
    """So many of a thing: `one` follows a 1, and `more` (else the plural of `one`) all else.

    Both may bring the verb along: `counted(n, "pair waits", "pairs wait")`.
    """
    return f"{number:,} {one if number == 1 else more or _plural(one)}"


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun[-1:] == "y" and noun[-2:-1] not in "aeou" else f"{noun}s"
