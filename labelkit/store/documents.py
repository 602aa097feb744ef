"""Documents and their earlier revisions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labelkit.errors import Conflict
from labelkit.model import Document
from labelkit.store.workspace import Workspace, now


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """What an import of documents did."""

    added: int
    changed: tuple[str, ...]
    unchanged: int


def save(db: sqlite3.Connection, documents: Iterable[Document]) -> DocumentChanges:
    """Add documents inside the caller's transaction; a changed text makes a new revision."""
    added, changed, unchanged, moment = 0, [], 0, now()
    for document in documents:
        row = db.execute("select * from documents where doc_id = ?", (document.doc_id,)).fetchone()
        if row is None:
            _insert(db, document, moment)
            added += 1
        elif _document(row) == document:
            unchanged += 1
        else:
            _revise(db, row, document, moment)
            changed.append(document.doc_id)
    return DocumentChanges(added, tuple(changed), unchanged)


def _insert(db: sqlite3.Connection, document: Document, moment: str) -> None:
    done = db.execute(
        "insert into document_rows(doc_id, title, text, metadata, text_sha256, added_at) "
        "values (?, ?, ?, ?, ?, ?) on conflict do nothing",
        (*columns(document), moment),
    )
    if not done.rowcount:  # the row is there and unseen: a large import has not revealed it yet
        raise Conflict(
            f"Document {document.doc_id!r} is coming in by a large import that has not ended: "
            "wait for it, or cancel it, and import again."
        )


def _revise(db: sqlite3.Connection, row: sqlite3.Row, document: Document, moment: str) -> None:
    db.execute(
        "insert into document_revisions values (?, ?, ?, ?, ?, ?, ?)",
        (
            row["doc_id"],
            row["revision"],
            row["title"],
            row["text"],
            row["metadata"],
            row["text_sha256"],
            moment,
        ),
    )
    db.execute(
        "update document_rows set title = ?, text = ?, metadata = ?, text_sha256 = ?, "
        "revision = revision + 1 where doc_id = ?",
        (*columns(document)[1:], document.doc_id),
    )


def columns(document: Document) -> tuple[str, str, str, str, str]:
    """A document as the table has it: id, title, text, metadata, SHA-256 of title and text."""
    metadata = json.dumps(dict(document.metadata), ensure_ascii=False, sort_keys=True)
    return (document.doc_id, document.title, document.text, metadata, document.text_sha256)


def _document(row: sqlite3.Row) -> Document:
    return Document(row["doc_id"], row["title"], row["text"], json.loads(row["metadata"]))


def get(db: sqlite3.Connection, doc_id: str) -> Document | None:
    """The document with this id, or None."""
    row = db.execute("select * from documents where doc_id = ?", (doc_id,)).fetchone()
    return None if row is None else _document(row)


def metadata_values(db: sqlite3.Connection, key: str) -> dict[str, str]:
    """doc_id to the value of one key of its metadata as text, where a document has it."""
    rows = db.execute(
        "select doc_id, metadata from documents where instr(metadata, ?)", (json.dumps(key),)
    )
    held = ((row[0], json.loads(row[1])) for row in rows)
    return {doc_id: str(metadata[key]) for doc_id, metadata in held if key in metadata}


def each(db: sqlite3.Connection) -> Iterator[Document]:
    """Every document, by id."""
    return map(_document, db.execute("select * from documents order by doc_id"))


def revised(db: sqlite3.Connection) -> dict[str, str]:
    """The present text of every document that was changed since it came in, by id."""
    return dict(map(tuple, db.execute("select doc_id, text from documents where revision > 1")))


def all(workspace: Workspace) -> list[Document]:
    """Every document, by id, as a list."""
    with workspace.reading() as db:
        return list(each(db))


def held(db: sqlite3.Connection, doc_ids: Iterable[str]) -> dict[str, tuple[str, str, str]]:
    """Of these ids the ones that are here, with title, metadata and hash as the table has them."""
    rows = db.execute(
        "select doc_id, title, metadata, text_sha256 from documents "
        "where doc_id in (select value from json_each(?))",
        (json.dumps(list(doc_ids)),),
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def missing(db: sqlite3.Connection, doc_ids: Iterable[str]) -> set[str]:
    """Of these ids the ones that are not here."""
    rows = db.execute(
        "select value from json_each(?) where value not in (select doc_id from documents)",
        (json.dumps(sorted(set(doc_ids))),),
    )
    return {row[0] for row in rows}


def lengths(db: sqlite3.Connection, doc_ids: Iterable[str]) -> dict[str, int]:
    """How many characters of text each of these documents has, for those that are here."""
    rows = db.execute(
        "select doc_id, length(text) from documents "
        "where doc_id in (select value from json_each(?))",
        (json.dumps(list(doc_ids)),),
    )
    return dict(rows.fetchall())


def ids(db: sqlite3.Connection) -> set[str]:
    """The ids of all documents."""
    return {row[0] for row in db.execute("select doc_id from documents")}


def count(db: sqlite3.Connection) -> int:
    """How many documents there are."""
    return int(db.execute("select count(*) from documents").fetchone()[0])


def hashes(db: sqlite3.Connection) -> dict[str, str]:
    """doc_id to SHA-256 of title and text."""
    return dict(db.execute("select doc_id, text_sha256 from documents"))
