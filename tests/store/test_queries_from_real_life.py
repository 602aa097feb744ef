"""A workspace of an earlier version gains the new columns and tables, and what is added stays."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import small_project as small

from labelkit.model import QueryState
from labelkit.store import Workspace, intake, llm_tables, queries, schema
from labelkit.store.workspace import DATABASE


def of_before(folder: Path) -> None:
    """A database as it was before queries had types, with one query in it."""
    folder.mkdir()
    db = sqlite3.connect(folder / DATABASE)
    for tables, append_only, more in (
        (schema.TABLES, schema.APPEND_ONLY, schema.PAIRS_STAY),
        (llm_tables.TABLES, llm_tables.APPEND_ONLY, llm_tables.PAID_WORK_STAYS),
    ):
        guards = "".join(schema._guards(*one) for one in append_only.items())
        db.executescript(tables + guards + more)
    db.execute(
        "create table _sqlite_migrations(migration_set text, name text, applied_at text, "
        "primary key (migration_set, name))"
    )
    db.executemany(
        "insert into _sqlite_migrations values ('labelkit', ?, 'then')",
        [("m001_tables",), ("m002_language_models",)],
    )
    db.execute(
        "insert into queries(query_id, text, source, state, added_at) "
        "values ('q1', 'mend it', 'log', 'accepted', 'then')"
    )
    db.commit()
    db.close()


def test_an_earlier_workspace_is_brought_up_to_date_with_its_queries(tmp_path: Path) -> None:
    of_before(tmp_path / "w")
    workspace = Workspace.open(tmp_path / "w")
    [query] = queries.in_state(workspace, QueryState.ACCEPTED)
    assert (query.text, query.types, query.types_by, query.rewritten_text) == (
        "mend it",
        (),
        "",
        None,
    )
    with workspace.reading() as db:
        assert intake.draws(db) == []


@pytest.mark.parametrize(
    "statement",
    [
        "update query_origins set detail = '{}'",
        "delete from query_origins",
        "update query_draws set settings = '{}'",
        "delete from query_draws",
        "update click_signals set clicks = 99",
        "delete from click_signals",
        "insert or replace into query_origins values ('q1', 1, '{}', null, 'later')",
        "insert into click_signals values ('q1', 'd2', 1, 0, 'now')",
        "update queries set types_by = 'the wind'",
    ],
)
def test_what_came_in_is_never_changed_from_a_plain_shell(tmp_path: Path, statement: str) -> None:
    workspace = small.build(tmp_path / "w", pooled=False)
    with workspace.writing() as db:
        draw = intake.add_draw(db, "log", ("log.csv", "0" * 64), {"seed": 1}, {}, small.LEAD)
        intake.add_origin(db, "q1", draw, {"count": 3}, small.LEAD)
        intake.add_clicks(db, draw, [("q1", "d1", 2)])
    shell = sqlite3.connect(workspace.database)
    with pytest.raises(sqlite3.IntegrityError):
        shell.execute(statement)
    shell.close()
