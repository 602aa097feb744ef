"""JSON as models write it: quotes of any kind, commas too many or too few, cut off anywhere.

`values` finds every JSON value that stands in a text. A part that is not there is marked, never
made up: a text that was cut off is a `Cut`, a value that is missing is `MISSING`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
SKIPPED = re.compile(r"(?:\s|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
BARE_KEY = re.compile(r"[A-Za-z_][\w -]{0,40}?(?=\s*:)")
BARE_VALUE = re.compile(r"[^,\]}\n{\[\"]+")
LINE_ENDS_TEXT = re.compile(r"""\s*(?:["'“]?\w[\w -]{0,40}["'”]?\s*:|[}\]])""")
AFTER_COMMA = re.compile(r"""\s*(?:["'“‘{\[}\]]|[\w-]+\s*:|-?\d|true|false|null|$)""")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/"}
UNICODE = re.compile(r"[0-9a-fA-F]{4}")
OPENING = re.compile(r"\{|(?<![\w)\]])\[")
"""What may begin a value; a bracket right behind a name is a subscript in code."""

DEEPEST = 40
MOST_FAILURES = 300
"""Brackets that open nothing; a reply with more is noise, and each one costs a look at it all."""

WORDS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip


class Fields(list[tuple[str, Any]]):
    """An object's fields in order; unlike a dict it keeps a name that comes twice."""


class Cut(str):
    """A text whose end is missing."""

    __slots__ = ()


class Bare(str):
    """A word without quotes."""

    __slots__ = ()


class Mark:
    """What stands where something should: told apart from every value by identity."""


MISSING = Mark()
"""A field's value that is not there."""

ENDS_EARLY = Mark()
"""The last item of a list, or value of an object, that the text does not close."""


class _NotJson(Exception):
    """Nothing that reads like JSON begins here."""


_STRICT = JSONDecoder(object_pairs_hook=Fields, strict=False)


def values(text: str) -> Iterator[Any]:
    """Every outermost array or object in a text, in order; what stands around is skipped."""
    at = failures = 0
    while failures < MOST_FAILURES and (match := OPENING.search(text, at)) is not None:
        at = match.start()
        try:
            value, at = _value_at(text, at)
        except _NotJson:
            at, failures = at + 1, failures + 1
        else:
            yield value


def _value_at(text: str, at: int) -> tuple[Any, int]:
    try:
        return _STRICT.raw_decode(text, at)
    except (JSONDecodeError, RecursionError, ValueError):
        return _Reader(text, at).whole()


class _Reader:
    """Reads one value from a place in a text, forgiving what models get wrong."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.closed = False

    def whole(self) -> tuple[Any, int]:
        """The value and where it ends; raises _NotJson where there is none."""
        return self.value(0), self.at

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise _NotJson
        self.skip()
        sign = self.sign()
        if sign == "{":
            return self.fields(depth)
        if sign == "[":
            return self.items(depth)
        if sign in QUOTES:
            return self.quoted()
        return self.bare()

    def fields(self, depth: int) -> Fields:
        self.at += 1
        found = Fields()
        while self.more("}"):
            name = self.name()
            self.skip()
            if self.sign() not in (":", "="):
                if self.at < len(self.text):
                    raise _NotJson
                break
            self.at += 1
            self.skip()
            missing = self.sign() in (",", "}", "")
            found.append((name, MISSING if missing else self.value(depth + 1)))
        if self.ended(depth, bool(found)):
            found.append(("", ENDS_EARLY))
        return found

    def items(self, depth: int) -> list[Any]:
        self.at += 1
        found = []
        while self.more("]"):
            found.append(self.value(depth + 1))
        if self.ended(depth, bool(found)):
            found.append(ENDS_EARLY)
        return found

    def ended(self, depth: int, found: bool) -> bool:
        """Whether the text ended before what was just read; a lone opening sign is no value."""
        if self.closed:
            self.closed = False
            return False
        if depth == 0 and not found:
            raise _NotJson
        return self.at >= len(self.text)

    def more(self, closing: str) -> bool:
        """Step over commas; False behind the closing sign, at the end, or before another's."""
        self.skip(commas=True)
        sign = self.sign()
        if sign == closing:
            self.at += 1
            self.closed = True
        # A closing sign of the level above: this level's own was forgotten.
        return sign not in ("", "}", "]")

    def name(self) -> str:
        if self.sign() in QUOTES:
            return self.quoted()
        match = BARE_KEY.match(self.text, self.at)
        if match is None:
            raise _NotJson
        self.at = match.end()
        return match.group().strip()

    def bare(self) -> Any:
        match = BARE_VALUE.match(self.text, self.at)
        if match is None:
            raise _NotJson
        self.at = match.end()
        word = match.group().strip()
        if word in WORDS:
            return WORDS[word]
        return _number(word)

    def quoted(self) -> str:
        """A text in quotes; a quote inside is told from the closing one by what follows it."""
        closing, parts = QUOTES[self.sign()], []
        self.at += 1
        while self.at < len(self.text):
            sign = self.sign()
            if sign == "\\":
                parts.append(self.escape())
            elif sign == closing and self.closes(self.at + 1):
                self.at += 1
                return "".join(parts)
            elif sign == "\n" and LINE_ENDS_TEXT.match(self.text, self.at):
                return "".join(parts).rstrip(" ,")
            else:
                parts.append(sign)
                self.at += 1
        return Cut("".join(parts))

    def closes(self, behind: int) -> bool:
        """Whether a quote with this behind it ends its text."""
        rest = SKIPPED.match(self.text, behind)
        behind = rest.end() if rest else behind
        sign = self.text[behind : behind + 1]
        if sign == ",":
            return AFTER_COMMA.match(self.text, behind + 1) is not None
        return sign in ("", ":", "=", "}", "]", "{")

    def escape(self) -> str:
        sign = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if sign == "u" and UNICODE.match(self.text, self.at):
            self.at += 4
            return self.unicode(self.text[self.at - 4 : self.at])
        if sign in ESCAPES:
            return ESCAPES[sign]
        # No escape of JSON's, such as the \d of a pattern: the backslash was meant.
        return sign if sign in ('"', "'", "\\", "`") else f"\\{sign}"

    def unicode(self, digits: str) -> str:
        first = int(digits, 16)
        second = re.compile(r"\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE).match(self.text, self.at)
        if 0xD800 <= first < 0xDC00 and second:
            self.at = second.end()
            return chr(0x10000 + ((first - 0xD800) << 10) + int(second.group(1), 16) - 0xDC00)
        return chr(first)

    def skip(self, *, commas: bool = False) -> None:
        """Step over white space and comments."""
        while (match := SKIPPED.match(self.text, self.at)) is not None:
            self.at = match.end()
            if not (commas and self.sign() in (",", ";")):
                return
            self.at += 1

    def sign(self) -> str:
        return self.text[self.at : self.at + 1]


def _number(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return Bare(word)
