"""Queries, their states and their history; nothing is ever deleted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace

from labelkit.errors import Conflict, InputError
from labelkit.model import Query, QuerySource, QueryState, Turn
from labelkit.store.workspace import Workspace, now


@dataclass(frozen=True, slots=True)
class QueryChanges:
    """What an import of queries did."""

    added: int
    changed: int
    unchanged: int


def asks_the_same(held: Query, query: Query) -> bool:
    """Whether a query is the one that is here: same turns, and its text now or as drafted."""
    return held.turns == query.turns and query.text in (held.text, held.drafted_text)


def save(db: sqlite3.Connection, queries: Iterable[Query]) -> QueryChanges:
    """Add queries inside the caller's transaction; the same query again changes nothing.

    Of a query that is here, only what describes it is brought up to date: need, tags, language.
    Raises InputError where an id exists with another text: judgments may stand on it.
    """
    added, changed, unchanged, moment = 0, 0, 0, now()
    for query in queries:
        held = get(db, query.query_id)
        if held is None:
            db.execute(
                "insert into queries(query_id, text, source, state, turns, information_need, "
                "tags, language, source_doc_id, drafted_text, note, provenance, types, types_by, "
                "rewritten_text, rewritten_by, added_at) "
                "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*_columns(query), moment),
            )
            added += 1
        elif asks_the_same(held, query):
            described = _describe(db, held, query)
            changed, unchanged = changed + described, unchanged + (not described)
        else:
            raise InputError(
                f"Query {query.query_id!r} is here already with another text ({held.text!r}): "
                "give the new query an id of its own; a judged query is never rewritten."
            )
    return QueryChanges(added, changed, unchanged)


def _describe(db: sqlite3.Connection, held: Query, query: Query) -> bool:
    """Take over a new need, tags or language, where given; returns whether anything is new."""
    wanted = replace(
        held,
        information_need=query.information_need or held.information_need,
        tags=query.tags or held.tags,
        language=query.language or held.language,
    )
    if wanted == held:
        return False
    db.execute(
        "update queries set information_need = ?, tags = ?, language = ? where query_id = ?",
        (
            wanted.information_need,
            json.dumps(list(wanted.tags), ensure_ascii=False),
            wanted.language,
            held.query_id,
        ),
    )
    db.execute(
        "insert into query_events(query_id, action, at) values (?, 'described anew', ?)",
        (held.query_id, now()),
    )
    return True


def _columns(query: Query) -> tuple[str | None, ...]:
    turns = [{"role": turn.role, "text": turn.text} for turn in query.turns]
    return (
        query.query_id,
        query.text,
        query.source.value,
        query.state.value,
        json.dumps(turns, ensure_ascii=False),
        query.information_need,
        json.dumps(list(query.tags), ensure_ascii=False),
        query.language,
        query.source_doc_id,
        query.drafted_text,
        query.note,
        query.provenance,
        json.dumps(list(query.types)),
        query.types_by,
        query.rewritten_text,
        query.rewritten_by,
    )


def from_row(row: sqlite3.Row) -> Query:
    """The query that a row of the table holds."""
    return Query(
        query_id=row["query_id"],
        text=row["text"],
        source=QuerySource(row["source"]),
        state=QueryState(row["state"]),
        turns=tuple(Turn(turn["role"], turn["text"]) for turn in json.loads(row["turns"])),
        information_need=row["information_need"],
        tags=tuple(json.loads(row["tags"])),
        language=row["language"],
        source_doc_id=row["source_doc_id"],
        drafted_text=row["drafted_text"],
        note=row["note"],
        provenance=row["provenance"],
        types=tuple(json.loads(row["types"])),
        types_by=row["types_by"],
        rewritten_text=row["rewritten_text"],
        rewritten_by=row["rewritten_by"],
    )


def get(db: sqlite3.Connection, query_id: str) -> Query | None:
    """The query with this id, or None."""
    row = db.execute("select * from queries where query_id = ?", (query_id,)).fetchone()
    return None if row is None else from_row(row)


def in_state(workspace: Workspace, state: QueryState) -> list[Query]:
    """All queries in one state, by id."""
    with workspace.reading() as db:
        return select(db, state)


def select(db: sqlite3.Connection, state: QueryState) -> list[Query]:
    """All queries in one state, by id, inside the caller's transaction."""
    rows = db.execute("select * from queries where state = ? order by query_id", (state.value,))
    return [from_row(row) for row in rows]


def ids(db: sqlite3.Connection) -> set[str]:
    """The ids of all queries, whatever their state."""
    return {row[0] for row in db.execute("select query_id from queries")}


def count_by_state(db: sqlite3.Connection) -> dict[str, int]:
    """How many queries are in each state that any is in."""
    return dict(db.execute("select state, count(*) from queries group by state").fetchall())


def count_reviews(db: sqlite3.Connection) -> dict[str, int]:
    """How many drafts were accepted, how many of those edited, and how many rejected."""
    row = db.execute(
        "select sum(e.action = 'draft to accepted'), "
        "sum(e.action = 'draft to accepted' and q.drafted_text is not null), "
        "sum(e.action = 'draft to rejected') "
        "from query_events e join queries q using (query_id)"
    ).fetchone()
    return {"accepted": row[0] or 0, "edited": row[1] or 0, "rejected": row[2] or 0}


def move(
    db: sqlite3.Connection,
    query_id: str,
    *,
    before: QueryState,
    after: QueryState,
    person_id: str,
    detail: str = "",
    text: str | None = None,
) -> Query:
    """Change a query's state, and its text where an edit is accepted, and log who did it.

    Raises Conflict where the query is no longer in the state `before`.
    """
    held = get(db, query_id)
    if held is None or held.state is not before:
        raise Conflict(
            f"Query {query_id!r} is {'gone' if held is None else held.state.value} by now, "
            f"not {before.value}: someone else was faster. Reload the page."
        )
    drafted = held.text if text is not None and text != held.text else held.drafted_text
    note = detail or held.note
    db.execute(
        "update queries set state = ?, text = ?, drafted_text = ?, note = ? where query_id = ?",
        (after.value, text or held.text, drafted, note, query_id),
    )
    db.execute(
        "insert into query_events(query_id, person_id, action, detail, at) values (?, ?, ?, ?, ?)",
        (query_id, person_id, f"{before.value} to {after.value}", detail, now()),
    )
    return replace(held, state=after, text=text or held.text, drafted_text=drafted, note=note)
