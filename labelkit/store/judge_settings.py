"""How judging is set up by leads; each choice is a row, and the newest of a kind holds."""

from __future__ import annotations

import sqlite3

from labelkit.store.workspace import now


def put(db: sqlite3.Connection, kind: str, value: str, person_id: str) -> None:
    """Write the choice that holds from now on."""
    db.execute(
        "insert into judge_settings(kind, value, set_by, set_at) values (?, ?, ?, ?)",
        (kind, value, person_id, now()),
    )


def get(db: sqlite3.Connection, kind: str) -> str | None:
    """The choice that holds, or None where there never was one."""
    row = db.execute(
        "select value from judge_settings where kind = ? order by setting_id desc limit 1", (kind,)
    ).fetchone()
    return None if row is None else str(row[0])
