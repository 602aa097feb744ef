"""Reading what a model answered: its queries, and what could not be read, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from labelkit.drafting.lenient import ENDS_EARLY, MISSING, QUOTES, Bare, Cut, Fields, values
from labelkit.drafting.prompt import STYLES

QUERY_FIELD = re.compile(r"(?:(?:search|user)[ _-]?)?(?:query|question)[ _-]?\d*|q\d*", re.I)
PLURAL = re.compile(r"quer(?:y|ies)|question|search|result|item", re.I)
STYLE_FIELDS = ("style", "type", "kind")
EARLIER_FIELDS = ("earlier", "earlier_turn", "previous", "context")
THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.I)
THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.I)
THOUGHT_BEGINS = re.compile(r"<(?:think|thinking|reasoning|thought)>", re.I)
LABELLED = re.compile(
    r"""^[ \t>]*(?:\d{1,2}[.)]?[ \t]+|[-*•][ \t]+)?["'“*]*"""
    r"""(?:query|question|q)[ \t]*\d*["'”*]*[ \t]*[:=][ \t]*(?P<text>\S.*)$""",
    re.I | re.MULTILINE,
)
LISTED = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(?P<text>\S.*)$", re.MULTILINE)
QUOTED_FIRST = re.compile(r"""(?:\d+[ \t]*-[ \t]*)?["“](?P<text>[^"“”]+)["”][ \t]*(?:$|[-–;,.(])""")
LABEL = re.compile(r"^(?:\*\*)?(?:[a-z-]+ ){0,3}[a-z-]*(?: \d+)?:(?:\*\*)?\s+(?=\S)", re.I)
PLACEHOLDER = re.compile(r"[\W_]*|<[^<>]*>\W*|<\w*\W*|\[[^\[\]]*\]|string|query", re.I)
CODE = re.compile(r"[=(){}\[\]]")
UNQUOTED = re.compile(r"[\w'’?,.:-]+(?: [\w'’?,.:-]+)+")
LABEL_ALONE = re.compile(r"(?:\w+ ){0,2}\w+:|(?:query|question|keyword)s?(?: \d+)?:?", re.I)
QUOTED_LENGTH = 60
MOST_PROBLEMS = 4
ENDED = "the reply was cut off, or its last list is not closed"


