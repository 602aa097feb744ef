"""Where drafted queries came from, what the checks found, and which documents have a query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class Origin:
    """How a draft came to be: the request, what was asked, and what answered."""

    query_id: str
    request_id: int
    number: int
    style: str
    run_id: str
    passage: Mapping[str, Any]
    prompt_sha256: str
    model: str
    model_returned: str
    decoding: Mapping[str, Any]
    drafted_at: str


def add_origin(
    db: sqlite3.Connection, query_id: str, request_id: int, number: int, style: str
) -> None:
    """Note which request a draft came from; where that is known already, nothing changes."""
    db.execute(
        "insert into draft_origins select :query, :request, :number, :style "
        "where not exists (select 1 from draft_origins where query_id = :query)",
        {"query": query_id, "request": request_id, "number": number, "style": style},
    )


def origin(db: sqlite3.Connection, query_id: str) -> Origin | None:
    """How a draft came to be, or None where it came from a file."""
    row = db.execute(
        "select o.*, r.run_id, i.item, u.prompt_sha256, u.model, r.model as model_returned, "
        "coalesce(r.decoding, u.decoding) as decoding, r.ended_at as drafted_at "
        "from draft_origins o join llm_requests r using (request_id) "
        "join llm_items i on i.run_id = r.run_id and i.position = r.position "
        "join llm_runs u on u.run_id = r.run_id where query_id = ?",
        (query_id,),
    ).fetchone()
    if row is None:
        return None
    values = dict(row)
    passage, decoding = json.loads(values.pop("item")), json.loads(values.pop("decoding"))
    return Origin(**values, passage=passage, decoding=decoding)


def of_run(db: sqlite3.Connection, run_id: str) -> list[str]:
    """The ids of the queries that came of a run's questions, paid for by this run or before."""
    rows = db.execute(
        "select query_id from draft_origins join llm_requests r using (request_id) where "
        "r.cache_key in (select cache_key from llm_items where run_id = ?) "
        "order by request_id, number",
        (run_id,),
    )
    return [row[0] for row in rows]


def save_findings(
    db: sqlite3.Connection, found: Iterable[tuple[str, str, Sequence[Mapping[str, Any]]]]
) -> None:
    """Keep what the checks found of each draft: (query_id, the text that was checked, findings)."""
    moment = now()
    db.executemany(
        "insert into draft_checks values (?, ?, ?, ?) on conflict(query_id) do update set "
        "text = excluded.text, findings = excluded.findings, checked_at = excluded.checked_at",
        [
            (
                query_id,
                text,
                json.dumps([dict(one) for one in findings], ensure_ascii=False),
                moment,
            )
            for query_id, text, findings in found
        ],
    )


def findings(db: sqlite3.Connection, query_id: str, text: str) -> list[dict[str, Any]] | None:
    """What the checks found of a draft with this text, or None where that was not checked."""
    row = db.execute(
        "select findings from draft_checks where query_id = ? and text = ?", (query_id, text)
    ).fetchone()
    return None if row is None else json.loads(row[0])


def unchecked(db: sqlite3.Connection) -> list[str]:
    """The drafts whose present text was not checked yet."""
    rows = db.execute(
        "select query_id from queries q where state = 'draft' and not exists "
        "(select 1 from draft_checks c where c.query_id = q.query_id and c.text = q.text) "
        "order by query_id"
    )
    return [row[0] for row in rows]


def covered(db: sqlite3.Connection) -> set[str]:
    """The documents that some draft or accepted query stands on, or that answer one (level 2)."""
    rows = db.execute(
        "select source_doc_id from queries where state in ('draft', 'accepted') "
        "and source_doc_id is not null union "
        "select doc_id from current_judgments join queries using (query_id) "
        "where level = 2 and state = 'accepted'"
    )
    return {row[0] for row in rows}
