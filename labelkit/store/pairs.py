"""The pool: pairs worth judging, who holds one now, and who set one aside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from labelkit.store.workspace import now

LEVELS_OF_OTHERS = """
  (select count(distinct c.person_id) from current_judgments c
   where c.pair_id = p.pair_id and c.level is not null and c.person_id <> :person)
"""
HELD_BY_OTHERS = """
  (select count(*) from leases l
   where l.pair_id = p.pair_id and l.person_id <> :person and l.expires_at > :now
     and not exists (select 1 from current_judgments c where c.pair_id = p.pair_id
                     and c.person_id = l.person_id and c.level is not null))
"""
HELD = """
  exists (select 1 from leases own where own.pair_id = p.pair_id
          and own.person_id = :person and own.expires_at > :now)
"""
BLOCKED = """
  exists (select 1 from current_judgments c where c.pair_id = p.pair_id
          and c.cause in ('query_unclear', 'document_unreadable', 'rubric_gap'))
"""
# Where a lead named who is to judge the pair, nobody else is given it; experts named for the pair
# itself go before the people of its batches.
MEANT = """
  case when exists (select 1 from named_experts e where e.pair_id = p.pair_id)
    then exists (select 1 from named_experts e
                 where e.pair_id = p.pair_id and e.person_id = :person)
    else not exists (select 1 from meant_pairs m where m.pair_id = p.pair_id)
      or exists (select 1 from meant_pairs m
                 where m.pair_id = p.pair_id and m.person_id = :person)
  end
"""
POOLED = "from pairs p join queries q using (query_id) where +q.state = 'accepted'"
# Short of levels from distinct humans, not judged by :person, who was not told its level either.
UNFINISHED = """
  not exists (select 1 from judgments_in_force mine
              where mine.pair_id = p.pair_id and mine.person_id = :person)
  and not exists (select 1 from shown_in_training told
                  where told.pair_id = p.pair_id and told.person_id = :person)
"""
UNFINISHED += f" and {LEVELS_OF_OTHERS} < p.quota"
SHORT = f"{POOLED} and {UNFINISHED}"
# A hidden repeat: open like any other pair for the one who judged it, and for nobody else.
REPEATED = """
  exists (select 1 from open_repeats again
          where again.pair_id = p.pair_id and again.person_id = :person)
"""
# It waits for :person while nobody found a cause that only its owner can mend, and it can be
# given out while the people at work on it leave a place; who holds it keeps that place.
WAITING = f"{SHORT} and not {BLOCKED} and {MEANT}"
AT_WORK = f"{LEVELS_OF_OTHERS} + {HELD_BY_OTHERS}"
ROOM = f"{AT_WORK} < p.quota"
GIVEN = f"({UNFINISHED} and ({HELD} or (not {BLOCKED} and {MEANT} and {ROOM})))"
OPEN = f"{POOLED} and ({REPEATED} or {GIVEN})"
COULD_JUDGE = f"""
  from pairs p join people someone
  where p.pair_id = :pair and someone.active and ' ' || someone.roles || ' ' like '% rater %'
    and not exists (select 1 from standing_judgments j
                    where j.pair_id = p.pair_id and j.person_id = someone.person_id)
    and not exists (select 1 from shown_in_training told
                    where told.pair_id = p.pair_id and told.person_id = someone.person_id)
    and {MEANT.replace(":person", "someone.person_id")}
"""  # noqa: S608 (built of the constants above)
HAS_ROOM = "from pairs p where p.pair_id = :pair and " + ROOM
SET_ASIDE = "select pair_id from parked where person_id = :person and kind = :kind"
SET_ASIDE_AT = """
  (select k.at from parked k where k.person_id = :person and k.pair_id = p.pair_id)
"""
NOT_PARKED = """
  and not exists (select 1 from parked k where k.pair_id = p.pair_id and k.person_id = :person)
"""
DRAWN = """
  w.pair_id in (select pair_id from sample_pairs union all select pair_id from third_labels_now)
"""
# What OPEN says of one pair, said of the whole pool at once: from the pairs that wait, without the
# few that :person may have open for other reasons, which OPEN is asked about one by one.
FEW = """
  select pair_id from leases where person_id = :person
  union all select pair_id from open_repeats where person_id = :person
