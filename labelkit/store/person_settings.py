"""How a person likes the pages: small choices that survive a refresh."""

from __future__ import annotations

from labelkit.store.workspace import Workspace


def save(workspace: Workspace, person_id: str, name: str, value: str) -> None:
    """Keep one choice; a later one of the same name replaces it."""
    with workspace.writing() as db:
        db.execute(
            "insert into person_settings values (?, ?, ?) "
            "on conflict(person_id, name) do update set value = excluded.value",
            (person_id, name, value),
        )


def get(workspace: Workspace, person_id: str, name: str) -> str | None:
    """The choice, or None where the person never made it."""
    with workspace.reading() as db:
        row = db.execute(
            "select value from person_settings where person_id = ? and name = ?",
            (person_id, name),
        ).fetchone()
    return None if row is None else str(row[0])
