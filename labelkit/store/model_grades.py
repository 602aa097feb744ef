"""What a language model says of pairs: beside the human judgments, never among them.

Nobody reads a grade of a pair that they may still judge: `visible` is the only way to one pair's
grades, and it asks what the person has committed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from labelkit.model import Person, Role
from labelkit.store import pairs
from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class ModelGrade:
    """One grade: with the levels listed from high to low (descending) or the other way round."""

    query_id: str
    doc_id: str
    pair_id: int
    rubric_version: int
    direction: str
    level: int
    reason: str
    quote: str
    quote_start: int | None
    model: str
    created_at: str


FROM_GRADES = """
select g.*, p.query_id, p.doc_id, coalesce(r.model, '') as model
from model_grades g join pairs p using (pair_id) join llm_requests r using (request_id)
"""
OF_VERSIONS = "where g.rubric_version in (select value from json_each(?))"
OF_RUN = "where r.cache_key in (select cache_key from llm_items where run_id = ?)"


def add(
    db: sqlite3.Connection,
    *,
    request_id: int,
    pair_id: int,
    rubric_version: int,
    direction: str,
    level: int,
    reason: str,
    quote: str,
    quote_start: int | None,
) -> None:
    """Write one grade; SQLite refuses a level that is none, or a grade without a reason."""
    db.execute(
        "insert into model_grades(request_id, pair_id, rubric_version, direction, level, reason, "
        "quote, quote_start, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            request_id,
            pair_id,
            rubric_version,
            direction,
            level,
            reason,
            quote,
            quote_start,
            now(),
        ),
    )


def of_request(db: sqlite3.Connection, request_id: int) -> bool:
    """Whether a grade was read from this request."""
    row = db.execute("select 1 from model_grades where request_id = ?", (request_id,)).fetchone()
    return row is not None


def of_run(db: sqlite3.Connection, run_id: str) -> list[ModelGrade]:
    """The grades that answer a run's questions, for counting: one pair's are shown by `visible`."""
    rows = db.execute(f"{FROM_GRADES} {OF_RUN} order by grade_id", (run_id,))
    return [_grade(row) for row in rows]


def of_versions(db: sqlite3.Connection, versions: Collection[int]) -> list[ModelGrade]:
    """Every grade given under these versions of the rubric, for counting, oldest first."""
    rows = db.execute(
        f"{FROM_GRADES} {OF_VERSIONS} order by grade_id",
        (json.dumps(sorted(versions)),),
    )
    return [_grade(row) for row in rows]


def visible(
    db: sqlite3.Connection, person: Person, pair_id: int, *, to_raters: bool
) -> list[ModelGrade]:
    """One pair's grades, if this person may see them; none otherwise.

    Whoever has given the pair a level has committed; a cause can still become a level. A lead who
    has said nothing sees the grades of a pair that can no longer be given to them. A rater sees
    them where the project allows it (`to_raters`) and only after committing.
    """
    if not _may_see(db, person, pair_id, to_raters=to_raters):
        return []
    db.execute(
        "insert into model_grade_views select :pair, :person, :at where not exists "
        "(select 1 from model_grade_views where pair_id = :pair and person_id = :person)",
        {"pair": pair_id, "person": person.person_id, "at": now()},
    )
    rows = db.execute(f"{FROM_GRADES} where g.pair_id = ? order by grade_id", (pair_id,))
    return [_grade(row) for row in rows]


def _may_see(db: sqlite3.Connection, person: Person, pair_id: int, *, to_raters: bool) -> bool:
    leads = Role.LEAD in person.roles
    own = db.execute(
        "select level from current_judgments where pair_id = ? and person_id = ?",
        (pair_id, person.person_id),
    ).fetchall()
    if own:
        return all(row["level"] is not None for row in own) and (leads or to_raters)
    return leads and not pairs.is_waiting(db, person.person_id, pair_id)


def viewers(db: sqlite3.Connection, pair_id: int) -> dict[str, str]:
    """Who has seen a pair's grades, and since when: what they say later is not independent."""
    rows = db.execute(
        "select person_id, at from model_grade_views where pair_id = ? order by at", (pair_id,)
    )
    return dict(rows.fetchall())


def _grade(row: sqlite3.Row) -> ModelGrade:
    return ModelGrade(**{name: row[name] for name in ModelGrade.__slots__})
