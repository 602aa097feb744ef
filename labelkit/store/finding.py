"""What searching the corpus by hand asks of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from labelkit.model import Document
from labelkit.store import documents


def corpus_state(db: sqlite3.Connection) -> str:
    """A name for the documents as they are now; another one once any is added or revised.

    Read without looking at the documents themselves: it is asked for at every key.
    """
    row = db.execute(
        "select (select coalesce(max(rowid), 0) from document_rows), "
        "(select count(*) from document_revisions), "
        "(select count(*) from imports where state = 'merging')"
    ).fetchone()
    return "-".join(str(part) for part in row)


def by_title(db: sqlite3.Connection, words: Sequence[str], k: int) -> list[Document]:
    """Documents whose title holds every one of the words, the shortest titles first."""
    if not words:
        return []
    every = " and ".join("title like ? escape '\\'" for _ in words)
    rows = db.execute(
        f"select doc_id from documents where {every} order by length(title), doc_id limit ?",  # noqa: S608 (placeholders only)
        (*(f"%{_escaped(word)}%" for word in words), k),
    )
    return in_order(db, [row[0] for row in rows])


def in_order(db: sqlite3.Connection, doc_ids: Sequence[str]) -> list[Document]:
    """The documents with these ids that are here, in this order."""
    found = (documents.get(db, doc_id) for doc_id in doc_ids)
    return [document for document in found if document is not None]


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
