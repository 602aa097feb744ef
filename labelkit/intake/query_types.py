"""Types of queries: suggested by plain rules that say which one fired, decided by people.

A type is a way to slice a benchmark, so a wrong suggestion misleads: the page shows the rule
and the words that it found, and what a person decides is never overwritten by a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from labelkit.errors import InputError
from labelkit.intake import follow_ups, vocabulary
from labelkit.model import QUERY_TYPES, Turn

TYPES = QUERY_TYPES
DATE_BOUND = "date-bound"
KEYWORDS_AT_MOST = 3
NAVIGATION_AT_MOST = 4

UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
QUESTION_MARK = re.compile(r"[?？؟]\s*$")
QUESTION_WORDS = vocabulary.every(vocabulary.QUESTION_WORDS)
FUNCTION_WORDS = vocabulary.every(vocabulary.FUNCTION_WORDS)
ADDRESS = re.compile(
    r"(?<![\w@.])(?:https?://\S+|www\.\S+|(?:[\w-]+\.)+(?:com|org|net|io|de|fr|es|eu|gov|edu)(?![\w.]))"
)
NAVIGATION = vocabulary.any_of(
    [*vocabulary.NAVIGATION.split(), *vocabulary.NAVIGATION_PHRASES.split("|")]
)

ERROR_RULES = {
    "an exception's name": re.compile(r"(?<!\w)\w*[a-z](?:Error|Exception|Warning|Fault)(?!\w)"),
    "a hexadecimal code": re.compile(r"(?<!\w)0[xX][0-9A-Fa-f]{4,}(?!\w)"),
    "a system's error constant": re.compile(
        r"(?<!\w)(?:ERR_[A-Z_]+|E(?:NOENT|ACCES|PERM|EXIST|CONN[A-Z]+|PIPE|TIMEDOUT|INVAL|BUSY)"
        r"|SIG[A-Z]{3,4})(?!\w)"
    ),
    "a code of letters, a dash and digits": re.compile(r"(?<!\w)[A-Z]{2,5}-\d{4,6}(?!\w)"),
    "the word error, code or status before a number": re.compile(
        r"(?i)(?<!\w)(?:error|errno|code|status|exit code|http|fehler|erreur|código)"
        r"[ :#]{1,2}[A-Z]{0,4}-?\d{2,}(?!\w)"
    ),
    "a number before the word error": re.compile(r"(?i)(?<![\w.])\d{3,5} (?:error|fehler)(?!\w)"),
}
STANDARDS = re.compile(r"(?:ISO|RFC|DIN|IEC|ANSI|IEEE|CVE|PEP)-\d+")

_MONTH = "|".join(vocabulary.MONTHS.split())
DATE_RULES = {
    "a date": re.compile(
        r"(?<![\w.-])(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4})(?![\w-])"
    ),
    "a month with a day or year": re.compile(
        rf"(?i)(?<!\w)(?:\d{{1,2}}(?:st|nd|rd|th|\.)? (?:{_MONTH})|(?:{_MONTH}) \d{{1,4}}"
        rf"|(?:in|since|until|before|after|im|seit|en|depuis|desde) (?:{_MONTH}))(?!\w)"
    ),
    "a quarter": re.compile(
        r"(?i)(?<!\w)(?:Q[1-4](?: ?/? ?(?:19|20)?\d\d)?|(?:19|20)\d\d ?Q[1-4])(?!\w)"
    ),
    "a year": re.compile(r"(?<![\w.,$€£#/-])(?:19[5-9]|20[0-4])\d(?![\w,/-]|\.\d)"),
    "a word that means a time": re.compile(rf"(?i)(?<!\w)(?:{vocabulary.RELATIVE_DATES})(?!\w)"),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A type that a rule suggests: which rule, and the words that made it fire."""

    type: str
    rule: str
    evidence: str

    @property
    def sentence(self) -> str:
        """The suggestion in words."""
        found = f": “{self.evidence}”" if self.evidence else ""
        return f"{self.type}, because of {self.rule}{found}"


def suggest(text: str, turns: Sequence[Turn] = ()) -> tuple[Suggestion, ...]:
    """The types that the rules find in a query: its form first, then what else it is."""
    further = [one for rule in FURTHER for one in rule(text)]
    lean = follow_ups.leaning(text, turns)
    if lean is not None:
        further.append(Suggestion("follow-up", lean.rule, lean.evidence))
    navigational = any(one.type == "navigational" for one in further)
    return (*(() if navigational else (_form(text),)), *further)


def check(types: Sequence[str]) -> tuple[str, ...]:
    """The types in one order, each once; raises InputError for one that is not known."""
    unknown = sorted(set(types) - TYPES.keys())
    if unknown:
        raise InputError(f"{unknown[0]!r} is no type of query; choose from {', '.join(TYPES)}.")
    return tuple(one for one in TYPES if one in types)


def _form(text: str) -> Suggestion:
    words = [word.casefold() for word in WORD.findall(text)]
    mark = QUESTION_MARK.search(text)
    if mark:
        return Suggestion("question", "the question mark at its end", mark.group().strip())
    if len(words) > 1 and words[0] in QUESTION_WORDS:
        return Suggestion("question", "the question word it begins with", words[0])
    function = [word for word in words if word in FUNCTION_WORDS]
    length = max(len(words), len(UNSPACED.findall(text)) // 2)
    if length <= KEYWORDS_AT_MOST:
        return Suggestion("keyword", f"its length, {KEYWORDS_AT_MOST} words at most", "")
    if not function and not UNSPACED.search(text):
        return Suggestion("keyword", "the want of any article, pronoun or auxiliary", "")
    return Suggestion("statement", "its words, which make a sentence", "".join(function[:1]))


def _navigational(text: str) -> Iterator[Suggestion]:
    address = ADDRESS.search(text)
    short = len(WORD.findall(text)) <= NAVIGATION_AT_MOST or address is not None
    place = NAVIGATION.search(text.casefold())
    if address is not None and len(text.split()) <= NAVIGATION_AT_MOST:
        yield Suggestion("navigational", "a web address", address.group())
    elif short and place is not None and not QUESTION_MARK.search(text):
        yield Suggestion("navigational", "a short query that names a place", place.group())


def _error_code(text: str) -> Iterator[Suggestion]:
    for rule, pattern in ERROR_RULES.items():
        match = pattern.search(text)
        if match is not None and not STANDARDS.fullmatch(match.group()):
            yield Suggestion("error-code", rule, match.group())
            return


def _date_bound(text: str) -> Iterator[Suggestion]:
    for rule, pattern in DATE_RULES.items():
        match = pattern.search(text)
        if match is not None:
            yield Suggestion(DATE_BOUND, rule, match.group())
            return


FURTHER: tuple[Callable[[str], Iterator[Suggestion]], ...] = (
    _navigational,
    _error_code,
    _date_bound,
)
