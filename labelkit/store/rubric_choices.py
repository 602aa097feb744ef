"""What people decided about a rubric's versions, and which pairs that sent back to the raters."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from labelkit.rubric import Rubric, parse_rubric
from labelkit.store.workspace import now

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RubricVersion:
    """A saved version; `kind` is "meaning" or "wording" (of version `means`), and says who said
    so in `decided_by` and why in `note`."""

    rubric: Rubric
    saved_by: str | None
    saved_at: str
    kind: str
    means: int
    decided_by: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision about a version, with how many pairs it sent back to the raters."""

    choice_id: int
    version: int
    kind: str
    note: str
    person_id: str
    at: str
    requeued: int


def add(db: sqlite3.Connection, version: int, kind: str, note: str, person_id: str) -> int:
    """Write a decision and return its number."""
    cursor = db.execute(
        "insert into rubric_choices(version, kind, note, person_id, at) values (?, ?, ?, ?, ?)",
        (version, kind, note, person_id, now()),
    )
    return int(cursor.lastrowid or 0)


def requeue(db: sqlite3.Connection, choice_id: int, version: int, keys: Iterable[Key]) -> int:
    """Send pairs back to the raters under a version; returns how many."""
    wanted = sorted(set(keys))
    db.executemany(
        "insert into requeued_pairs(choice_id, pair_id, version) "
        "select ?, pair_id, ? from pairs where query_id = ? and doc_id = ?",
        [(choice_id, version, *key) for key in wanted],
    )
    return len(wanted)


def versions(db: sqlite3.Connection) -> list[RubricVersion]:
    """Every version, oldest first."""
    rows = db.execute(
        "select r.*, c.kind, c.note, c.person_id from rubrics r "
        "left join rubric_choices c on c.choice_id = (select min(choice_id) from rubric_choices l "
        "  where l.version = r.version and l.kind in ('meaning', 'wording')) order by r.version"
    )
    found: list[RubricVersion] = []
    for row in rows:
        kind = row["kind"] or "meaning"
        means = found[-1].means if kind == "wording" and found else row["version"]
        rubric = parse_rubric(json.loads(row["body"]), row["version"])
        found.append(
            RubricVersion(
                rubric, row["saved_by"], row["saved_at"], kind, means,
                row["person_id"], row["note"] or "",
            )
        )  # fmt: skip
    return found


def same_meaning(db: sqlite3.Connection, version: int) -> frozenset[int]:
    """The versions that mean what this one does: wording fixes of each other, and itself."""
    means = {one.rubric.version: one.means for one in versions(db)}
    wanted = means.get(version, version)
    return frozenset({version, *(held for held, group in means.items() if group == wanted)})


def choices(db: sqlite3.Connection) -> list[Choice]:
    """Every decision, oldest first."""
    rows = db.execute(
        "select c.*, (select count(*) from requeued_pairs r where r.choice_id = c.choice_id) "
        "as requeued from rubric_choices c order by choice_id"
    )
    return [Choice(**dict(row)) for row in rows]


def requeued_by(db: sqlite3.Connection, choice_id: int) -> set[Key]:
    """The pairs, by name, that a decision sent back."""
    rows = db.execute(
        "select p.query_id, p.doc_id from requeued_pairs r join pairs p using (pair_id) "
        "where r.choice_id = ?",
        (choice_id,),
    )
    return {(row[0], row[1]) for row in rows}


def add_cause(db: sqlite3.Connection, pair_id: int, cause: str, note: str, person_id: str) -> None:
    """Write why raters differed on a pair; the latest cause of a pair counts."""
    db.execute(
        "insert into disagreement_causes(pair_id, cause, note, person_id, at) "
        "values (?, ?, ?, ?, ?)",
        (pair_id, cause, note, person_id, now()),
    )


def causes(db: sqlite3.Connection) -> dict[Key, str]:
    """(query_id, doc_id) to the cause that counts."""
    rows = db.execute(
        "select p.query_id, p.doc_id, d.cause from disagreement_causes d join pairs p "
        "using (pair_id) where d.cause_id = (select max(cause_id) from disagreement_causes l "
        "  where l.pair_id = d.pair_id) order by p.query_id, p.doc_id"
    )
    return {(row[0], row[1]): row[2] for row in rows}
