"""The list of queries: filtered, counted and cut into pages by SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from labelkit.model import Query
from labelkit.store.queries import from_row

# The choices arrive as JSON lists, so that one fixed statement serves every filter.
FOUND = """
from queries q
where (:states = '[]' or q.state in (select value from json_each(:states)))
  and (:sources = '[]' or q.source in (select value from json_each(:sources)))
  and (:languages = '[]' or q.language in (select value from json_each(:languages)))
  and (:types = '[]' or (q.types = '[]' and :untyped)
       or exists (select 1 from json_each(q.types) held
                  where held.value in (select value from json_each(:types))))
  and not exists (select 1 from json_each(:words) word
                  where instr(folded(q.text), word.value) = 0
                    and folded(q.query_id) <> word.value)
"""
COUNT = "select count(*) " + FOUND
PAGE = "select q.* " + FOUND + " order by q.query_id limit :limit offset :offset"


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """Which queries to list; an empty choice means any. "" among the types means none set,
    among the languages not stated. Each of the `words` has to stand in the text, or be the id."""

    states: Sequence[str] = ()
    sources: Sequence[str] = ()
    types: Sequence[str] = ()
    languages: Sequence[str] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class QueryPage:
    """Some of the queries that a filter finds, by id, and how many there are in all."""

    queries: tuple[Query, ...]
    total: int


def find(
    db: sqlite3.Connection, wanted: QueryFilter, *, limit: int = 50, offset: int = 0
) -> QueryPage:
    """The queries that pass a filter, one page of them."""
    db.create_function("folded", 1, str.casefold, deterministic=True)
    chosen = {
        "states": json.dumps(list(wanted.states)),
        "sources": json.dumps(list(wanted.sources)),
        "languages": json.dumps(list(wanted.languages)),
        "types": json.dumps(list(wanted.types)),
        "untyped": "" in wanted.types,
        "words": json.dumps(wanted.words.casefold().split()),
        "limit": limit,
        "offset": offset,
    }
    total = db.execute(COUNT, chosen).fetchone()[0]
    rows = db.execute(PAGE, chosen)
    return QueryPage(tuple(from_row(row) for row in rows), int(total))


def languages(db: sqlite3.Connection) -> list[str]:
    """The languages that queries state, sorted; "" stands for those that state none."""
    return [row[0] for row in db.execute("select distinct language from queries order by 1")]
