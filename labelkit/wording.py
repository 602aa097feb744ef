"""Numbers of things in words: "1 query", "2,000 queries", "1 pair waits", "12 pairs wait"."""

from __future__ import annotations


def counted(number: int, one: str, more: str = "") -> str:
    """So many of a thing: `one` follows a 1, and `more` (else `one` with an s) any other number.

    Both may bring the verb along: `counted(n, "pair waits", "pairs wait")`.
    """
    return f"{number:,} {one if number == 1 else more or one + 's'}"
