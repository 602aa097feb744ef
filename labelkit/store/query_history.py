"""What happened to a query, by whom, and the changes that leave its text alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class QueryEvent:
    """One thing that happened to a query; `person` is a name, empty where a file did it."""

    at: str
    person: str
    action: str
    detail: str


def events(db: sqlite3.Connection, query_id: str) -> list[QueryEvent]:
    """Everything that happened to a query since it was added, oldest first."""
    rows = db.execute(
        "select e.at, coalesce(p.name, e.person_id, '') as person, e.action, e.detail "
        "from query_events e left join people p using (person_id) "
        "where query_id = ? order by event_id",
        (query_id,),
    )
    return [QueryEvent(*row) for row in rows]


def added_at(db: sqlite3.Connection, query_id: str) -> str:
    """When a query was added."""
    row = db.execute("select added_at from queries where query_id = ?", (query_id,)).fetchone()
    return str(row[0])


def note(
    db: sqlite3.Connection, query_id: str, person_id: str | None, action: str, detail: str = ""
) -> None:
    """Write down that something happened to a query."""
    db.execute(
        "insert into query_events(query_id, person_id, action, detail, at) values (?, ?, ?, ?, ?)",
        (query_id, person_id, action, detail, now()),
    )


def set_types(
    db: sqlite3.Connection,
    query_id: str,
    types: Sequence[str],
    by: str,
    person_id: str | None,
    detail: str,
) -> None:
    """Replace a query's types, by a "rule" or a "person", and write that down."""
    db.execute(
        "update queries set types = ?, types_by = ? where query_id = ?",
        (json.dumps(list(types)), by, query_id),
    )
    note(db, query_id, person_id, f"types set by {by}", detail)


def set_rewritten(
    db: sqlite3.Connection, query_id: str, text: str | None, by: str, person_id: str | None
) -> None:
    """Replace a query's rewritten form (None takes it away); earlier ones stay in its history."""
    db.execute(
        "update queries set rewritten_text = ?, rewritten_by = ? where query_id = ?",
        (text, by if text is not None else "", query_id),
    )
    action = f"rewritten by {by}" if text is not None else "rewritten form taken away"
    note(db, query_id, person_id, action, text or "")


def untyped(db: sqlite3.Connection) -> list[str]:
    """The queries that are in use and whose types neither a rule nor a person has set."""
    rows = db.execute(
        "select query_id from queries where types_by = '' and state in ('draft', 'accepted') "
        "order by query_id"
    )
    return [row[0] for row in rows]
