"""From a row of text to a document, a query, a judgment or a line of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.importing import cells
from labelkit.importing.scales import Levels, canonical
from labelkit.model import (
    LEVELS,
    QUERY_TYPES,
    Cause,
    Document,
    Query,
    QuerySource,
    QueryState,
)

OF_METADATA = ("information_need", "tags", "language")
OURS = "labelkit"
"""The key under which our own BEIR export keeps what BEIR has no place for: another tool's
`source` or `note` means something else."""

OF_EXPORT = (
    "source", "turns", "information_need", "tags", "language", "source_doc_id", "drafted_text",
    "provenance", "types", "types_by", "rewritten_text", "rewritten_by",
)  # fmt: skip
RULE, PERSON = "rule", "person"
INDEPENDENT, ADJUDICATION = "independent", "adjudication"
"""Rounds as our own export of a release names them."""


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
    metadata = cells.object_(values, headers, "metadata")
    known = set(headers.values())
    metadata |= {k: v for k, v in values.items() if k not in known and v not in (None, "")}
    title, body = cells.text(values, headers, "title"), cells.text(values, headers, "text")
    doc_id = cells.own_id(values, headers, "doc_id", "d", title, body)
    return Document(doc_id, title, body, metadata)


def query(values: Mapping[str, Any], headers: Mapping[str, str]) -> Query:
    """Read one query; without a source it is `manual`, without a state `accepted`.

    What metadata say of need, tags and language counts where no column says it, and so does all
    that our own export says there.
    """
    found = cells.text(values, headers, "text")
    if not found.strip():
        raise cells.Wrong(headers["text"], "the query is empty")
    described = _described(values, headers)
    values, headers = {**described, **values}, {**{name: name for name in described}, **headers}
    return Query(
        query_id=cells.own_id(values, headers, "query_id", "q", found),
        text=found,
        source=cells.one_of(QuerySource, values, headers, "source", QuerySource.MANUAL),
        state=cells.one_of(QueryState, values, headers, "state", QueryState.ACCEPTED),
        turns=cells.turns(values, headers),
        information_need=cells.text(values, headers, "information_need"),
        tags=cells.listed(values, headers, "tags"),
        language=cells.text(values, headers, "language"),
        source_doc_id=cells.text(values, headers, "source_doc_id") or None,
        provenance=cells.text(values, headers, "provenance"),
        note=cells.text(values, headers, "note"),
        **_further(values, headers),
    )


def _described(values: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """What a query's metadata say of it, by our names."""
    found = cells.object_(values, headers, "metadata")
    told = found.get(OURS)
    ours = (
        {name: told[name] for name in OF_EXPORT if name in told} if isinstance(told, dict) else {}
    )
    return {name: found[name] for name in OF_METADATA if name in found} | ours


def _further(values: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Types, rewritten and drafted form, each with who made it."""
    types = _types(values, headers)
    by = cells.text(values, headers, "types_by").strip() or (PERSON if types else "")
    if by not in ("", RULE, PERSON):
        raise cells.Wrong(headers["types_by"], f"{by!r} sets no types: use {RULE} or {PERSON}")
    return {
        "types": types,
        "types_by": by,
        "rewritten_text": cells.text(values, headers, "rewritten_text") or None,
        "rewritten_by": cells.text(values, headers, "rewritten_by"),
        "drafted_text": cells.text(values, headers, "drafted_text") or None,
    }


def _types(values: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, ...]:
    found = cells.listed(values, headers, "types")
    unknown = [one for one in found if one not in QUERY_TYPES]
    if unknown:
        known = ", ".join(QUERY_TYPES)
        raise cells.Wrong(headers["types"], f"{unknown[0]!r} is no type of query: use {known}")
    return tuple(one for one in QUERY_TYPES if one in found)


def judgment(
    values: Mapping[str, Any], headers: Mapping[str, str], levels: Levels | None = None
) -> ImportedJudgment:
    """Read one judgment; a level or, where the level is empty, a cause.

    `levels` maps the file's grades to ours; without it they are 0, 1 and 2.
    """
    level = _level(values, headers, levels)
    cause = cells.one_of(Cause, values, headers, "cause", None)
    if (level is None) == (cause is None):
        raise cells.Wrong(
            headers["level"],
            "give a level (0, 1, 2), or leave it empty and give a cause; to leave rows without a "
            "level out, say --levels as-is,blank=unjudged",
        )
    round_ = cells.text(values, headers, "round") or "first"
    if round_ == ADJUDICATION:
        raise cells.Wrong(
            headers["round"],
            "this level was settled by a lead, which no import can say: take the qrels of the "
            "release, or the release itself with labelkit adopt",
        )
    if round_ == INDEPENDENT:  # a release does not tell the first label from the second
        round_ = "first"
    if round_ not in ("first", "second", "check"):
        raise cells.Wrong(headers["round"], f"{round_!r} is no round: first, second or check")
    by_text = "query_id" not in headers
    return ImportedJudgment(
        query_id="" if by_text else cells.identifier(values, headers, "query_id"),
        query_text=cells.text(values, headers, "query_text") if by_text else "",
        doc_id=cells.identifier(values, headers, "doc_id"),
        rater=cells.text(values, headers, "rater"),
        level=level,
        cause=cause,
        reason=cells.text(values, headers, "reason"),
        round=round_,
        provenance=cells.text(values, headers, "provenance"),
    )


def ranked(values: Mapping[str, Any], headers: Mapping[str, str]) -> Ranked:
    """Read one line of a run; without a score the rank orders the documents."""
    name = "score" if "score" in headers else "rank"
    try:
        number = float(values.get(headers[name]) or "")
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        found = values.get(headers[name])
        raise cells.Wrong(headers[name], f"{found!r} is no {name}: give a number")
    return Ranked(
        cells.identifier(values, headers, "query_id"),
        cells.identifier(values, headers, "doc_id"),
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
        raise cells.Wrong(header, f"{value!r} is no level: the levels are 0, 1 and 2")
    return int(number)


def _mapped(header: str, value: Any, levels: Levels) -> int | None:
    grade = canonical(value)
    if grade not in levels:
        raise cells.Wrong(header, f"{value!r} is a grade for which no level is said")
    return levels[grade]
