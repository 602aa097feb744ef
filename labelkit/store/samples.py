"""Drawn samples of pairs for second labels, with their seed and how they were drawn."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from labelkit.store.workspace import now


def save(
    db: sqlite3.Connection,
    pair_keys: Iterable[tuple[str, str]],
    *,
    rubric_version: int,
    seed: int,
    detail: Mapping[str, Any],
    person_id: str | None,
) -> int:
    """Record a drawn sample and ask for two levels on each of its pairs; returns its number."""
    keys = list(pair_keys)
    cursor = db.execute(
        "insert into samples(rubric_version, seed, size, detail, drawn_by, drawn_at) "
        "values (?, ?, ?, ?, ?, ?)",
        (rubric_version, seed, len(keys), json.dumps(detail, sort_keys=True), person_id, now()),
    )
    sample_id = int(cursor.lastrowid or 0)
    db.executemany(
        "insert into sample_pairs(sample_id, pair_id) "
        "select ?, pair_id from pairs where query_id = ? and doc_id = ?",
        [(sample_id, query_id, doc_id) for query_id, doc_id in keys],
    )
    db.execute(
        "update pairs set quota = max(quota, 2) "
        "where pair_id in (select pair_id from sample_pairs where sample_id = ?)",
        (sample_id,),
    )
    return sample_id


def waiting(db: sqlite3.Connection) -> set[tuple[str, str]]:
    """The pairs, by name, that a second level was asked for and that have fewer than two."""
    rows = db.execute(
        "select p.query_id, p.doc_id from pairs p where p.quota > 1 and "
        "(select count(distinct c.person_id) from current_judgments c "
        " where c.pair_id = p.pair_id and c.level is not null) < 2"
    )
    return {(row[0], row[1]) for row in rows}


def size_wanted(db: sqlite3.Connection) -> int:
    """How many pairs are in any drawn sample; a second look at chosen pairs is none."""
    row = db.execute(
        "select count(distinct pair_id) from sample_pairs join samples using (sample_id) "
        "where json_extract(detail, '$.\"second look\"') is null"
    ).fetchone()
    return int(row[0])