"""
NOT_TO_BE_GIVEN = f"""
  {FEW}
  union all select pair_id from judgments_in_force where person_id = :person
  union all select pair_id from shown_in_training where person_id = :person
  union all select pair_id from parked where person_id = :person
  union all select pair_id from named_experts
    where pair_id not in (select pair_id from named_experts where person_id = :person)
"""  # noqa: S608 (built of the constants above)
TAKEN = """
  select l.pair_id from leases l join waiting_pairs t using (pair_id)
  where l.person_id <> :person and l.expires_at > :now
    and not exists (select 1 from current_judgments c where c.pair_id = l.pair_id
                    and c.person_id = l.person_id and c.level is not null)
  group by l.pair_id having count(*) >= max(t.places)
"""
FOR_PERSON = """
  (not w.meant or w.pair_id in (select pair_id from meant_pairs where person_id = :person)
   or w.pair_id in (select pair_id from named_experts where person_id = :person))
"""
FREE = f"""
  from waiting_pairs w
  where {FOR_PERSON} and w.pair_id not in ({NOT_TO_BE_GIVEN}) and w.pair_id not in ({TAKEN})
"""
OPEN_FEW = f"{OPEN} {NOT_PARKED} and p.pair_id in ({FEW})"
# A permutation of the pairs' numbers: fifth powers are one modulo the prime 2^31 - 1, and each
# product stays under 2^62.
PRIME = 2**31 - 1
MIXED = f"((w.pair_id * :first + :second) % {PRIME})"
SQUARED = f"({MIXED} * {MIXED} % {PRIME})"
SHUFFLED = f"({SQUARED} * {SQUARED} % {PRIME} * {MIXED} % {PRIME} * :first % {PRIME})"


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and a document to be judged."""

    pair_id: int
    query_id: str
    doc_id: str
    quota: int = 1


def add(db: sqlite3.Connection, pairs: Iterable[tuple[str, str]], origin: str) -> int:
    """Add (query_id, doc_id) pairs that are not there yet; returns how many were new."""
    before, moment = count(db), now()
    db.executemany(
        "insert into pairs(query_id, doc_id, origin, added_at) "
        "select :query, :doc, :origin, :at where not exists "
        "(select 1 from pairs where query_id = :query and doc_id = :doc)",
        [{"query": query, "doc": doc, "origin": origin, "at": moment} for query, doc in pairs],
    )
    return count(db) - before


def add_sources(db: sqlite3.Connection, found: Iterable[tuple[str, str, str, int]]) -> None:
    """Record that a retriever ranked a pooled pair: (query_id, doc_id, retriever, rank)."""
    db.executemany(
        "insert into pair_sources(pair_id, retriever, rank) "
        "select pair_id, ?, ? from pairs where query_id = ? and doc_id = ? "
        "on conflict(pair_id, retriever) do update set rank = excluded.rank",
        [(retriever, rank, query_id, doc_id) for query_id, doc_id, retriever, rank in found],
    )


def count(db: sqlite3.Connection) -> int:
    """How many pairs there are."""
    return int(db.execute("select count(*) from pairs").fetchone()[0])


