"""Whose labels count: everyone's, or, where a quiz is required, those of who passed it.

The view `uncounted_people` is the one place that decides; `current_judgments` and the history
that agreement and releases read leave those people's labels out.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from labelkit.errors import NotReady
from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class Qualification:
    """Since when a person's labels count where a quiz is required, and how that came about.

    `how` is "quiz" or "lead"; `labels_before` standing labels, made earlier, count since then too.
    """

    person_id: str
    how: str
    attempt_id: int | None
    granted_by: str | None
    note: str
    labels_before: int
    at: str


def counts(db: sqlite3.Connection, person_id: str) -> bool:
    """Whether this person's labels count now."""
    row = db.execute("select 1 from uncounted_people where person_id = ?", (person_id,))
    return row.fetchone() is None


def require(db: sqlite3.Connection, person_id: str) -> None:
    """Raise NotReady where this person has to pass the quiz before real pairs are given out."""
    if not counts(db, person_id):
        raise NotReady(
            "This project asks for a quiz before the first pair: pass it on the Label page, or "
            "ask a lead. What you had typed is kept."
        )


def uncounted(db: sqlite3.Connection) -> dict[str, int]:
    """person_id of everyone whose labels do not count now, with how many of them stand."""
    rows = db.execute(
        "select u.person_id, (select count(*) from standing_judgments j "
        "where j.person_id = u.person_id) from uncounted_people u order by u.person_id"
    )
    return dict(map(tuple, rows))


def labels_of(db: sqlite3.Connection, person_id: str) -> int:
    """How many labels of this person stand, counted or not."""
    row = db.execute("select count(*) from standing_judgments where person_id = ?", (person_id,))
    return int(row.fetchone()[0])


def grant(
    db: sqlite3.Connection,
    person_id: str,
    *,
    attempt_id: int | None = None,
    granted_by: str | None = None,
    note: str = "",
) -> Qualification:
    """Let this person's labels count from now on, those made before included, and record it."""
    how = "lead" if attempt_id is None else "quiz"
    db.execute(
        "insert into qualifications(person_id, how, attempt_id, granted_by, note, labels_before, "
        "at) values (?, ?, ?, ?, ?, ?, ?)",
        (person_id, how, attempt_id, granted_by, note, labels_of(db, person_id), now()),
    )
    return of(db, person_id)[-1]


def of(db: sqlite3.Connection, person_id: str) -> list[Qualification]:
    """What qualifies this person, oldest first."""
    rows = db.execute(
        "select person_id, how, attempt_id, granted_by, note, labels_before, at "
        "from qualifications where person_id = ? order by qualification_id",
        (person_id,),
    )
    return [Qualification(**dict(row)) for row in rows]
