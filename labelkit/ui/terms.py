"""Which words of a document to mark for a query: the same word in another form, in any script."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Protocol

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED_TEXT = re.compile(f"[{_UNSPACED}]")

_COMMON_WORDS = (
    "a an and are as at be by can do does for from get has have how i if in into is it its my "
    "not of on or so that the then there this to use was what when where which why will with "
    "without you"
)
_COMMON = frozenset(_COMMON_WORDS.split())

# Accents, Hebrew points, Arabic vowels and the stretching stroke: people leave them out.
_OPTIONAL = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")

_ENDINGS = ("ings", "ing", "ies", "ers", "ed", "er", "es", "s", "e", "y")
_LONGER_BY = 4
"""Letters by which another form of a word may be longer than its stem."""

STEMMERS = {
    "LATIN": "english",
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "ARMENIAN": "armenian",
    "TAMIL": "tamil",
    "HEBREW": "yiddish",
}
"""The Snowball stemmer for each script; one written without spaces is matched by its characters."""

Stem = Callable[[str], str]


class Finder(Protocol):
    """Anything that finds places in a text, as a compiled pattern does."""

    def finditer(self, string: str, /) -> Iterator[re.Match[str]]:
        """The places, in order and without overlap."""
        ...


class Terms:
    """Finds the words of one query in documents: by stem, or by pairs of characters."""

    def __init__(self, query: str) -> None:
        words = [word.group() for word in _words().finditer(query)]
        spaced = {_lower(w) for w in words if not _UNSPACED_TEXT.search(w)}
        self._words = sorted(w for w in spaced if len(w) > 1 and w not in _COMMON)
        starts = (_without_ending(_folded(word)) for word in self._words)
        self._starts = tuple(start for start in starts if len(start) >= _LONGER_BY)
        self._pairs = _pairs_of(w for w in words if _UNSPACED_TEXT.search(w))

    def __bool__(self) -> bool:
        return bool(self._words) or self._pairs is not None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The places of the query's words in a text, in order and without overlap."""
        stem = _stemmer()  # one for each call: Snowball's are not made for several threads
        wanted = {_folded(form) for word in self._words for form in (word, stem(word))}
        known: dict[str, bool] = {}
        for match in _words().finditer(text):
            word = match.group()
            if _UNSPACED_TEXT.search(word):
                if self._pairs is not None:
                    yield from self._pairs.finditer(text, match.start(), match.end())
                continue
            if word not in known:
                known[word] = self._is_form(_lower(word), stem, wanted)
            if known[word]:
                yield match

    def _is_form(self, word: str, stem: Stem, wanted: set[str]) -> bool:
        if word in _COMMON:
            return False
        bare = _folded(word)
        return bool({bare, _folded(stem(word))} & wanted) or any(
            bare.startswith(start) and len(bare) <= len(start) + _LONGER_BY
            for start in self._starts
        )


@lru_cache(maxsize=256)
def query_terms(query: str) -> Terms | None:
    """What to mark in a document for this query, or None where nothing is worth marking."""
    return Terms(query) or None


@lru_cache(maxsize=32)
def query_spans(query: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where the query's words stand in a text, as characters `[start, end)`."""
    terms = query_terms(query)
    return tuple(match.span() for match in terms.finditer(text)) if terms else ()


def _lower(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _folded(word: str) -> str:
    """A word without what people leave out: accents and vowel points. Stemmers need them."""
    return _OPTIONAL.sub("", unicodedata.normalize("NFKD", word))


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LONGER_BY:
            return word[: -len(ending)]
    return word


def _pairs_of(words: Iterator[str]) -> re.Pattern[str] | None:
    """Any two neighbouring characters of a text without spaces, or its single one."""
    parts = {word[at : at + 2] for word in words for at in range(max(1, len(word) - 1))}
    longest_first = sorted(parts, key=lambda part: (-len(part), part))
    return re.compile("|".join(map(re.escape, longest_first))) if parts else None


def _stemmer() -> Stem:
    from Stemmer import Stemmer

    made: dict[str, Stem] = {}

    def stem(word: str) -> str:
        language = STEMMERS.get(_script(word[0]))
        if language is None:
            return word
        if language not in made:
            made[language] = Stemmer(language).stemWord
        return made[language](word)

    return stem


@cache
def _script(character: str) -> str:
    return unicodedata.name(character, "").split(" ")[0]


@cache
def _words() -> re.Pattern[str]:
    """A word: letters and digits with the marks on them, one kind of script at a time.

    Python's own word characters leave out the vowel signs of many scripts.
    """
    points = (point for point in range(0x300, sys.maxunicode) if point < 0x1F000)
    marks = [p for p in points if unicodedata.category(chr(p)).startswith("M")]
    others = "".join(_ranges([p for p in marks if not _UNSPACED_TEXT.match(chr(p))]))
    unspaced = f"[{_UNSPACED}]+"
    spaced = rf"(?:(?![{_UNSPACED}])[^\W_])(?:(?![{_UNSPACED}])[^\W_]|[{others}\u200c\u0640])*"
    return re.compile(f"{unspaced}|{spaced}")


def _ranges(points: list[int]) -> Iterator[str]:
    start = previous = points[0]
    for point in [*points[1:], -1]:
        if point != previous + 1:
            yield f"{re.escape(chr(start))}-{re.escape(chr(previous))}"
            start = point
        previous = point
