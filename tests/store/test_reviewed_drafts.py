"""Decisions about drafts: those of an earlier version are taken over, none is ever changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import small_project as small

from labelkit import drafting
from labelkit.model import Query, QuerySource, QueryState
from labelkit.store import Workspace, queries, reviews, schema
from labelkit.store.review_tables import APPEND_ONLY


def drafted(path: Path) -> Workspace:
    """Three drafts: one accepted with an edit, one rejected, one waiting."""
    workspace = small.build(path, pooled=False)
    with workspace.writing() as db:
        queries.save(
            db,
            [
                Query(f"s{n}", f"mend thing {n}", QuerySource.SYNTHETIC, QueryState.DRAFT)
                for n in range(3)
            ],
        )
    drafting.accept(workspace, small.ANN, "s0", text="how is it mended")
    drafting.reject(workspace, small.BO, "s1", cause="duplicate")
    return workspace


def test_what_an_earlier_version_decided_is_taken_over(tmp_path: Path) -> None:
    """From the queries' events, with who and whether it was edited; undo knows it as well."""

    workspace = drafted(tmp_path / "w")
    with workspace.writing() as db:
        db.execute("drop view current_reviews")
        for table in reversed(APPEND_ONLY):
            db.execute(f"drop table {table}")
        db.execute("delete from _sqlite_migrations where name = 'm010_reviewed_drafts'")
    schema.migrate(workspace)  # open does so once a process
    counts = drafting.reviewed(workspace)
    assert (counts.waiting, counts.accepted, counts.edited, counts.rejected) == (1, 1, 1, 1)
    with workspace.reading() as db:
        last = reviews.last_of(db, small.ANN)
    assert last is not None
    assert (last.query_id, last.text, last.edited) == ("s0", "how is it mended", True)


@pytest.mark.parametrize(
    "statement",
    [
        "update review_decisions set decision = 'rejected'",
        "delete from review_decisions",
        "insert or replace into review_decisions(decision_id, query_id, decision, text, edited, "
        "at) values (1, 's0', 'rejected', 'x', 0, 'now')",
        "update spot_checks set seed = 1",
        "delete from spot_check_drafts",
        "update spot_check_drafts set drawn = 1",
        "delete from spot_check_choices",
        "insert into review_decisions(query_id, decision, text, edited, at) "
        "values ('s0', 'forgotten', 'x', 0, 'now')",
    ],
)
def test_a_decision_is_never_changed_from_a_plain_shell(tmp_path: Path, statement: str) -> None:
    workspace = drafted(tmp_path / "w")
    drafting.draw(workspace, small.LEAD, 10, seed=1)
    with workspace.writing() as db:
        queries.save(db, [Query("s9", "nine", QuerySource.SYNTHETIC, QueryState.DRAFT)])
        reviews.add_choice(db, 1, "held", drafts=0, rate={}, note="n", person_id=small.LEAD)
    with pytest.raises(sqlite3.IntegrityError), workspace.writing() as db:
        db.execute(statement)
