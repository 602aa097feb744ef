"""The project's own settings: its name, its seed, and a few dates."""

from __future__ import annotations

from labelkit.store.workspace import Workspace


def get(workspace: Workspace, key: str) -> str | None:
    """The value of one setting, or None."""
    with workspace.reading() as db:
        row = db.execute("select value from meta where key = ?", (key,)).fetchone()
    return None if row is None else row["value"]


def put(workspace: Workspace, key: str, value: str) -> None:
    """Set one setting."""
    with workspace.writing() as db:
        db.execute(
            "insert into meta(key, value) values (?, ?) "
            "on conflict(key) do update set value = excluded.value",
            (key, value),
        )
