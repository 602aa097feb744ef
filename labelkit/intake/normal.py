"""One form of a text for counting: what differs only in case, width or white space is the same.

It never replaces a text: what is kept, shown, judged and searched with is what the user typed.
"""

from __future__ import annotations

import hashlib
import unicodedata


def normalised(text: str) -> str:
    """NFKC, case folded, white space to single spaces; the same again for what it returns.

    Folding can undo the normal form and the other way round, hence both twice (the compatibility
    caseless match of the Unicode standard, section 3.13).
    """
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())


def id_of(kind: str, *parts: str) -> str:
    """An id made from what it names: the same query gets the same id wherever it is read."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind}-{digest[:10]}"