def keys(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """(query_id, doc_id) of every pair, sorted."""
    return [tuple(row) for row in db.execute("select query_id, doc_id from pairs order by 1, 2")]


def find(db: sqlite3.Connection, query_id: str, doc_id: str) -> Pair | None:
    """The pair of a query and a document, or None."""
    row = db.execute(
        "select * from pairs where query_id = ? and doc_id = ?", (query_id, doc_id)
    ).fetchone()
    return None if row is None else _pair(row)


def get(db: sqlite3.Connection, pair_id: int) -> Pair | None:
    """The pair with this number, or None."""
    row = db.execute("select * from pairs where pair_id = ?", (pair_id,)).fetchone()
    return None if row is None else _pair(row)


def raise_quota(db: sqlite3.Connection, pair_ids: Iterable[int], quota: int) -> None:
    """Ask for at least this many human levels on each pair."""
    db.executemany(
        "update pairs set quota = max(quota, ?) where pair_id = ?",
        [(quota, pair_id) for pair_id in pair_ids],
    )


def set_quota(db: sqlite3.Connection, pair_id: int, quota: int) -> None:
    """Ask for this many human levels on one pair, more or fewer than before."""
    db.execute("update pairs set quota = ? where pair_id = ?", (quota, pair_id))


def open_queries(db: sqlite3.Connection, person_id: str, moment: str) -> list[str]:
    """The queries that have a pair for this person now, parked ones left out."""
    given = {"person": person_id, "now": moment}
    rows = db.execute(f"select w.query_id {FREE} group by w.query_id", given).fetchall()
    rows += db.execute(f"select p.query_id {OPEN_FEW}", given).fetchall()
    return sorted({row[0] for row in rows})


def open_drawn_queries(db: sqlite3.Connection, person_id: str, moment: str) -> list[str]:
    """Those of the open queries in which a pair waits that was drawn for one more label."""
    rows = db.execute(
        f"select distinct w.query_id {FREE} and {DRAWN} order by w.query_id",
        {"person": person_id, "now": moment},
    )
    return [row[0] for row in rows]


def open_by_key(
    db: sqlite3.Connection, person_id: str, moment: str, first: int, second: int
) -> Pair | None:
    """The next open pair in an order of all pairs that the two numbers shuffle, or None.

    Pairs drawn for one more label come before the others, parked ones are left out. Both numbers
    are 1 to 2^31 - 2.
    """
    given = {"person": person_id, "now": moment, "first": first, "second": second}
    again = db.execute(f"select p.* {OPEN_FEW} order by p.pair_id limit 1", given).fetchone()
    if again is not None:
        return _pair(again)
    row = db.execute(
        f"select w.pair_id {FREE} order by {DRAWN} desc, {SHUFFLED} limit 1", given
    ).fetchone()
    return None if row is None else get(db, row[0])


def open_pairs(db: sqlite3.Connection, person_id: str, query_id: str, moment: str) -> list[Pair]:
    """The pairs of one query that this person can be given now, parked ones left out."""
    rows = db.execute(
        f"select p.* {OPEN} {NOT_PARKED} and p.query_id = :query order by p.pair_id",
        {"person": person_id, "now": moment, "query": query_id},
    )
    return [_pair(row) for row in rows]


def is_open(db: sqlite3.Connection, person_id: str, pair_id: int, moment: str) -> bool:
    """Whether this person may be given, or may still judge, this pair."""
    row = db.execute(
        f"select 1 {OPEN} and p.pair_id = :pair",
        {"person": person_id, "now": moment, "pair": pair_id},
    ).fetchone()
    return row is not None


def is_waiting(db: sqlite3.Connection, person_id: str, pair_id: int) -> bool:
    """Whether this person could still be given this pair, now or once others give it back."""
    row = db.execute(
        f"select 1 {WAITING} and p.pair_id = :pair", {"person": person_id, "pair": pair_id}
    ).fetchone()
    return row is not None


def has_room(db: sqlite3.Connection, person_id: str, pair_id: int, moment: str) -> bool:
    """Whether a level of this person would stay within the pair's quota."""
    row = db.execute(
        f"select 1 {HAS_ROOM}",
        {"person": person_id, "now": moment, "pair": pair_id},
    ).fetchone()
    return row is not None


def count_held_by_others(db: sqlite3.Connection, person_id: str, moment: str) -> int:
    """How many pairs this person could be given if other people did not hold them now."""
    row = db.execute(
        f"select count(*) {WAITING} and not ({HELD} or {ROOM})",
        {"person": person_id, "now": moment},
    ).fetchone()
    return int(row[0])


def count_open(db: sqlite3.Connection, person_id: str, moment: str) -> int:
    """How many pairs wait for this person, parked ones left out."""
    row = db.execute(
        f"select (select count(*) {FREE}) + (select count(*) {OPEN_FEW})",
        {"person": person_id, "now": moment},
    ).fetchone()
    return int(row[0])


def someone_may_judge(db: sqlite3.Connection, pair_id: int) -> bool:
    """Whether any rater who has said nothing of this pair may be given it."""
    row = db.execute(f"select 1 {COULD_JUDGE} limit 1", {"pair": pair_id}).fetchone()
    return row is not None


def count_at_work(db: sqlite3.Connection, pair_id: int, moment: str) -> int:
    """How many people gave the pair a level or have it open now."""
    row = db.execute(
        f"select {AT_WORK} from pairs p where p.pair_id = :pair",  # noqa: S608
        {"pair": pair_id, "person": "", "now": moment},
    ).fetchone()
    return int(row[0])


def count_for_others(db: sqlite3.Connection, person_id: str) -> int:
    """How many pairs wait that this person has not judged and that are other people's to judge."""
    row = db.execute(
        f"select count(*) {SHORT} and not {BLOCKED} and not ({MEANT})", {"person": person_id}
    ).fetchone()
    return int(row[0])


def lease(db: sqlite3.Connection, pair_id: int, person_id: str, expires_at: str) -> None:
    """Give the pair to this person until then, and give back what else the person held."""
    db.execute("delete from leases where person_id = ? and pair_id <> ?", (person_id, pair_id))
    db.execute(
        "insert into leases(pair_id, person_id, expires_at) values (?, ?, ?) "
        "on conflict(pair_id, person_id) do update set expires_at = excluded.expires_at",
        (pair_id, person_id, expires_at),
    )


def lease_ends(db: sqlite3.Connection, person_id: str, pair_id: int) -> str:
    """When this person's lease on the pair runs out, or ran out; empty without one."""
    row = db.execute(
        "select expires_at from leases where person_id = ? and pair_id = ?", (person_id, pair_id)
    ).fetchone()
    return "" if row is None else str(row[0])


def release(db: sqlite3.Connection, pair_id: int, person_id: str) -> None:
    """Give a leased pair back."""
    db.execute("delete from leases where pair_id = ? and person_id = ?", (pair_id, person_id))


def held_by(db: sqlite3.Connection, person_id: str) -> int | None:
    """The pair this person was given last, its lease run out or not."""
    row = db.execute("select pair_id from leases where person_id = ?", (person_id,)).fetchone()
    return None if row is None else int(row[0])


def park(db: sqlite3.Connection, pair_id: int, person_id: str, kind: str) -> None:
    """Set a pair aside for this person: "later" (an own list) or "skip" (back at the end)."""
    db.execute(
        "insert into parked(pair_id, person_id, kind, at) values (?, ?, ?, ?) "
        "on conflict(person_id, pair_id) do update set kind = excluded.kind, at = excluded.at",
        (pair_id, person_id, kind, now()),
    )
    release(db, pair_id, person_id)


def unpark(db: sqlite3.Connection, pair_id: int, person_id: str) -> None:
    """Take a pair back from this person's set-aside list."""
    db.execute("delete from parked where pair_id = ? and person_id = ?", (pair_id, person_id))


def parked_by(db: sqlite3.Connection, person_id: str, moment: str, kind: str) -> list[Pair]:
    """What this person set aside as this kind and can still judge, oldest first."""
    rows = db.execute(
        f"select p.* {OPEN} and p.pair_id in ({SET_ASIDE}) order by {SET_ASIDE_AT}, p.pair_id",
        {"person": person_id, "now": moment, "kind": kind},
    )
    return [_pair(row) for row in rows]


def _pair(row: sqlite3.Row) -> Pair:
    return Pair(row["pair_id"], row["query_id"], row["doc_id"], row["quota"])


def count_judged_in_query(db: sqlite3.Connection, person_id: str, query_id: str) -> int:
    """How many pairs of a query this person has judged and does not have open again."""
    row = db.execute(
        "select count(*) from standing_judgments j where person_id = :person "
        "and query_id = :query and not exists (select 1 from open_repeats again "
        "  where again.pair_id = j.pair_id and again.person_id = :person)",
        {"person": person_id, "query": query_id},
    ).fetchone()
    return int(row[0])


def count_short_of_quota(db: sqlite3.Connection, person_id: str) -> int:
    """How many pairs of accepted queries have fewer human levels than their quota.

    Those that this person has set aside are left out: they wait for that person.
    """
    row = db.execute(
        "select count(*) from waiting_pairs where pair_id not in "
        "(select pair_id from parked where person_id = ?)",
        (person_id,),
    ).fetchone()
    return int(row[0])


def count_blocked_by_cause(db: sqlite3.Connection) -> int:
    """How many pairs wait for a lead because their query, document or rubric needs mending."""
    row = db.execute(
        "select count(distinct pair_id) from current_judgments c join pairs p using (pair_id) "
        "join queries q on q.query_id = p.query_id where q.state = 'accepted' "
        "and c.cause in ('query_unclear', 'document_unreadable', 'rubric_gap') "
        "and pair_id not in (select pair_id from unreadable_pairs)"
    ).fetchone()
    return int(row[0])
