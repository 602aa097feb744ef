"""Batches of work: their pairs, and, as events, for whom they are, until when, and whether open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import now

# For a pair that several open batches hold, the people of all of them; anyone, where one of them
# is for anyone.
MEANT_FOR = """
insert or ignore into meant_pairs(person_id, pair_id)
select who.value, p.pair_id
from batches_now b join batch_pairs p using (batch_id), json_each(b.people) who
where b.open and not exists (
  select 1 from batch_pairs other join batches_now anyone using (batch_id)
  where other.pair_id = p.pair_id and anyone.open and anyone.people = '[]')
"""
COULD = """
select count(*) from json_each(b.people) who join people someone on someone.person_id = who.value
where someone.active and (someone.roles like '%rater%' or someone.roles like '%lead%')
  and not exists (select 1 from standing_judgments j
                  where j.pair_id = p.pair_id and j.person_id = someone.person_id)
  and not exists (select 1 from shown_in_training told
                  where told.pair_id = p.pair_id and told.person_id = someone.person_id)
"""
STANDING = f"""
select b.*,
  (select count(*) from batch_pairs p where p.batch_id = b.batch_id) as pairs,
  (select count(*) from batch_pairs p join waiting_pairs w using (pair_id)
   where p.batch_id = b.batch_id) as waiting,
  (select count(*) from batch_pairs p join waiting_pairs w using (pair_id)
   where p.batch_id = b.batch_id and b.open and b.people <> '[]'
     and not exists (select 1 from named_experts e where e.pair_id = p.pair_id)
     and ({COULD}) < w.places) as stuck
from batches_now b
"""  # noqa: S608 (built of the constant above)
DUE = """
select min(b.due) from batches_now b
where b.open and b.due is not null and exists (
  select 1 from batch_pairs p join waiting_pairs w using (pair_id)
  where p.batch_id = b.batch_id
    and (not w.meant or exists (select 1 from meant_pairs m
                                where m.person_id = :person and m.pair_id = p.pair_id))
    and not exists (select 1 from standing_judgments j
                    where j.pair_id = p.pair_id and j.person_id = :person))
"""
POOLED = """
select p.pair_id from pairs p
where p.query_id in (select value from json_each(:queries))
  and (:retrievers = '[]' or p.origin <> 'pool' or exists (
    select 1 from pair_sources s where s.pair_id = p.pair_id and s.rank <= :depth
      and s.retriever in (select value from json_each(:retrievers))))
order by p.pair_id
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch as it stands; `people` is empty where anyone may judge its pairs.

    `waiting` pairs lack a level, `stuck` ones more levels than its people can still give. `due`
    is a day, as ISO 8601.
    """

    batch_id: int
    name: str
    raters: int
    detail: Mapping[str, Any]
    made_by: str
    made_at: str
    due: str | None
    people: tuple[str, ...]
    open: bool
    changed_at: str
    pairs: int
    waiting: int
    stuck: int


def add(
    db: sqlite3.Connection,
    name: str,
    raters: int,
    detail: Mapping[str, Any],
    person_id: str,
    pair_ids: Sequence[int],
) -> int:
    """Write a batch with its pairs, ask for that many levels on each, and return its number.

    It is nobody's until `change` says whose.
    """
    cursor = db.execute(
        "insert into batches(name, raters, detail, made_by, made_at) values (?, ?, ?, ?, ?)",
        (name, raters, json.dumps(detail, ensure_ascii=False, sort_keys=True), person_id, now()),
    )
    batch_id = int(cursor.lastrowid or 0)
    db.executemany(
        "insert into batch_pairs(batch_id, pair_id) values (?, ?)",
        [(batch_id, pair_id) for pair_id in pair_ids],
    )
    db.execute(
        "update pairs set quota = ? where quota < ? "
        "and pair_id in (select pair_id from batch_pairs where batch_id = ?)",
        (raters, raters, batch_id),
    )
    return batch_id


def change(
    db: sqlite3.Connection,
    batch_id: int,
    *,
    due: str | None,
    people: Iterable[str],
    open: bool,
    person_id: str,
) -> None:
    """Write for whom a batch is from now on, until when, and whether it is open."""
    db.execute(
        "insert into batch_events(batch_id, due, people, open, person_id, at) "
        "values (?, ?, ?, ?, ?, ?)",
        (batch_id, due, json.dumps(sorted(set(people))), int(open), person_id, now()),
    )
    _spell_out(db)


def _spell_out(db: sqlite3.Connection) -> None:
    """Write anew for whom each pair is, and mark the waiting ones that are not for anyone."""
    db.execute("delete from meant_pairs")
    db.execute(MEANT_FOR)
    db.execute(
        "update waiting_pairs set meant = not meant "
        "where meant <> (pair_id in (select pair_id from meant_pairs))"
    )


def all(db: sqlite3.Connection) -> list[Batch]:
    """Every batch: open ones first, then the newest."""
    rows = db.execute(f"{STANDING} order by b.open desc, b.batch_id desc")
    return [_batch(row) for row in rows]


def get(db: sqlite3.Connection, batch_id: int) -> Batch | None:
    """The batch with this number, or None."""
    row = db.execute(f"{STANDING} where b.batch_id = ?", (batch_id,)).fetchone()
    return None if row is None else _batch(row)


def due_for(db: sqlite3.Connection, person_id: str) -> str | None:
    """The earliest day by which a pair is due that waits for this person, or None."""
    due: str | None = db.execute(DUE, {"person": person_id}).fetchone()[0]
    return due


def pooled(
    db: sqlite3.Connection, query_ids: Iterable[str], retrievers: Sequence[str], depth: int
) -> list[int]:
    """The pairs of some queries that these retrievers ranked to this depth.

    Those that no retriever brought (a query's own document, found by hand) are always among
    them; without retrievers all are.
    """
    rows = db.execute(
        POOLED,
        {
            "queries": json.dumps(list(query_ids)),
            "retrievers": json.dumps(list(retrievers)),
            "depth": depth,
        },
    )
    return [row[0] for row in rows]


def count_in_open(db: sqlite3.Connection, batch_id: int) -> int:
    """How many of a batch's pairs another open batch holds as well."""
    row = db.execute(
        "select count(*) from batch_pairs p where p.batch_id = :batch and exists "
        "(select 1 from batch_pairs o join batches_now b using (batch_id) "
        " where o.pair_id = p.pair_id and b.open and b.batch_id <> :batch)",
        {"batch": batch_id},
    ).fetchone()
    return int(row[0])


def judged_queries(db: sqlite3.Connection) -> set[str]:
    """The queries that have a level on any pair."""
    rows = db.execute("select distinct query_id from current_judgments where level is not null")
    return {row[0] for row in rows}


def _batch(row: sqlite3.Row) -> Batch:
    held = dict(row)
    held["detail"] = json.loads(held["detail"])
    held["people"] = tuple(json.loads(held["people"]))
    held["open"] = bool(held["open"])
    return Batch(**held)
