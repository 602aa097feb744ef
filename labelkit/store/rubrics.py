"""The rubric's versions; a row is never changed."""

from __future__ import annotations

import json
import sqlite3

from labelkit.rubric import STARTER, Rubric, parse_rubric
from labelkit.store.workspace import Workspace, now


def current(db: sqlite3.Connection) -> Rubric:
    """The newest version, or the starter rubric where none was saved."""
    row = db.execute("select * from rubrics order by version desc limit 1").fetchone()
    return STARTER if row is None else parse_rubric(json.loads(row["body"]), row["version"])


def saved_at(db: sqlite3.Connection) -> str:
    """When the newest version was saved, "" where none was."""
    row = db.execute("select saved_at from rubrics order by version desc limit 1").fetchone()
    return "" if row is None else str(row[0])


def ensure(db: sqlite3.Connection) -> int:
    """The newest version's number, saving the starter rubric first where there is none."""
    row = db.execute("select max(version) from rubrics").fetchone()
    if row[0] is not None:
        return int(row[0])
    return save(db, STARTER, None)


def save(db: sqlite3.Connection, rubric: Rubric, person_id: str | None) -> int:
    """Save the rubric as the next version and return its number; the same text again is kept."""
    held = db.execute("select max(version) from rubrics").fetchone()[0]
    if held is not None and current(db).text_sha256 == rubric.text_sha256:
        return int(held)
    version = (held or 0) + 1
    body = json.dumps(rubric.body(), ensure_ascii=False, sort_keys=True)
    db.execute("insert into rubrics values (?, ?, ?, ?)", (version, body, person_id, now()))
    return version


def read_current(workspace: Workspace) -> Rubric:
    """The newest version."""
    with workspace.reading() as db:
        return current(db)
