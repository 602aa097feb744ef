"""Judgments and adjudications: append-only; a correction or an undo is a further event."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from labelkit.model import Adjudication, Cause, Judgment, Span
from labelkit.store import repeats
from labelkit.store.workspace import now


def append(
    db: sqlite3.Connection,
    *,
    pair_id: int,
    person_id: str,
    rubric_version: int,
    level: int | None,
    cause: Cause | None,
    reason: str,
    evidence: Sequence[Span] = (),
    kind: str = "judgment",
    round: str = "first",
    provenance: str = "",
    active_seconds: float | None = None,
    created_at: str | None = None,
    supersedes: int | None = None,
    reason_reused: bool = False,
) -> int:
    """Write one event and return its number; SQLite refuses what the model forbids.

    What follows the answer to a hidden repeat, known by its negative number, is written there.
    """
    if supersedes is not None and supersedes < 0:
        return -repeats.append(
            db,
            repeats.repeat_of(db, -supersedes),
            rubric_version=rubric_version,
            level=level,
            cause=cause,
            reason=reason,
            evidence=evidence,
            active_seconds=active_seconds,
            reason_reused=reason_reused,
            withdrawn=kind == "withdrawal",
        )
    spans = [{"start": s.start, "end": s.end, "quote": s.quote} for s in evidence]
    cursor = db.execute(
        "insert into judgments(pair_id, person_id, rubric_version, kind, round, level, cause, "
        "reason, evidence, provenance, active_seconds, created_at, supersedes, reason_reused) "
        "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            pair_id,
            person_id,
            rubric_version,
            kind,
            round,
            level,
            None if cause is None else cause.value,
            reason,
            json.dumps(spans, ensure_ascii=False),
            provenance,
            active_seconds,
            created_at or now(),
            supersedes,
            int(reason_reused),
        ),
    )
    return int(cursor.lastrowid or 0)


COLUMNS = "select j.*, p.query_id, p.doc_id from judgments j join pairs p using (pair_id)"


COUNTED = "where j.person_id not in (select person_id from uncounted_people)"


def history(db: sqlite3.Connection) -> list[Judgment]:
    """Every event of people whose labels count, in the order in which it was written."""
    return [from_row(row) for row in db.execute(f"{COLUMNS} {COUNTED} order by judgment_id")]


def sizes(db: sqlite3.Connection) -> tuple[int, ...]:
    """How many judgments, adjudications, choices of what counts, views of a model's grade,
    qualifications and rules on them there are: all of them are only ever added to."""
    row = db.execute(
        "select (select count(*) from judgments), (select count(*) from adjudications), "
        "(select count(*) from rubric_choices), (select count(*) from model_grade_views), "
        "(select count(*) from qualifications), (select count(*) from training_setups)"
    ).fetchone()
    return tuple(row)


def provenances(db: sqlite3.Connection) -> dict[str, int]:
    """How many of the judgments that stand and count are of each provenance."""
    rows = db.execute("select provenance, count(*) from current_judgments group by provenance")
    return dict(map(tuple, rows))


def current(db: sqlite3.Connection) -> list[Judgment]:
    """The judgments that stand and count: the last event of each chain, withdrawals left out."""
    rows = db.execute("select * from current_judgments order by judgment_id")
    return [from_row(row) for row in rows]


def get(db: sqlite3.Connection, judgment_id: int) -> Judgment | None:
    """One event, or None; a negative number is that of an answer to a hidden repeat."""
    if judgment_id < 0:
        return repeats.get(db, -judgment_id)
    row = db.execute(f"{COLUMNS} where judgment_id = ?", (judgment_id,)).fetchone()
    return None if row is None else from_row(row)


def of_pair(db: sqlite3.Connection, pair_id: int) -> list[Judgment]:
    """The judgments that stand on one pair and count."""
    rows = db.execute(
        "select * from current_judgments where pair_id = ? order by judgment_id", (pair_id,)
    )
    return [from_row(row) for row in rows]


def last_event(
    db: sqlite3.Connection, pair_id: int, person_id: str, rubric_version: int
) -> Judgment | None:
    """The end of one person's chain on a pair, be it a withdrawal, or None."""
    row = db.execute(
        f"{COLUMNS} where pair_id = ? and person_id = ? and rubric_version = ? "
        "order by judgment_id desc limit 1",
        (pair_id, person_id, rubric_version),
    ).fetchone()
    return None if row is None else from_row(row)


