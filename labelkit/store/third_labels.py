"""Third labels: where they were asked for, and the pairs that could have one."""

from __future__ import annotations

import sqlite3

from labelkit.store.workspace import now

FAR_APART = """
select c.pair_id from current_judgments c join queries q using (query_id)
where c.level is not null and q.state = 'accepted'
group by c.pair_id having count(distinct c.person_id) = 2 and max(c.level) - min(c.level) = 2
order by c.pair_id
"""


def note(db: sqlite3.Connection, pair_id: int, event: str) -> None:
    """Write that a third label was asked for, or that the request was taken back."""
    db.execute(
        "insert into third_labels(pair_id, event, at) values (?, ?, ?)", (pair_id, event, now())
    )


def is_asked(db: sqlite3.Connection, pair_id: int) -> bool:
    """Whether a third label is asked for on this pair."""
    row = db.execute("select 1 from third_labels_now where pair_id = ?", (pair_id,)).fetchone()
    return row is not None


def asked(db: sqlite3.Connection) -> list[int]:
    """The pairs on which a third label is asked for, given or not."""
    return [row[0] for row in db.execute("select pair_id from third_labels_now order by pair_id")]


def count_asked(db: sqlite3.Connection) -> int:
    """On how many pairs a third label is asked for, given or not."""
    return int(db.execute("select count(*) from third_labels_now").fetchone()[0])


def count_given(db: sqlite3.Connection) -> int:
    """How many of those have the levels of three people by now."""
    row = db.execute(
        "select count(*) from third_labels_now t where "
        "(select count(distinct c.person_id) from current_judgments c "
        " where c.pair_id = t.pair_id and c.level is not null) > 2"
    ).fetchone()
    return int(row[0])


def count_doubly_judged(db: sqlite3.Connection) -> int:
    """How many pairs have the levels of two people or more."""
    row = db.execute(
        "select count(*) from (select pair_id from current_judgments where level is not null "
        "group by pair_id having count(distinct person_id) > 1)"
    ).fetchone()
    return int(row[0])


def far_apart(db: sqlite3.Connection) -> list[int]:
    """The pairs of accepted queries on which two people, and no third, gave 0 and 2."""
    return [row[0] for row in db.execute(FAR_APART)]


def usual_quota(db: sqlite3.Connection, pair_id: int) -> int:
    """How many labels the pair would want without a third one: two, or what its batches ask."""
    row = db.execute(
        "select max(2, coalesce(max(b.raters), 2)) from batch_pairs p join batches b "
        "using (batch_id) where p.pair_id = ?",
        (pair_id,),
    ).fetchone()
    return int(row[0])
