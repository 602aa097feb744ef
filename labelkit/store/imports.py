"""What was imported: which file, how it was read, what it brought, and who did it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from labelkit.store.workspace import Workspace, now


@dataclass(frozen=True, slots=True)
class Record:
    """One import. `headers` maps our columns to the file's, `levels` the file's grades to ours."""

    kind: str
    file: str
    file_sha256: str
    columns: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    levels: Mapping[str, int | None] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    imported_by: str = ""
    state: str = "done"
    begun_at: str = ""
    ended_at: str | None = None
    import_id: int = 0


def add(db: sqlite3.Connection, record: Record) -> int:
    """Record an import inside the caller's transaction; returns its id."""
    moment = now()
    cursor = db.execute(
        "insert into imports(kind, file, file_sha256, columns, headers, options, levels, counts, "
        "state, imported_by, begun_at, ended_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.kind,
            record.file,
            record.file_sha256,
            json.dumps(list(record.columns), ensure_ascii=False),
            _json(record.headers),
            _json(record.options),
            _json(record.levels),
            _json(record.counts),
            record.state,
            record.imported_by,
            record.begun_at or moment,
            moment if record.state == "done" else None,
        ),
    )
    return int(cursor.lastrowid or 0)


def end(db: sqlite3.Connection, import_id: int, state: str, counts: Mapping[str, int]) -> None:
    """Say that an import's documents are seen now ("done"), or still being revised."""
    db.execute(
        "update imports set state = ?, counts = ?, ended_at = ? where import_id = ?",
        (state, _json(counts), now() if state == "done" else None, import_id),
    )


def all(workspace: Workspace) -> list[Record]:
    """Every import, newest first."""
    with workspace.reading() as db:
        rows = db.execute("select * from imports order by import_id desc").fetchall()
    return [_record(row) for row in rows]


def unfinished(db: sqlite3.Connection) -> list[Record]:
    """Imports that have not ended: under way, or left behind by a process that died."""
    rows = db.execute("select * from imports where state <> 'done' order by import_id")
    return [_record(row) for row in rows]


def remembered(db: sqlite3.Connection, kind: str, columns: tuple[str, ...]) -> dict[str, str]:
    """How the columns of the last file with this very header were read; empty where none was."""
    row = db.execute(
        "select headers from imports where kind = ? and columns = ? "
        "order by import_id desc limit 1",
        (kind, json.dumps(list(columns), ensure_ascii=False)),
    ).fetchone()
    return {} if row is None else dict(json.loads(row["headers"]))


def query_order(db: sqlite3.Connection) -> list[str]:
    """The ids of all queries in the order in which they came in."""
    return [row[0] for row in db.execute("select query_id from queries order by rowid")]


def queries_by_text(db: sqlite3.Connection) -> dict[str, list[str]]:
    """The ids of queries by their text, now or as drafted."""
    found: dict[str, list[str]] = {}
    for query_id, text, drafted in db.execute("select query_id, text, drafted_text from queries"):
        for said in {text, drafted} - {None}:
            found.setdefault(said, []).append(query_id)
    return found


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True)


def _record(row: sqlite3.Row) -> Record:
    values = {name: row[name] for name in row.keys()}  # noqa: SIM118 (a Row iterates over values)
    for name in ("columns", "headers", "options", "levels", "counts"):
        values[name] = json.loads(values[name])
    values["columns"] = tuple(values["columns"])
    return Record(**values)
