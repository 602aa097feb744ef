"""The bytes of a release: the same content gives the same bytes, whoever froze it and when."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from labelkit.model import Adjudication, Document, Judgment, Query

CONTENT_FILES = ("documents.jsonl", "judgments.jsonl", "qrels.txt", "queries.jsonl", "rubric.md")
"""The files whose bytes make up the content hash."""

ATTRIBUTES = ".gitattributes"
UNTOUCHED = b"* -text\n"
"""Keeps git from rewriting line ends, as it does on Windows by default: no hash would hold then."""

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a release can be called: its folder has that name."""

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"

INDEPENDENT = "independent"
"""The round of a first or second label: which of two came first is a matter of time, and stands
in the history, not in the content."""


def canonical(value: Any) -> str:
    """The one JSON form: sorted keys, no spaces, non-ASCII as it is, no NaN."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as canonical JSON lines, UTF-8, LF."""
    return "".join(canonical(row) + "\n" for row in rows).encode()


def pseudonyms(person_ids: Iterable[str], others: Iterable[str] = ()) -> dict[str, str]:
    """person_id to rater-01, rater-02 … by sorted person id.

    `others`, who stand in the history alone, come after, so that they shift no one's number.
    """
    first = sorted(set(person_ids))
    every = [*first, *sorted(set(others) - set(first))]
    return {person_id: f"rater-{number:02d}" for number, person_id in enumerate(every, 1)}


def query_row(query: Query) -> dict[str, Any]:
    """One line of queries.jsonl.

    Types and a rewritten form stand there only where a query has them, so that a release
    without any keeps the content hash that it had before there were such things.
    """
    return {
        "query_id": query.query_id,
        "text": query.text,
        "source": query.source.value,
        "turns": [{"role": turn.role, "text": turn.text} for turn in query.turns],
        "information_need": query.information_need,
        "tags": list(query.tags),
        "language": query.language,
        "source_doc_id": query.source_doc_id,
        "drafted_text": query.drafted_text,
        "provenance": query.provenance,
        **_further(query),
    }


def _further(query: Query) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if query.types:
        row |= {"types": list(query.types), "types_by": query.types_by}
    if query.rewritten_text is not None:
        row |= {"rewritten_text": query.rewritten_text, "rewritten_by": query.rewritten_by}
    return row


def document_row(document: Document, texts: bool = True) -> dict[str, Any]:
    """One line of documents.jsonl; without texts, the id and the hash of title and text alone."""
    if not texts:
        return {"doc_id": document.doc_id, "sha256": document.text_sha256}
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "text": document.text,
        "metadata": dict(document.metadata),
        "sha256": document.text_sha256,
    }


def judgment_row(
    judgment: Judgment, names: Mapping[str, str], texts: bool = True
) -> dict[str, Any]:
    """One line of judgments.jsonl: a standing judgment of one rater, under a pseudonym.

    Evidence stands in the order of the text, whatever was marked first. Without texts it keeps
    its place and loses its quote, which is the document's text.
    """
    return {
        "query_id": judgment.query_id,
        "doc_id": judgment.doc_id,
        "rater": names[judgment.person_id],
        "role": "rater",
        "level": judgment.level,
        "cause": None if judgment.cause is None else judgment.cause.value,
        "reason": judgment.reason,
        "evidence": [
            {"start": span.start, "end": span.end, "quote": span.quote if texts else ""}
            for span in sorted(judgment.evidence, key=lambda span: (span.start, span.end))
        ],
        "round": "check" if judgment.round == "check" else INDEPENDENT,
        "rubric_version": judgment.rubric_version,
        "provenance": judgment.provenance,
    }


def adjudication_row(adjudication: Adjudication, names: Mapping[str, str]) -> dict[str, Any]:
    """One line of judgments.jsonl for a lead's final level."""
    return {
        "query_id": adjudication.query_id,
        "doc_id": adjudication.doc_id,
        "rater": names[adjudication.person_id],
        "role": "adjudicator",
        "level": adjudication.level,
        "cause": None,
        "reason": adjudication.reason,
        "evidence": [],
        "round": "adjudication",
        "rubric_version": None,
        "provenance": "",
    }


def history_row(judgment: Judgment, names: Mapping[str, str], texts: bool = True) -> dict[str, Any]:
    """One line of history.jsonl: every event with its times, outside the content hash."""
    return {
        **judgment_row(judgment, names, texts),
        "round": judgment.round,
        "event": judgment.judgment_id,
        "kind": judgment.kind,
        "supersedes": judgment.supersedes,
        "created_at": judgment.created_at,
        "active_seconds": judgment.active_seconds,
        **({"reason_reused": True} if judgment.reason_reused else {}),
    }


def qrels_text(levels: Mapping[tuple[str, str], int]) -> bytes:
    """TREC qrels, sorted by query and document id: query_id 0 doc_id level."""
    rows = sorted(levels.items())
    return "".join(f"{query} 0 {doc} {level}\n" for (query, doc), level in rows).encode()


def manifest(value: Mapping[str, Any]) -> bytes:
    """The bytes of manifest.json."""
    return (canonical(value) + "\n").encode()


def sums(hashes: Mapping[str, str]) -> bytes:
    """The bytes of SHA256SUMS: "hash  name" lines by name, as sha256sum -c reads them."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items())).encode()


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def content_sha256(hashes: Mapping[str, str]) -> str:
    """The content hash: SHA-256 over "hash  name" lines of the content files, by name."""
    text = "".join(f"{hashes[name]}  {name}\n" for name in sorted(CONTENT_FILES))
    return sha256(text.encode())
