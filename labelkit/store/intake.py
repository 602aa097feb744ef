"""Where queries came from: draws from logs and conversations, origins, clicks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class DrawRow:
    """One draw that was brought in: from which file, with which settings, what came of it."""

    draw_id: int
    kind: str
    file: str
    file_sha256: str
    settings: Mapping[str, Any]
    detail: Mapping[str, Any]
    drawn_by: str | None
    drawn_at: str


def add_draw(
    db: sqlite3.Connection,
    kind: str,
    file: tuple[str, str],
    settings: Mapping[str, Any],
    detail: Mapping[str, Any],
    person_id: str,
) -> int:
    """Record a draw from a file (its name and SHA-256); returns its number."""
    done = db.execute(
        "insert into query_draws(kind, file, file_sha256, settings, detail, drawn_by, drawn_at) "
        "values (?, ?, ?, ?, ?, ?, ?)",
        (kind, *file, _json(settings), _json(detail), person_id, now()),
    )
    return int(done.lastrowid or 0)


def draws(db: sqlite3.Connection) -> list[DrawRow]:
    """All draws, the newest first."""
    rows = db.execute("select * from query_draws order by draw_id desc")
    return [
        DrawRow(
            **{
                **dict(row),
                "settings": json.loads(row["settings"]),
                "detail": json.loads(row["detail"]),
            }
        )
        for row in rows
    ]


def add_origin(
    db: sqlite3.Connection,
    query_id: str,
    draw_id: int | None,
    detail: Mapping[str, Any],
    person_id: str,
) -> None:
    """Keep what is known of where a new query came from."""
    db.execute(
        "insert into query_origins values (?, ?, ?, ?, ?)",
        (query_id, draw_id, _json(detail), person_id, now()),
    )


def origin(db: sqlite3.Connection, query_id: str) -> dict[str, Any]:
    """What is known of where a query came from; empty where it came some other way."""
    row = db.execute("select detail from query_origins where query_id = ?", (query_id,)).fetchone()
    return {} if row is None else dict(json.loads(row[0]))


def add_clicks(
    db: sqlite3.Connection, draw_id: int, clicks: Iterable[tuple[str, str, int]]
) -> None:
    """Keep how often each document was opened for a query: (query_id, doc_id, clicks)."""
    moment = now()
    db.executemany(
        "insert into click_signals(query_id, doc_id, draw_id, clicks, at) values (?, ?, ?, ?, ?)",
        [(query_id, doc_id, draw_id, number, moment) for query_id, doc_id, number in clicks],
    )


def count_clicked(db: sqlite3.Connection, query_id: str) -> tuple[int, int]:
    """How many documents were opened for a query, and how many of those are pooled with it."""
    row = db.execute(
        "select count(distinct c.doc_id), count(distinct p.doc_id) from click_signals c "
        "left join pairs p on p.query_id = c.query_id and p.doc_id = c.doc_id "
        "where c.query_id = ?",
        (query_id,),
    ).fetchone()
    return int(row[0]), int(row[1])


def clicked_pairs(
    db: sqlite3.Connection, at_least: int, per_query: int
) -> list[tuple[str, str, int]]:
    """(query_id, doc_id, clicks) of accepted queries with documents that are here and not pooled.

    Only documents opened `at_least` times, and per query those opened most.
    """
    rows = db.execute(
        "select query_id, doc_id, clicks from ("
        "  select c.query_id, c.doc_id, c.clicks,"
        "    row_number() over (partition by c.query_id order by c.clicks desc, c.doc_id) as place"
        "  from (select query_id, doc_id, max(clicks) as clicks from click_signals"
        "        group by query_id, doc_id) c"
        "  join queries q on q.query_id = c.query_id and q.state = 'accepted'"
        "  join documents d on d.doc_id = c.doc_id"
        "  where c.clicks >= :least) w "
        "where place <= :most and not exists (select 1 from pairs p"
        "  where p.query_id = w.query_id and p.doc_id = w.doc_id) "
        "order by query_id, doc_id",
        {"least": at_least, "most": per_query},
    )
    return [(row[0], row[1], int(row[2])) for row in rows]


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True)
