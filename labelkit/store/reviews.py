"""What was decided about drafts, by whom, and the samples that leads looked at first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision about a draft; `choice_id` names the lead's choice where nobody read it."""

    decision_id: int
    query_id: str
    person_id: str | None
    decision: str
    text: str
    edited: bool
    choice_id: int | None


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A drawn sample: its share in per cent, its seed, who drew it and when."""

    sample_id: int
    share: int
    seed: int
    drawn_by: str
    drawn_at: str


@dataclass(frozen=True, slots=True)
class Checked:
    """One drawn draft that was decided on; `warnings` is None where they were not kept."""

    accepted: bool
    edited: bool
    document_type: str
    warnings: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """What a lead chose for the drafts outside a sample, and what the sample said then."""

    choice: str
    drafts: int
    rate: Mapping[str, Any]
    note: str
    person: str
    at: str


def record(
    db: sqlite3.Connection,
    query_id: str,
    person_id: str,
    decision: str,
    *,
    text: str,
    edited: bool = False,
    cause: str = "",
    note: str = "",
    warnings: Sequence[str] | None = None,
    choice_id: int | None = None,
) -> None:
    """Append one decision about a draft."""
    kept = None if warnings is None else json.dumps(sorted(set(warnings)))
    db.execute(
        "insert into review_decisions(query_id, person_id, decision, text, edited, cause, note, "
        "warnings, choice_id, at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (query_id, person_id, decision, text, edited, cause, note, kept, choice_id, now()),
    )


def last_of(db: sqlite3.Connection, person_id: str) -> Decision | None:
    """The last thing this person decided, if it still stands and was about a single draft."""
    row = db.execute(
        "select decision_id, query_id, person_id, decision, text, edited, choice_id "
        "from current_reviews where decision in ('accepted', 'rejected') and choice_id is null "
        "and decision_id = (select max(decision_id) from review_decisions where person_id = ?)",
        (person_id,),
    ).fetchone()
    return None if row is None else Decision(**{**dict(row), "edited": bool(row["edited"])})


def count_judgments(db: sqlite3.Connection, query_id: str) -> int:
    """How many judgments stand on a query."""
    row = db.execute(
        "select count(*) from current_judgments where query_id = ?", (query_id,)
    ).fetchone()
    return int(row[0])


def reopen(db: sqlite3.Connection, query_id: str, text: str, note: str) -> None:
    """Give a query that was just moved back to the drafts its drafted text again."""
    db.execute(
        "update queries set text = ?, drafted_text = null, note = ? where query_id = ?",
        (text, note, query_id),
    )


def set_provenance(db: sqlite3.Connection, query_id: str, provenance: str) -> None:
    """Say anew how a query came to be."""
    db.execute("update queries set provenance = ? where query_id = ?", (provenance, query_id))


def count(db: sqlite3.Connection) -> dict[str, int]:
    """How many decisions stand: accepted (all, edited, unread), rejected, held."""
    row = db.execute(
        "select sum(decision = 'accepted') as accepted, "
        "sum(decision = 'accepted' and edited) as edited, "
        "sum(decision = 'accepted' and choice_id is not null) as unreviewed, "
        "sum(decision = 'rejected') as rejected, sum(decision = 'held') as held "
        "from current_reviews"
    ).fetchone()
    return {name: row[name] or 0 for name in row.keys()}  # noqa: SIM118 (a Row iterates values)


def held(db: sqlite3.Connection) -> list[str]:
    """The drafts that a lead holds, by id."""
    rows = db.execute("select query_id from current_reviews where decision = 'held' order by 1")
    return [row[0] for row in rows]


def add_sample(
    db: sqlite3.Connection,
    drafts: Iterable[tuple[str, bool]],
    *,
    share: int,
    seed: int,
    person_id: str,
    enlarges: int | None,
) -> int:
    """Record a sample: every draft it was drawn from, and whether it was drawn."""
    cursor = db.execute(
        "insert into spot_checks(enlarges, share, seed, drawn_by, drawn_at) values (?, ?, ?, ?, ?)",
        (enlarges, share, seed, person_id, now()),
    )
    sample_id = int(cursor.lastrowid or 0)
    db.executemany(
        "insert into spot_check_drafts values (?, ?, ?)",
        [(sample_id, query_id, drawn) for query_id, drawn in drafts],
    )
    return sample_id


def last_sample(db: sqlite3.Connection) -> SampleRow | None:
    """The newest sample, or None."""
    row = db.execute(
        "select s.sample_id, s.share, s.seed, p.name as drawn_by, s.drawn_at from spot_checks s "
        "join people p on p.person_id = s.drawn_by order by sample_id desc limit 1"
    ).fetchone()
    return None if row is None else SampleRow(**dict(row))


def members(db: sqlite3.Connection, sample_id: int) -> dict[str, bool]:
    """Every draft that a sample was drawn from, and whether it was drawn."""
    rows = db.execute(
        "select query_id, drawn from spot_check_drafts where sample_id = ? order by query_id",
        (sample_id,),
    )
    return {row[0]: bool(row[1]) for row in rows}


def checked(db: sqlite3.Connection, sample_id: int) -> list[Checked]:
    """The drawn drafts of a sample that a person read and decided on."""
    rows = db.execute(
        "select r.decision, r.edited, r.warnings, "
        "coalesce(json_extract(d.metadata, '$.type'), json_extract(d.metadata, '$.kind'), "
        "json_extract(d.metadata, '$.category'), '') as type "
        "from spot_check_drafts s join current_reviews r using (query_id) "
        "left join documents d on d.doc_id = r.source_doc_id "
        "where s.sample_id = ? and s.drawn and r.choice_id is null order by r.query_id",
        (sample_id,),
    )
    return [
        Checked(
            row["decision"] == "accepted",
            bool(row["edited"]),
            str(row["type"]),
            None if row["warnings"] is None else tuple(json.loads(row["warnings"])),
        )
        for row in rows
    ]


def add_choice(
    db: sqlite3.Connection,
    sample_id: int,
    choice: str,
    *,
    drafts: int,
    rate: Mapping[str, Any],
    note: str,
    person_id: str,
) -> int:
    """Record what a lead chose for the drafts outside a sample; returns its number."""
    cursor = db.execute(
        "insert into spot_check_choices(sample_id, choice, drafts, rate, note, person_id, at) "
        "values (?, ?, ?, ?, ?, ?, ?)",
        (sample_id, choice, drafts, json.dumps(dict(rate), sort_keys=True), note, person_id, now()),
    )
    return int(cursor.lastrowid or 0)


def choices(db: sqlite3.Connection) -> list[ChoiceRow]:
    """What leads chose for drafts outside their samples, newest first."""
    rows = db.execute(
        "select c.choice, c.drafts, c.rate, c.note, p.name as person, c.at "
        "from spot_check_choices c join people p using (person_id) order by choice_id desc"
    )
    return [ChoiceRow(**{**dict(row), "rate": json.loads(row["rate"])}) for row in rows]


def unpooled(db: sqlite3.Connection) -> list[str]:
    """The accepted drafts that no retriever has been asked for documents yet."""
    rows = db.execute(
        "select r.query_id from current_reviews r join queries q using (query_id) "
        "where q.state = 'accepted' and not exists (select 1 from pairs p join pair_sources s "
        "using (pair_id) where p.query_id = r.query_id) order by 1"
    )
    return [row[0] for row in rows]


def pooling_depth(db: sqlite3.Connection) -> int | None:
    """How deep the project was pooled: the depth most rankings reach; None if it never was.

    Ranks 0 are a query's own source document, which no retriever ranked.
    """
    row = db.execute(
        "select deepest from (select max(s.rank) as deepest from pair_sources s "
        "join pairs p using (pair_id) where s.rank > 0 group by p.query_id, s.retriever) "
        "group by deepest order by count(*) desc, deepest desc limit 1"
    ).fetchone()
    return None if row is None else int(row[0])
