"""From a row of text to a document, a query or a judgment; what is wrong is said by column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.formats.tables import parse_json
from labelkit.model import LEVELS, Cause, Document, Query, QuerySource, QueryState, Turn

NAMES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "documents": {
        "doc_id": ("doc_id", "_id", "id", "docid", "document_id", "corpus-id"),
        "title": ("title",),
        "text": ("text", "body", "content"),
        "metadata": ("metadata",),
    },
    "queries": {
        "query_id": ("query_id", "_id", "id", "qid", "query-id"),
        "text": ("text", "query"),
        "source": ("source",),
        "state": ("state",),
        "turns": ("turns",),
        "information_need": ("information_need", "need"),
        "tags": ("tags",),
        "language": ("language", "lang"),
        "source_doc_id": ("source_doc_id",),
        "provenance": ("provenance",),
        "note": ("note",),
        "metadata": ("metadata",),
    },
    "judgments": {
        "query_id": ("query_id", "query-id", "qid"),
        "doc_id": ("doc_id", "corpus-id", "docid", "document_id"),
        "level": ("level", "score", "rating", "relevance", "grade"),
        "cause": ("cause",),
        "reason": ("reason",),
        "rater": ("rater",),
        "round": ("round",),
        "provenance": ("provenance",),
    },
}
"""For each kind of file: what we call a column, and the headers that are read as it."""

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "documents": ("doc_id", "text"),
    "queries": ("query_id", "text"),
    "judgments": ("query_id", "doc_id", "level"),
}


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


def match(kind: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Our name of a column to the file's header, for the headers that we know."""
    found = {}
    for name, headers in NAMES[kind].items():
        for header in headers:
            if header in columns:
                found[name] = header
                break
    return found


def document(values: Mapping[str, Any], headers: Mapping[str, str]) -> Document:
    """Read one document; columns that we do not know become metadata."""
    metadata = _object(values, headers, "metadata")
    known = set(headers.values())
    metadata |= {k: v for k, v in values.items() if k not in known and v not in (None, "")}
    return Document(
        doc_id=identifier(values, headers, "doc_id"),
        title=text(values, headers, "title"),
        text=text(values, headers, "text"),
        metadata=metadata,
    )


def query(values: Mapping[str, Any], headers: Mapping[str, str]) -> Query:
    """Read one query; without a source it is `manual`, without a state `accepted`."""
    found = text(values, headers, "text")
    if not found.strip():
        raise Wrong(headers["text"], "the query is empty")
    return Query(
        query_id=identifier(values, headers, "query_id"),
        text=found,
        source=_one_of(QuerySource, values, headers, "source", QuerySource.MANUAL),
        state=_one_of(QueryState, values, headers, "state", QueryState.ACCEPTED),
        turns=_turns(values, headers),
        information_need=text(values, headers, "information_need"),
        tags=_tags(values, headers),
        language=text(values, headers, "language"),
        source_doc_id=text(values, headers, "source_doc_id") or None,
        provenance=text(values, headers, "provenance"),
        note=text(values, headers, "note"),
    )


def judgment(values: Mapping[str, Any], headers: Mapping[str, str]) -> ImportedJudgment:
    """Read one judgment; a level or, where the level is empty, a cause."""
    level = _level(values, headers)
    cause = _one_of(Cause, values, headers, "cause", None)
    if (level is None) == (cause is None):
        raise Wrong(headers["level"], "give a level (0, 1, 2), or leave it empty and give a cause")
    round_ = text(values, headers, "round") or "first"
    if round_ not in ("first", "second", "check"):
        raise Wrong(headers["round"], f"{round_!r} is no round: first, second or check")
    return ImportedJudgment(
        query_id=identifier(values, headers, "query_id"),
        doc_id=identifier(values, headers, "doc_id"),
        rater=text(values, headers, "rater"),
        level=level,
        cause=cause,
        reason=text(values, headers, "reason"),
        round=round_,
        provenance=text(values, headers, "provenance"),
    )


READERS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, str]], Any]] = {
    "documents": document,
    "queries": query,
    "judgments": judgment,
}


def identifier(values: Mapping[str, Any], headers: Mapping[str, str], name: str) -> str:
    """An id exactly as given; TREC files separate by spaces, so an id holds none."""
    header = headers[name]
    value = values.get(header)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Wrong(header, f'{value!r} is no id: give text, such as "d17"')
    found = str(value)
    if not found or any(character.isspace() or ord(character) < 32 for character in found):
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


def _level(values: Mapping[str, Any], headers: Mapping[str, str]) -> int | None:
    header = headers["level"]
    value = values.get(header)
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if isinstance(value, bool) or "_" in str(value) or number not in LEVELS:
        raise Wrong(header, f"{value!r} is no level: the levels are 0, 1 and 2")
    return int(number)


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


def _tags(values: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, ...]:
    value = values.get(headers["tags"]) if "tags" in headers else None
    if isinstance(value, list):
        return tuple(str(tag) for tag in value)
    return tuple(tag.strip() for tag in str(value or "").split(";") if tag.strip())


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
