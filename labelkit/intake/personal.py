"""Personal data in a text: found by shape and check digits, for a person to decide about.

Nothing is removed here, and nothing is promised: a name or an address has no shape. What is
found is an e-mail address, a phone number, a card number (Luhn), an IBAN (mod 97), or a long
string of digits, such as a customer's number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

KINDS = {
    "email": "e-mail address",
    "iban": "bank account (IBAN)",
    "card": "card number",
    "phone": "phone number",
    "digits": "long digit string",
}
"""Each kind with its name; where two overlap, the one that stands first here is kept."""

DIGITS = 7
"""Digits in a row that are worth a look: customer, order and phone numbers begin about there."""

NEEDED = re.compile(r"[0-9@]")
"""No kind is without one of these, and most queries are."""

EMAIL = re.compile(r"(?<![\w.+-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?= ?[A-Za-z0-9]{2})")
IBAN_LENGTHS = range(34, 14, -1)
CARD = re.compile(r"(?<![\d.,-])[2-6](?:[ -]?\d){12,18}(?![\d-])")
INTERNATIONAL = re.compile(r"(?<![\w+])(?:\+|00)[1-9](?:[ ().\-/]{0,2}\d){6,13}(?!\d)")
NATIONAL = re.compile(r"(?<![\w.,+])\(?0[1-9]\d{0,4}\)?[ /-]{1,3}\d(?:[ -]?\d){4,8}(?![\d.,-])")
NORTH_AMERICAN = re.compile(
    r"(?<![\w.-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])\d{3}[ .-]\d{4}(?![\w-])"
)
LONG = re.compile(rf"(?<!\d)(?<!0[xX])\d{{{DIGITS},}}")  # 0x80070057 is an error's code


@dataclass(frozen=True, slots=True)
class Finding:
    """Characters `[start, end)` of a text that look like one of `KINDS`."""

    kind: str
    start: int
    end: int
    quote: str

    @property
    def name(self) -> str:
        """What it looks like, in words."""
        return KINDS[self.kind]


def find(text: str) -> tuple[Finding, ...]:
    """What in a text looks like personal data, from left to right, nothing twice."""
    if text.isascii() and not NEEDED.search(text):
        return ()
    read = _narrow(text)
    kept: list[Finding] = []
    for kind in KINDS:
        for start, end in DETECTORS[kind](read):
            if all(end <= one.start or start >= one.end for one in kept):
                kept.append(Finding(kind, start, end, text[start:end]))
    return tuple(sorted(kept, key=lambda one: one.start))


def masked(text: str) -> str:
    """The text with each finding replaced by its kind in brackets: a proposal to edit."""
    pieces, end = [], 0
    for one in find(text):
        pieces += [text[end : one.start], f"[{one.kind}]"]
        end = one.end
    return "".join([*pieces, text[end:]])


def names(findings: Iterable[Finding]) -> str:
    """The kinds that were found, in words, each once."""
    return ", ".join(dict.fromkeys(one.name for one in findings))


def _narrow(text: str) -> str:
    """Each wide character or foreign digit as its plain one, so that places stay the same."""
    return "".join(map(_narrow_one, text)) if not text.isascii() else text


def _narrow_one(character: str) -> str:
    digit = unicodedata.digit(character, None)
    if digit is not None and character.isdecimal():
        return str(digit)
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character


def _emails(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in EMAIL.finditer(text))


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for match in IBAN_START.finditer(text):
        ends = _ends(text, match.start())
        for length in IBAN_LENGTHS:
            end = ends.get(length)
            if end is not None and _is_iban(text[match.start() : end].replace(" ", "")):
                yield match.start(), end
                break


def _ends(text: str, start: int) -> dict[int, int]:
    """How many letters and digits, single spaces skipped, end where a word ends."""
    ends, length, at = {}, 0, start
    while at < len(text) and length < IBAN_LENGTHS[0]:
        if text[at].isascii() and text[at].isalnum():
            length += 1
            following = text[at + 1 : at + 2]
            if not following.isalnum():
                ends[length] = at + 1
        elif text[at] != " " or text[at - 1] == " ":
            break
        at += 1
    return ends


def _is_iban(code: str) -> bool:
    """ISO 13616: the first four characters moved to the end, letters as 10 to 35, mod 97 is 1."""
    number = "".join(str(int(character, 36)) for character in code[4:] + code[:4])
    return int(number) % 97 == 1


def _cards(text: str) -> Iterator[tuple[int, int]]:
    return (m.span() for m in CARD.finditer(text) if _luhn(re.sub(r"\D", "", m.group())))


def _luhn(number: str) -> bool:
    """ISO/IEC 7812: every second digit from the right doubled, its digits summed, mod 10 is 0."""
    digits = [int(digit) for digit in reversed(number)]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (INTERNATIONAL, NATIONAL, NORTH_AMERICAN):
        yield from (match.span() for match in pattern.finditer(text))


def _digits(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in LONG.finditer(text))


DETECTORS: dict[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "email": _emails,
    "iban": _ibans,
    "card": _cards,
    "phone": _phones,
    "digits": _digits,
}
