"""What a person holds of the pool: open claims, pairs set aside, drafts of labels."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """Counts of what one person holds and of what stands under their name."""

    claims: int
    set_aside: int
    drafts: int
    judgments: int


def held(db: sqlite3.Connection, person_id: str) -> Held:
    """What a person holds now."""
    row = db.execute(
        "select (select count(*) from leases where person_id = :p), "
        "(select count(*) from parked where person_id = :p), "
        "(select count(*) from label_drafts where person_id = :p), "
        "(select count(*) from standing_judgments where person_id = :p)",
        {"p": person_id},
    ).fetchone()
    return Held(*row)


def give_back(db: sqlite3.Connection, person_id: str) -> None:
    """Free everything a person holds; judgments are never touched."""
    db.execute("delete from leases where person_id = ?", (person_id,))
    db.execute("delete from parked where person_id = ?", (person_id,))
    db.execute("delete from label_drafts where person_id = ?", (person_id,))
