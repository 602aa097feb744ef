"""What a rater has typed and chosen for a pair but not yet saved."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class LabelDraft:
    """An unsaved level and reason."""

    level: int | None
    reason: str


def save(
    db: sqlite3.Connection, person_id: str, pair_id: int, level: int | None, reason: str
) -> None:
    """Keep the draft; a later one of the same person and pair replaces it."""
    db.execute(
        "insert into label_drafts values (?, ?, ?, ?, ?) on conflict(person_id, pair_id) "
        "do update set level = excluded.level, reason = excluded.reason, "
        "updated_at = excluded.updated_at",
        (person_id, pair_id, level, reason, now()),
    )


def get(db: sqlite3.Connection, person_id: str, pair_id: int) -> LabelDraft | None:
    """The draft, or None."""
    row = db.execute(
        "select level, reason from label_drafts where person_id = ? and pair_id = ?",
        (person_id, pair_id),
    ).fetchone()
    return None if row is None else LabelDraft(row["level"], row["reason"])


def drop(db: sqlite3.Connection, person_id: str, pair_id: int) -> None:
    """Forget the draft, once its judgment is written."""
    db.execute("delete from label_drafts where person_id = ? and pair_id = ?", (person_id, pair_id))
