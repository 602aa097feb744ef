"""What SQLite itself says of the file."""

from __future__ import annotations

import sqlite3

from labelkit.store.workspace import Workspace

SQLITE_VERSION = sqlite3.sqlite_version_info


def problems(workspace: Workspace) -> list[str]:
    """What the integrity and foreign key checks find; nothing when the file is sound."""
    with workspace.reading() as db:
        try:
            found = [str(row[0]) for row in db.execute("pragma integrity_check")]
            dangling = db.execute("pragma foreign_key_check").fetchall()
        except sqlite3.DatabaseError as error:
            return [str(error)]
    return [text for text in found if text != "ok"] + [
        f"a row of {row[0]} points to a missing row of {row[2]}" for row in dangling
    ]
