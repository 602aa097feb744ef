"""From a row of text to a document, a query or a judgment; what is wrong is said by column."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.formats.tables import parse_json
from labelkit.importing.scales import Levels, canonical
from labelkit.model import (
    LEVELS,
    QUERY_TYPES,
    Cause,
    Document,
    Query,
    QuerySource,
    QueryState,
    Turn,
)

BLANK = re.compile(r"[\s\x00-\x1f]")
OF_METADATA = ("information_need", "tags", "language")
OURS = "labelkit"
"""The key under which our own BEIR export keeps what BEIR has no place for: another tool's
`source` or `note` means something else."""

OF_EXPORT = (
    "source", "turns", "information_need", "tags", "language", "source_doc_id", "drafted_text",
    "provenance", "types", "types_by", "rewritten_text", "rewritten_by",
)  # fmt: skip
RULE, PERSON = "rule", "person"


class Wrong(ValueError):
    """One value cannot be used; carries the column it stands in."""

    def __init__(self, column: str, message: str) -> None:
        self.column, self.message = column, message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class ImportedJudgment:
    """A judgment as a file gives it."""

    query_id: str
    doc_id: str
    rater: str
    level: int | None
    cause: Cause | None
    reason: str
    round: str
    provenance: str
    query_text: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document that a run ranks for a query."""

    query_id: str
    doc_id: str
    score: float


def document(values: Mapping[str, Any], headers: Mapping[str, str]) -> Document:
    """Read one document; columns that we do not know become metadata."""
    metadata = _object(values, headers, "metadata")
    known = set(headers.values())
    metadata |= {k: v for k, v in values.items() if k not in known and v not in (None, "")}
    title, body = text(values, headers, "title"), text(values, headers, "text")
    return Document(own_id(values, headers, "doc_id", "d", title, body), title, body, metadata)


def query(values: Mapping[str, Any], headers: Mapping[str, str]) -> Query:
    """Read one query; without a source it is `manual`, without a state `accepted`.

    What metadata say of need, tags and language counts where no column says it, and so does all
    that our own export says there.
    """
    found = text(values, headers, "text")
    if not found.strip():
        raise Wrong(headers["text"], "the query is empty")
    described = _described(values, headers)
    values, headers = {**described, **values}, {**{name: name for name in described}, **headers}
    return Query(
        query_id=own_id(values, headers, "query_id", "q", found),
        text=found,
        source=_one_of(QuerySource, values, headers, "source", QuerySource.MANUAL),
        state=_one_of(QueryState, values, headers, "state", QueryState.ACCEPTED),
        turns=_turns(values, headers),
        information_need=text(values, headers, "information_need"),
        tags=_listed(values, headers, "tags"),
        language=text(values, headers, "language"),
        source_doc_id=text(values, headers, "source_doc_id") or None,
        provenance=text(values, headers, "provenance"),
        note=text(values, headers, "note"),
        **_further(values, headers),
    )