def pairs_of(db: sqlite3.Connection, person_id: str) -> set[int]:
    """The pairs on which one person ever said anything."""
    rows = db.execute("select distinct pair_id from judgments where person_id = ?", (person_id,))
    return {row[0] for row in rows}


def recent_of(db: sqlite3.Connection, person_id: str, limit: int) -> list[Judgment]:
    """One person's own standing judgments, counted or not and repeats among them, newest first.

    A `limit` of -1 asks for all.
    """
    rows = db.execute(
        "select * from standing_judgments where person_id = ? order by judgment_id desc limit ?",
        (person_id, limit),
    )
    found = [from_row(row) for row in rows]
    again = repeats.recent_of(db, person_id, limit)
    if not again:
        return found
    merged = sorted([*found, *again], key=lambda one: one.created_at, reverse=True)
    return merged if limit < 0 else merged[:limit]


def chain_of(db: sqlite3.Connection, person_id: str, pair_id: int) -> list[Judgment]:
    """Everything one person ever said of a pair, oldest first."""
    rows = db.execute(
        f"{COLUMNS} where person_id = ? and pair_id = ? order by judgment_id", (person_id, pair_id)
    )
    return [from_row(row) for row in rows]


def said_before(db: sqlite3.Connection, person_id: str, pair_id: int, reason: str) -> bool:
    """Whether this person gave the same reason, word for word, for another pair."""
    row = db.execute(
        "select exists (select 1 from judgments where person_id = ? and pair_id <> ? "
        "and reason = ? and kind <> 'withdrawal')",
        (person_id, pair_id, reason),
    ).fetchone()
    return bool(row[0])


def count_of(db: sqlite3.Connection, person_id: str, since: str = "") -> int:
    """How many of a person's own judgments stand, repeats among them, made at or after `since`."""
    row = db.execute(
        "select (select count(*) from standing_judgments where person_id = :p and created_at >= :s)"
        " + (select count(*) from standing_repeat_judgments "
        "    where person_id = :p and created_at >= :s)",
        {"p": person_id, "s": since},
    ).fetchone()
    return int(row[0])


def adjudicate(
    db: sqlite3.Connection, pair_id: int, person_id: str, level: int, reason: str
) -> None:
    """Write a lead's final level; the latest one of a pair counts."""
    db.execute(
        "insert into adjudications(pair_id, person_id, level, reason, created_at) "
        "values (?, ?, ?, ?, ?)",
        (pair_id, person_id, level, reason, now()),
    )


def adjudications(db: sqlite3.Connection) -> list[Adjudication]:
    """The adjudication that counts for each pair that has one."""
    rows = db.execute(
        "select * from adjudications_in_force where adjudication_id in "
        "(select max(adjudication_id) from adjudications group by pair_id) "
        "order by query_id, doc_id"
    )
    return [
        Adjudication(
            row["query_id"],
            row["doc_id"],
            row["person_id"],
            row["level"],
            row["reason"],
            row["created_at"],
        )
        for row in rows
    ]


def first_adjudicated_at(db: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """(query_id, doc_id) to the time of its first adjudication since it was last queued again."""
    rows = db.execute(
        "select query_id, doc_id, min(created_at) from adjudications_in_force group by pair_id"
    )
    return {(row[0], row[1]): row[2] for row in rows}


def from_row(row: sqlite3.Row) -> Judgment:
    """The judgment that a row with its columns holds."""
    return Judgment(
        judgment_id=row["judgment_id"],
        query_id=row["query_id"],
        doc_id=row["doc_id"],
        person_id=row["person_id"],
        rubric_version=row["rubric_version"],
        level=row["level"],
        cause=None if row["cause"] is None else Cause(row["cause"]),
        reason=row["reason"],
        evidence=tuple(
            Span(span["start"], span["end"], span["quote"]) for span in json.loads(row["evidence"])
        ),
        kind=row["kind"],
        round=row["round"],
        provenance=row["provenance"],
        active_seconds=row["active_seconds"],
        created_at=row["created_at"],
        supersedes=row["supersedes"],
        reason_reused=bool(row["reason_reused"]),
    )
