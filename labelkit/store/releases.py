"""The record of frozen releases; a row is never changed, replaced or deleted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """What the workspace knows of a release; its content lies in its folder."""

    tag: str
    content_sha256: str
    manifest: Mapping[str, Any]
    frozen_by: str | None
    frozen_at: str


def insert(db: sqlite3.Connection, row: ReleaseRow) -> None:
    """Record a release."""
    manifest = json.dumps(row.manifest, ensure_ascii=False, sort_keys=True)
    db.execute(
        "insert into releases values (?, ?, ?, ?, ?)",
        (row.tag, row.content_sha256, manifest, row.frozen_by, row.frozen_at),
    )


def get(db: sqlite3.Connection, tag: str) -> ReleaseRow | None:
    """The release with this tag, or None."""
    row = db.execute("select * from releases where tag = ?", (tag,)).fetchone()
    return None if row is None else _release(row)


def all(workspace: Workspace) -> list[ReleaseRow]:
    """All releases, newest first."""
    with workspace.reading() as db:
        rows = db.execute("select * from releases order by frozen_at desc, tag")
        return [_release(row) for row in rows]


def _release(row: sqlite3.Row) -> ReleaseRow:
    return ReleaseRow(
        row["tag"],
        row["content_sha256"],
        json.loads(row["manifest"]),
        row["frozen_by"],
        row["frozen_at"],
    )
