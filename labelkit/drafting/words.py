"""Words of queries and documents, as the checks compare them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"
WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
"""A word; in writing without spaces, one sign."""

_FUNCTION_WORDS = (
    "a an and are as at be by can do does for from get has have how i if in into is it its me my "
    "not of on or should so that the there this to use used using was what when where which who "
    "why will with you your"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


class Place(NamedTuple):
    """A word of a text and where it stands."""

    word: str
    start: int
    end: int


def places(text: str) -> list[Place]:
    """The words of a text, case folded, with their characters `[start, end)`."""
    return [Place(m.group().casefold(), *m.span()) for m in WORD.finditer(text)]


def words(text: str) -> list[str]:
    """The words of a text, case folded."""
    return [match.group().casefold() for match in WORD.finditer(text)]


def content_words(text: str) -> list[str]:
    """The words that carry meaning, in order."""
    return [word for word in words(text) if word not in FUNCTION_WORDS]


def stems(text: str) -> list[str]:
    """The content words of a text, cut to their stems."""
    return _stemmed(content_words(text))


def _stemmed(given: Iterable[str]) -> list[str]:
    found: list[str] = _stemmer().stemWords(list(given))
    return found


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    # English endings; words of other languages are mostly left as they are, on both sides alike.
    return Stemmer.Stemmer("english")


def weight(run: Iterable[str]) -> float:
    """The length of a run in words; of writing without spaces, about two and a half signs each."""
    return sum(0.4 if re.match(f"[{UNSPACED}]", word) else 1.0 for word in run)