def _described(values: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """What a query's metadata say of it, by our names."""
    found = _object(values, headers, "metadata")
    told = found.get(OURS)
    ours = (
        {name: told[name] for name in OF_EXPORT if name in told} if isinstance(told, dict) else {}
    )
    return {name: found[name] for name in OF_METADATA if name in found} | ours


def _further(values: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Types, rewritten and drafted form, each with who made it."""
    types = _types(values, headers)
    by = text(values, headers, "types_by").strip() or (PERSON if types else "")
    if by not in ("", RULE, PERSON):
        raise Wrong(headers["types_by"], f"{by!r} sets no types: use {RULE} or {PERSON}")
    return {
        "types": types,
        "types_by": by,
        "rewritten_text": text(values, headers, "rewritten_text") or None,
        "rewritten_by": text(values, headers, "rewritten_by"),
        "drafted_text": text(values, headers, "drafted_text") or None,
    }


def _types(values: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, ...]:
    found = _listed(values, headers, "types")
    unknown = [one for one in found if one not in QUERY_TYPES]
    if unknown:
        known = ", ".join(QUERY_TYPES)
        raise Wrong(headers["types"], f"{unknown[0]!r} is no type of query: use {known}")
    return tuple(one for one in QUERY_TYPES if one in found)


def judgment(
    values: Mapping[str, Any], headers: Mapping[str, str], levels: Levels | None = None
) -> ImportedJudgment:
    """Read one judgment; a level or, where the level is empty, a cause.

    `levels` maps the file's grades to ours; without it they are 0, 1 and 2.
    """
    level = _level(values, headers, levels)
    cause = _one_of(Cause, values, headers, "cause", None)
    if (level is None) == (cause is None):
        raise Wrong(
            headers["level"],
            "give a level (0, 1, 2), or leave it empty and give a cause; to leave rows without a "
            "level out, say --levels as-is,blank=unjudged",
        )
    round_ = text(values, headers, "round") or "first"
    if round_ not in ("first", "second", "check"):
        raise Wrong(headers["round"], f"{round_!r} is no round: first, second or check")
    by_text = "query_id" not in headers
    return ImportedJudgment(
        query_id="" if by_text else identifier(values, headers, "query_id"),
        query_text=text(values, headers, "query_text") if by_text else "",
        doc_id=identifier(values, headers, "doc_id"),
        rater=text(values, headers, "rater"),
        level=level,
        cause=cause,
        reason=text(values, headers, "reason"),
        round=round_,
        provenance=text(values, headers, "provenance"),
    )


def ranked(values: Mapping[str, Any], headers: Mapping[str, str]) -> Ranked:
    """Read one line of a run; without a score the rank orders the documents."""
    name = "score" if "score" in headers else "rank"
    try:
        number = float(values.get(headers[name]) or "")
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise Wrong(headers[name], f"{values.get(headers[name])!r} is no {name}: give a number")
    return Ranked(
        identifier(values, headers, "query_id"),
        identifier(values, headers, "doc_id"),
        number if name == "score" else -number,
    )


def read(
    kind: str, values: Mapping[str, Any], headers: Mapping[str, str], levels: Levels | None = None
) -> Any:
    """Read one row of a kind of file; raises Wrong where a value cannot be used."""
    if kind == "documents":
        return document(values, headers)
    if kind == "queries":
        return query(values, headers)
    if kind == "judgments":
        return judgment(values, headers, levels)
    return ranked(values, headers)


def own_id(
    values: Mapping[str, Any], headers: Mapping[str, str], name: str, prefix: str, *content: str
) -> str:
    """The id that stands in the file, or one made of the content: the same again next time."""
    if name in headers:
        return identifier(values, headers, name)
    digest = hashlib.sha256("\n".join(content).encode()).hexdigest()
    return f"{prefix}-{digest[:12]}"


def identifier(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> str:
    """An id exactly as given; TREC files separate by spaces, so an id holds none."""
    header = headers[name]
    value = values.get(header)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Wrong(header, f'{value!r} is no id: give text, such as "d17"')
    found = str(value)
    if not found or BLANK.search(found):
        raise Wrong(
            header,
            f"{found!r} is no id: it is empty or holds spaces, which TREC files "
            "cannot carry; use dashes or underscores",
        )
    return found


def text(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> str:
    """A text, empty where the column is absent."""
    value = values.get(headers[name]) if name in headers else None
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Wrong(headers[name], f"{value!r} is not text")
    return value


def _level(
    values: Mapping[str, Any], headers: Mapping[str, str], levels: Levels | None
) -> int | None:
    header = headers["level"]
    value = values.get(header)
    if value is None or value == "":
        return None
    if levels is not None:
        return _mapped(header, value, levels)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if isinstance(value, bool) or "_" in str(value) or number not in LEVELS:
        raise Wrong(header, f"{value!r} is no level: the levels are 0, 1 and 2")
    return int(number)


def _mapped(header: str, value: Any, levels: Levels) -> int | None:
    grade = canonical(value)
    if grade not in levels:
        raise Wrong(header, f"{value!r} is a grade for which no level is said")
    return levels[grade]


def _one_of(
    kind: Any, values: Mapping[str, Any], headers: Mapping[str, str], name: str, default: Any
) -> Any:
    value = text(values, headers, name).strip()
    if not value:
        return default
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(member.value for member in kind)
        raise Wrong(headers[name], f"{value!r} is no {name}: use {known}") from None


def _listed(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Several words: a list, or text with semicolons between."""
    value = values.get(headers[name]) if name in headers else None
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return tuple(one.strip() for one in str(value or "").split(";") if one.strip())


def _turns(values: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[Turn, ...]:
    if "turns" not in headers:
        return ()
    header = headers["turns"]
    value = _json(header, values.get(header)) or []
    try:
        return tuple(Turn(str(turn["role"]), str(turn["text"])) for turn in value)
    except (TypeError, KeyError):
        raise Wrong(header, 'turns are a list of {"role": …, "text": …}') from None


def _object(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> dict[str, Any]:
    if name not in headers:
        return {}
    found = _json(headers[name], values.get(headers[name])) or {}
    if not isinstance(found, dict):
        raise Wrong(headers[name], f"{name} is a JSON object")
    return dict(found)


def _json(header: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value) if value.strip() else None
    except ValueError as error:
        raise Wrong(header, f"not JSON ({error})") from None
