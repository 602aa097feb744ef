"""What we call the columns of a file, and the headers that are read as them."""

from __future__ import annotations

import re
from collections.abc import Mapping

NAMES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "documents": {
        "doc_id": ("doc_id", "_id", "id", "docid", "document_id", "corpus_id"),
        "title": ("title",),
        "text": ("text", "body", "content", "contents", "passage"),
        "metadata": ("metadata",),
    },
    "queries": {
        "query_id": ("query_id", "_id", "id", "qid", "topic_id"),
        "text": ("text", "query", "query_text"),
        "source": ("source",),
        "state": ("state",),
        "turns": ("turns",),
        "information_need": ("information_need", "need"),
        "tags": ("tags",),
        "language": ("language", "lang"),
        "source_doc_id": ("source_doc_id",),
        "provenance": ("provenance",),
        "note": ("note",),
        "types": ("types",),
        "types_by": ("types_by",),
        "rewritten_text": ("rewritten_text",),
        "rewritten_by": ("rewritten_by",),
        "drafted_text": ("drafted_text",),
        "metadata": ("metadata",),
    },
    "judgments": {
        "query_id": ("query_id", "qid", "topic_id"),
        "query_text": ("query_text", "query", "search_term", "keywords"),
        "doc_id": ("doc_id", "corpus_id", "docid", "document_id"),
        "level": ("level", "score", "rating", "relevance", "grade"),
        "cause": ("cause",),
        "reason": ("reason",),
        "rater": ("rater",),
        "round": ("round",),
        "provenance": ("provenance",),
    },
    "runs": {
        "query_id": ("query_id", "qid", "topic_id"),
        "doc_id": ("doc_id", "corpus_id", "docid", "document_id"),
        "score": ("score",),
        "rank": ("rank", "position"),
    },
}
"""For each kind of file: what we call a column, and the headers that are read as it,
whatever their case and the sign between their words."""

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "documents": ("doc_id", "text"),
    "queries": ("query_id", "text"),
    "judgments": ("query_id", "doc_id", "level"),
    "runs": ("query_id", "doc_id", "score"),
}
"""What cannot be done without; `missing` knows what may stand in for it."""

INSTEAD: Mapping[tuple[str, str], str] = {
    ("judgments", "query_id"): "query_text",
    ("runs", "score"): "rank",
}


def match(kind: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Our name of a column to the file's header, for the headers that we know."""
    plain = {_plain(column): column for column in reversed(columns)}
    found: dict[str, str] = {}
    for name, headers in NAMES[kind].items():
        known = [plain[_plain(header)] for header in headers if _plain(header) in plain]
        if known and known[0] not in found.values():
            found[name] = known[0]
    return found


def _plain(header: str) -> str:
    """A header without case, and with one sign between its words."""
    return re.sub(r"[\s-]+", "_", header.strip().casefold())


def missing(kind: str, headers: Mapping[str, str], *, ids_from_text: bool = False) -> list[str]:
    """The columns that are still needed before a file of this kind can be read."""
    own = {"documents": "doc_id", "queries": "query_id"}.get(kind)
    return [
        name
        for name in REQUIRED[kind]
        if name not in headers
        and INSTEAD.get((kind, name)) not in headers
        and not (ids_from_text and name == own)
    ]