@dataclass(frozen=True, slots=True)
class Drafted:
    """One query of a reply, with the style it was written in and the turn it follows, if said."""

    text: str
    style: str = ""
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply held: queries in order, and each part that gave none, with why.

    At least one of both is there: no reply is read as nothing.
    """

    drafts: tuple[Drafted, ...]
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Found:
    drafts: list[Drafted] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read(reply: str) -> Reading:
    """Recover the queries of a reply; whatever is not recovered is a stated problem."""
    said, problem = without_thoughts(reply)
    if problem:
        return Reading((), (problem,))
    found = _read_json(said)
    if not found.drafts:
        _read_prose(said, found)
    if not found.drafts and not found.problems:
        found.problems.append(f"no query was found in the reply: {_short(said)}")
    return Reading(tuple(_distinct(found.drafts)), _fewer(found.problems))


def _fewer(problems: Iterable[str]) -> tuple[str, ...]:
    """Each problem once, and the first few of many: a reply can be a page of code."""
    distinct = list(dict.fromkeys(problems))
    more = len(distinct) - MOST_PROBLEMS
    return (*distinct[:MOST_PROBLEMS], *([f"and {more} more parts like these"] if more > 0 else []))


def without_thoughts(reply: str) -> tuple[str, str]:
    """The reply behind its thinking, and what is wrong where nothing is behind it."""
    said = THOUGHT.sub(" ", reply.lstrip("\ufeff"))
    said = THOUGHT_ENDS.split(said)[-1]  # a server may have swallowed the beginning
    opened = THOUGHT_BEGINS.search(said)
    if opened is not None:
        said = said[: opened.start()]
    if said.strip():
        return said, ""
    if reply.strip():
        return "", "the reply ended inside the model's thinking: allow it more tokens"
    return "", "an empty reply"


def _read_json(said: str) -> _Found:
    found, strings = _Found(), _Found()
    for value in values(said):
        if _is_list_of_texts(value):
            _take_items(value, strings)
        else:
            _take(value, found)
    # A plain list of texts may be quoted from the passage; beside objects it is not the answer.
    if not found.drafts and strings.drafts:
        found.drafts += strings.drafts
        found.problems += strings.problems
    return found


def _is_list_of_texts(value: Any) -> bool:
    """Whether a value is `["…", "…"]`, closed or not."""
    if not isinstance(value, list) or isinstance(value, Fields):
        return False
    items = [one for one in value if one is not ENDS_EARLY]
    return bool(items) and all(type(one) in (str, Cut) for one in items)


def _take(value: Any, found: _Found) -> None:
    """Collect the queries of any value that stands where queries do."""
    if isinstance(value, Fields):
        _take_object(value, found)
    elif isinstance(value, list):
        _take_items(value, found)
    else:
        found.problems.append(f"{_short(value)} is no query")


def _take_items(items: list[Any], found: _Found) -> None:
    if not items:
        found.problems.append("an empty list stands where queries should")
    plain = _is_list_of_texts(items)
    for item in items:
        if item is ENDS_EARLY:
            found.problems.append(ENDED)
        elif plain:
            _take_text(item, Fields(), found)
        else:
            _take(item, found)


def _take_object(fields: Fields, found: _Found) -> None:
    """The queries of an object: in its query field, under the names of styles, or further in."""
    if fields and fields[-1][1] is ENDS_EARLY:
        found.problems.append(ENDED)
    asked = [(name, value) for name, value in fields if QUERY_FIELD.fullmatch(name.strip())]
    by_style = [one for one in fields if one[0].strip().lower() in STYLES]
    inside = [value for name, value in fields if _may_hold_queries(name, value)]
    if by_style and all(name.strip().lower() in STYLES for name, _ in asked):
        _take_by_style(by_style, found)
    elif asked:
        _take_asked(asked, fields, found)
    elif inside:
        for value in inside:
            _take(value, found)
    else:
        names = ", ".join(repr(str(name)) for name, value in fields if value is not ENDS_EARLY)
        found.problems.append(f"an object with the fields {names or '(none)'} holds no query")


def _may_hold_queries(name: str, value: Any) -> bool:
    """Objects and lists may, whatever their name; a plain list of texts only under a fit one."""
    return isinstance(value, list) and (not _is_list_of_texts(value) or bool(PLURAL.search(name)))


def _take_asked(asked: list[tuple[str, Any]], fields: Fields, found: _Found) -> None:
    for _, value in asked:
        if isinstance(value, list):
            _take(value, found)
        else:
            _take_text(value, fields, found)


def _take_by_style(by_style: list[tuple[str, Any]], found: _Found) -> None:
    """`{"keywords": "…", "question": "…"}`: each field is a query in the style it is named for."""
    for name, value in by_style:
        for one in value if _is_list_of_texts(value) else [value]:
            _take_text(one, Fields([("style", name.strip().lower())]), found)


def _take_text(value: Any, fields: Fields, found: _Found) -> None:
    if value is MISSING:
        found.problems.append("a query has no value")
    elif isinstance(value, Cut):
        found.problems.append(f"a query was cut off: {_short(value)}")
    elif value is None or (isinstance(value, str) and not value.strip()):
        found.problems.append("a query is empty")
    elif not isinstance(value, str) or (isinstance(value, Bare) and not UNQUOTED.fullmatch(value)):
        found.problems.append(f"{_short(value)} stands where a query should")
    elif LABEL_ALONE.fullmatch(value.strip()):
        found.problems.append(f"a label stands where a query should: {_short(value)}")
    elif PLACEHOLDER.fullmatch(value):
        found.problems.append(f"a placeholder stands where a query should: {_short(value)}")
    else:
        found.drafts.append(
            Drafted(
                _one_line(value), _text_of(fields, STYLE_FIELDS), _text_of(fields, EARLIER_FIELDS)
            )
        )


def _text_of(fields: Fields, names: Iterable[str]) -> str:
    for name, value in fields:
        if name.strip().lower() in names and isinstance(value, str) and not isinstance(value, Cut):
            return "" if PLACEHOLDER.fullmatch(value) else _one_line(value)
    return ""


def _read_prose(said: str, found: _Found) -> None:
    """Look for lines such as `Question: …` outside any braces, then for the items of a list."""
    labelled = [match["text"] for match in LABELLED.finditer(said)]
    listed = [match["text"] for match in LISTED.finditer(said)] if not found.problems else []
    for line in labelled or listed:
        text = _unmarked(line)
        # Code such as `"query": url["q"]` looks like a label; words in quotes are words.
        is_code = text == line.strip().rstrip(",") and bool(CODE.search(text))
        _take_text(Bare(text) if is_code else text, Fields(), found)


def _unmarked(line: str) -> str:
    """A line without its label, its emphasis, the quotes around it, or a remark behind them."""
    text = LABEL.sub("", line.strip()).strip().strip("*").strip().rstrip(",")
    first = QUOTED_FIRST.match(text)
    if first:
        return first["text"].strip()
    quoted = len(text) > 1 and QUOTES.get(text[0]) == text[-1]
    return text[1:-1].strip() if quoted else text


def _distinct(drafts: Iterable[Drafted]) -> Iterator[Drafted]:
    seen: set[str] = set()
    for draft in drafts:
        if draft.text.casefold() not in seen:
            seen.add(draft.text.casefold())
            yield draft


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _short(value: Any) -> str:
    text = _one_line(str(value))
    return f"“{text[:QUOTED_LENGTH]}{'…' if len(text) > QUOTED_LENGTH else ''}”"
