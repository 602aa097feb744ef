"""Pairs that could not be judged, and what a lead decided about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from labelkit.model import Cause
from labelkit.store import query_history
from labelkit.store.workspace import now

# A pair in need of an expert is everyone else's to judge; it is listed until that happened, and
# not while somebody whom a lead named for it has yet to answer.
STOPPED = """
  from current_judgments c join pairs p using (pair_id) join queries q on q.query_id = p.query_id
  where q.state = 'accepted' and c.cause is not null
    and p.pair_id not in (select pair_id from unreadable_pairs)
    and (c.cause <> 'needs_expert'
      or ((select count(distinct level.person_id) from current_judgments level
           where level.pair_id = p.pair_id and level.level is not null) < p.quota
        and not exists (select 1 from named_experts e where e.pair_id = p.pair_id
            and not exists (select 1 from current_judgments said where said.pair_id = p.pair_id
                            and said.person_id = e.person_id))))
"""


@dataclass(frozen=True, slots=True)
class CauseGiven:
    """One person's standing "cannot judge" on a pair."""

    pair_id: int
    query_id: str
    doc_id: str
    cause: Cause
    person_id: str
    reason: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Standing:
    """One standing judgment of a pair, as far as mending needs it."""

    judgment_id: int
    person_id: str
    rubric_version: int
    cause: Cause | None
    round: str


@dataclass(frozen=True, slots=True)
class Mending:
    """One decision of a lead; `before` and `after` are a query's texts where it was edited."""

    mending_id: int
    decision: str
    query_id: str
    doc_id: str
    note: str
    before: str
    after: str
    person_id: str
    at: str
    pairs: int


def stopped(db: sqlite3.Connection) -> list[CauseGiven]:
    """The causes that wait for a lead, by pair, oldest first."""
    rows = db.execute(
        "select p.pair_id, p.query_id, p.doc_id, c.cause, c.person_id, c.reason, c.created_at "
        f"{STOPPED} order by p.pair_id, c.judgment_id"
    )
    return [
        CauseGiven(row[0], row[1], row[2], Cause(row[3]), row[4], row[5], row[6]) for row in rows
    ]


def count_levels(db: sqlite3.Connection, pair_id: int) -> int:
    """How many people gave the pair a level that stands and counts."""
    row = db.execute(
        "select count(distinct person_id) from current_judgments "
        "where pair_id = ? and level is not null",
        (pair_id,),
    ).fetchone()
    return int(row[0])


def judged_of_query(db: sqlite3.Connection, query_id: str) -> list[tuple[int, str, int, bool]]:
    """The query's pairs that have a level: (pair_id, doc_id, levels, whether a lead settled it)."""
    rows = db.execute(
        "select p.pair_id, p.doc_id, count(distinct j.person_id), "
        "exists (select 1 from adjudications a where a.pair_id = p.pair_id) "
        "from standing_judgments j join pairs p using (pair_id) "
        "where p.query_id = ? and j.level is not null group by p.pair_id order by p.doc_id",
        (query_id,),
    )
    return [(row[0], row[1], row[2], bool(row[3])) for row in rows]


def standing(db: sqlite3.Connection, pair_id: int) -> list[Standing]:
    """Every judgment that stands on the pair, counted or not."""
    rows = db.execute(
        "select judgment_id, person_id, rubric_version, cause, round from standing_judgments "
        "where pair_id = ? order by judgment_id",
        (pair_id,),
    )
    return [
        Standing(row[0], row[1], row[2], None if row[3] is None else Cause(row[3]), row[4])
        for row in rows
    ]


def record(
    db: sqlite3.Connection,
    decision: str,
    person_id: str,
    note: str,
    *,
    query_id: str = "",
    doc_id: str = "",
    texts: tuple[str, str] = ("", ""),
) -> int:
    """Write one decision down and return its number."""
    cursor = db.execute(
        "insert into mendings(decision, query_id, doc_id, note, before, after, person_id, at) "
        "values (?, ?, ?, ?, ?, ?, ?, ?)",
        (decision, query_id, doc_id, note, *texts, person_id, now()),
    )
    return int(cursor.lastrowid or 0)


def add_outcome(
    db: sqlite3.Connection, mending_id: int, pair_ids: Iterable[int], outcome: str
) -> None:
    """Write what a decision did to these pairs."""
    db.executemany(
        "insert into mended_pairs(mending_id, pair_id, outcome) values (?, ?, ?)",
        [(mending_id, pair_id, outcome) for pair_id in pair_ids],
    )


def add_experts(db: sqlite3.Connection, mending_id: int, person_ids: Iterable[str]) -> None:
    """Write whom a decision named for its pairs."""
    db.executemany(
        "insert into mended_experts(mending_id, person_id) values (?, ?)",
        [(mending_id, person_id) for person_id in person_ids],
    )


def reword(db: sqlite3.Connection, query_id: str, text: str, person_id: str) -> None:
    """Give a query another text; the first one stays beside it, so that its file still fits."""
    before = db.execute("select text from queries where query_id = ?", (query_id,)).fetchone()[0]
    db.execute(
        "update queries set text = ?, drafted_text = coalesce(drafted_text, text) "
        "where query_id = ?",
        (text, query_id),
    )
    query_history.note(db, query_id, person_id, "reworded", f"“{before}” to “{text}”")


def give_back(db: sqlite3.Connection, *, query_id: str = "", doc_id: str = "") -> None:
    """End the leases on a query's or document's pairs: who has one open still reads its old text.

    What they typed is kept with the pair.
    """
    db.execute(
        "delete from leases where pair_id in "
        "(select pair_id from pairs where query_id = ? or doc_id = ?)",
        (query_id, doc_id),
    )


def notes(db: sqlite3.Connection, pair_id: int) -> list[str]:
    """What leads wrote for whoever judges the pair again, oldest first."""
    rows = db.execute(
        "select m.note from mendings m join mended_pairs p using (mending_id) "
        "where p.pair_id = ? and p.outcome = 'reopened' "
        "and m.decision in ('judge_anyway', 'rubric_clarified', 'experts_named') "
        "order by mending_id",
        (pair_id,),
    )
    return [row[0] for row in rows]


def history(db: sqlite3.Connection, limit: int) -> list[Mending]:
    """The last decisions, newest first."""
    rows = db.execute(
        "select m.*, (select count(*) from mended_pairs p where p.mending_id = m.mending_id) "
        "from mendings m order by mending_id desc limit ?",
        (limit,),
    )
    return [Mending(*row) for row in rows]
