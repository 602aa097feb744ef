"""Warm-up and quiz as stored: how they are set up, their pairs, attempts and answers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class Setup:
    """How a lead set up one kind of training; the newest of a kind holds."""

    setup_id: int
    kind: str
    value: Mapping[str, Any]
    set_by: str
    set_at: str

    @property
    def on(self) -> bool:
        """Whether it is in use."""
        return bool(self.value.get("on"))


@dataclass(frozen=True, slots=True)
class Item:
    """A pair with its agreed level and why; `source` is example, adjudicated or agreed.

    `pair_id` is None for a boundary example that is no pair of the pool; `passage` then stands
    in for a document that is not in the corpus.
    """

    pair_id: int | None
    query_text: str
    doc_id: str
    passage: str
    level: int
    reason: str
    source: str
    item_id: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One person's run through the pairs of one draw."""

    attempt_id: int
    setup_id: int
    person_id: str
    number: int
    draw: int
    begun_at: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said of one item."""

    item_id: int
    level: int
    reason: str
    answered_at: str


def set_up(db: sqlite3.Connection, kind: str, value: Mapping[str, Any], person_id: str) -> int:
    """Write the setup that holds from now on, and return its number."""
    cursor = db.execute(
        "insert into training_setups(kind, value, set_by, set_at) values (?, ?, ?, ?)",
        (kind, json.dumps(value, sort_keys=True), person_id, now()),
    )
    return int(cursor.lastrowid or 0)


def current(db: sqlite3.Connection, kind: str) -> Setup | None:
    """The setup that holds, or None where there never was one."""
    row = db.execute(
        "select * from training_setups where kind = ? order by setup_id desc limit 1", (kind,)
    ).fetchone()
    if row is None:
        return None
    value = json.loads(row["value"])
    return Setup(row["setup_id"], kind, value, row["set_by"], row["set_at"])


def save_items(db: sqlite3.Connection, setup_id: int, draw: int, items: Sequence[Item]) -> None:
    """Write the pairs of one draw, in the order in which they are shown."""
    db.executemany(
        "insert into training_items(setup_id, draw, position, pair_id, query_text, doc_id, "
        "passage, level, reason, source) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                setup_id,
                draw,
                position,
                item.pair_id,
                item.query_text,
                item.doc_id,
                item.passage,
                item.level,
                item.reason,
                item.source,
            )
            for position, item in enumerate(items, 1)
        ],
    )


def items(db: sqlite3.Connection, setup_id: int, draw: int) -> list[Item]:
    """The pairs of one draw, in order."""
    rows = db.execute(
        "select * from training_items where setup_id = ? and draw = ? order by position",
        (setup_id, draw),
    )
    return [
        Item(
            row["pair_id"],
            row["query_text"],
            row["doc_id"],
            row["passage"],
            row["level"],
            row["reason"],
            row["source"],
            row["item_id"],
        )
        for row in rows
    ]


def begin(db: sqlite3.Connection, setup_id: int, person_id: str, draw: int) -> Attempt:
    """Begin this person's next attempt."""
    number = len(attempts(db, setup_id, person_id)) + 1
    cursor = db.execute(
        "insert into training_attempts(setup_id, person_id, number, draw, begun_at) "
        "values (?, ?, ?, ?, ?)",
        (setup_id, person_id, number, draw, now()),
    )
    return attempt(db, int(cursor.lastrowid or 0))


def attempt(db: sqlite3.Connection, attempt_id: int) -> Attempt:
    """One attempt by its number."""
    row = db.execute("select * from training_attempts where attempt_id = ?", (attempt_id,))
    return Attempt(**dict(row.fetchone()))


def attempts(db: sqlite3.Connection, setup_id: int, person_id: str) -> list[Attempt]:
    """This person's attempts at one setup, oldest first."""
    rows = db.execute(
        "select * from training_attempts where setup_id = ? and person_id = ? order by number",
        (setup_id, person_id),
    )
    return [Attempt(**dict(row)) for row in rows]


def answer(db: sqlite3.Connection, attempt_id: int, item_id: int, level: int, reason: str) -> None:
    """Write an answer; a second one to the same item is refused by SQLite."""
    db.execute(
        "insert into training_answers(attempt_id, item_id, level, reason, answered_at) "
        "values (?, ?, ?, ?, ?)",
        (attempt_id, item_id, level, reason, now()),
    )


def answers(db: sqlite3.Connection, attempt_id: int) -> dict[int, Answer]:
    """item_id to what was said of it."""
    rows = db.execute(
        "select item_id, level, reason, answered_at from training_answers where attempt_id = ? "
        "order by answer_id",
        (attempt_id,),
    )
    return {row["item_id"]: Answer(**dict(row)) for row in rows}


def ever_finished(db: sqlite3.Connection, kind: str, person_id: str) -> bool:
    """Whether this person answered every item of an attempt, under whatever setup of the kind."""
    row = db.execute(
        "select 1 from training_attempts a join training_setups s using (setup_id) "
        "where s.kind = ? and a.person_id = ? and not exists "
        "(select 1 from training_items i where i.setup_id = a.setup_id and i.draw = a.draw "
        " and not exists (select 1 from training_answers t "
        "                 where t.attempt_id = a.attempt_id and t.item_id = i.item_id)) limit 1",
        (kind, person_id),
    ).fetchone()
    return row is not None
