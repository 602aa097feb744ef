"""Documents on their way in: a database file beside the live one, then pieces into the live one.

Nothing of the live file is touched while a stage is filled. What is merged is unseen until
`reveal`, so that a stop at any moment before it leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from labelkit.model import Document
from labelkit.store import documents

TABLES = """
create table staged(
  seq integer primary key,
  doc_id text not null unique,
  title text not null,
  text text not null,
  metadata text not null,
  text_sha256 text not null,
  file integer not null,
  line integer not null,
  plain_id text not null
);
create table here(seq integer primary key, changed integer not null);
"""
CACHE_KIB = 32_000
ROWS_AT_ONCE = 1000
CHARACTERS_AT_ONCE = 2_000_000

Staged = tuple[int, tuple[str, str, str, str, str]]
"""The number of a staged document and its columns: id, title, text, metadata, hash."""


@dataclass(frozen=True, slots=True)
class Before:
    """The place where an id stood first, and whether with the same content."""

    file: int
    line: int
    same: bool


class Stage:
    """One stage file; it holds no lock of the live database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        # Without a journal a crash spoils this file, which is thrown away then.
        self.db.execute("pragma journal_mode=off")
        self.db.execute("pragma synchronous=off")
        self.db.execute(f"pragma cache_size=-{CACHE_KIB}")

    @classmethod
    def new(cls, path: Path) -> Stage:
        """An empty stage."""
        path.unlink(missing_ok=True)
        stage = cls(path)
        stage.db.executescript(TABLES)
        stage.db.execute("begin")
        return stage

    def put(self, document: Document, file: int, line: int, plain_id: str) -> Before | None:
        """Stage a document; where its id is staged already, say where and leave it."""
        columns = documents.columns(document)
        done = self.db.execute(
            "insert into staged(doc_id, title, text, metadata, text_sha256, file, line, plain_id) "
            "values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
            (*columns, file, line, plain_id),
        )
        return None if done.rowcount else self._before(columns)

    def _before(self, columns: tuple[str, str, str, str, str]) -> Before:
        row = self.db.execute("select * from staged where doc_id = ?", (columns[0],)).fetchone()
        same = (row["title"], row["text"], row["metadata"]) == columns[1:4]
        return Before(row["file"], row["line"], same)

    def seal(self) -> None:
        """End the filling; the file is safe on the disk when this returns."""
        self.db.execute("commit")
        with open(self.path, "rb") as written:
            os.fsync(written.fileno())

    def count(self) -> int:
        """How many documents are staged."""
        return int(self.db.execute("select count(*) from staged").fetchone()[0])

    def holds(self, doc_id: str) -> bool:
        """Whether a document of this id is staged."""
        found = self.db.execute("select 1 from staged where doc_id = ?", (doc_id,)).fetchone()
        return found is not None

    def alike(self, most: int) -> list[tuple[str, str]]:
        """Pairs of staged ids whose plain form is the same."""
        rows = self.db.execute(
            "select min(doc_id), max(doc_id) from staged group by plain_id having count(*) > 1 "
            "order by min(seq) limit ?",
            (most,),
        )
        return [(row[0], row[1]) for row in rows]

    def without_text(self) -> tuple[int, str]:
        """How many documents have neither title nor text, and the first of them."""
        row = self.db.execute(
            "select count(*), min(doc_id) from staged where trim(title) = '' and trim(text) = ''"
        ).fetchone()
        return row[0], row[1] or ""

    def compare(self, live: sqlite3.Connection) -> Iterator[int]:
        """Note which documents are in the live database already; yields how many were looked at."""
        self.db.execute("begin")
        self.db.execute("delete from here")
        rows = self.db.execute("select seq, doc_id, title, metadata, text_sha256 from staged")
        looked_at = 0
        while batch := rows.fetchmany(ROWS_AT_ONCE):
            held = documents.held(live, [row["doc_id"] for row in batch])
            found = [
                (row["seq"], held[row["doc_id"]] != tuple(row)[2:])
                for row in batch
                if row["doc_id"] in held
            ]
            self.db.executemany("insert into here values (?, ?)", found)
            looked_at += len(batch)
            yield looked_at
        self.db.execute("commit")

    def fates(self) -> tuple[int, int]:
        """How many documents are in the live database with other content, and with the same."""
        row = self.db.execute("select coalesce(sum(changed), 0), count(*) from here").fetchone()
        return row[0], row[1] - row[0]

    def changed_among(self, doc_ids: Iterable[str]) -> set[str]:
        """Of these ids those whose documents are in the live database with other content."""
        rows = self.db.execute(
            "select doc_id from staged join here using (seq) "
            "where changed and doc_id in (select value from json_each(?))",
            (json.dumps(sorted(doc_ids)),),
        )
        return {row[0] for row in rows}

    def move(self, path: Path) -> None:
        """Give the file another name, under which it is found after a crash."""
        os.replace(self.path, path)
        self.path = path

    def new_pieces(self) -> Iterator[list[Staged]]:
        """The documents that are not there yet, in pieces of bounded size."""
        yield from _pieces(
            self.db.execute(
                "select seq, doc_id, title, text, metadata, text_sha256 from staged "
                "where seq not in (select seq from here) order by seq"
            )
        )

    def changed_pieces(self) -> Iterator[list[Staged]]:
        """The documents that are there with other content, in pieces of bounded size."""
        yield from _pieces(
            self.db.execute(
                "select seq, doc_id, title, text, metadata, text_sha256 from staged "
                "join here using (seq) where changed order by seq"
            )
        )

    def close(self) -> None:
        """Close the file and keep it."""
        self.db.close()

    def discard(self) -> None:
        """Close the file and remove it."""
        self.close()
        self.path.unlink(missing_ok=True)


def _pieces(rows: sqlite3.Cursor) -> Iterator[list[Staged]]:
    piece: list[Staged] = []
    size = 0
    for row in rows:
        piece.append((row[0], (row[1], row[2], row[3], row[4], row[5])))
        size += len(row[3])
        if len(piece) >= ROWS_AT_ONCE or size >= CHARACTERS_AT_ONCE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def insert(live: sqlite3.Connection, import_id: int, piece: list[Staged], moment: str) -> None:
    """Add a piece of new documents, unseen while their import is merging."""
    live.executemany(
        "insert into document_rows(doc_id, title, text, metadata, text_sha256, added_at, "
        "import_id) values (?, ?, ?, ?, ?, ?, ?)",
        ((*columns, moment, import_id) for _, columns in piece),
    )


def revise(live: sqlite3.Connection, piece: list[Staged]) -> None:
    """Give documents their new content, keeping the old as a revision; twice does no harm."""
    for _, (doc_id, title, text, metadata, _) in piece:
        documents.save(live, [Document(doc_id, title, text, json.loads(metadata))])


def take_back(live: sqlite3.Connection, import_id: int) -> bool:
    """Remove a piece of an import that was never revealed; False when nothing of it is left."""
    removed = live.execute(
        "delete from document_rows where rowid in "
        "(select rowid from document_rows where import_id = ? limit ?)",
        (import_id, ROWS_AT_ONCE),
    )
    if removed.rowcount:
        return True
    live.execute("delete from imports where import_id = ?", (import_id,))
    return False
