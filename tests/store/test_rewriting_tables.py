"""The tables that name the kinds of a model's work are made anew, and keep what they hold."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import small_project as small

from labelkit.store import Workspace, llm
from labelkit.store.rewriting_tables import REBUILT
from labelkit.store.schema import _statements


def a_run(workspace: Workspace, purpose: str) -> str:
    """A run with one item and one open request."""
    with workspace.writing() as db:
        llm.save_prompt(db, f"sha-{purpose}", purpose, {"system": "é"}, small.LEAD)
        run_id = llm.add_run(
            db, purpose=purpose, base_url="http://127.0.0.1/v1", model="m",
            prompt_sha256=f"sha-{purpose}", decoding={}, limits={}, plan={},
            person_id=small.LEAD, items=[({"a": 1}, "key")],
        )  # fmt: skip
        llm.open_request(db, llm.items(db, run_id)[0], 1, 1)
    return run_id


def test_rows_outlive_the_new_tables_and_still_point_at_each_other(tmp_path: Path) -> None:
    """The same statements over tables with rows: nothing is lost, nothing points nowhere."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    runs = [a_run(workspace, purpose) for purpose in ("draft", "judge", "rewrite")]
    with workspace.writing() as db:
        for statement in _statements(REBUILT):
            db.execute(statement)
    with workspace.reading() as db:
        assert db.execute("pragma foreign_key_check").fetchall() == []
        assert [llm.items(db, run_id)[0].item for run_id in runs] == [{"a": 1}] * 3
        assert llm.prompt(db, "sha-draft") == {"system": "é"}
        assert db.execute("select count(*) from llm_requests").fetchone()[0] == 3


@pytest.mark.parametrize(
    "statement",
    [
        "delete from llm_prompts",
        "update llm_prompts set body = ''",
        "insert or replace into llm_prompts select * from llm_prompts",
        "delete from llm_runs",
        "update llm_runs set model = 'other'",
        "insert or replace into llm_runs select * from llm_runs",
        "update llm_runs set purpose = 'other'",
    ],
)
def test_what_was_guarded_is_guarded_still(tmp_path: Path, statement: str) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    a_run(workspace, "rewrite")
    with pytest.raises(sqlite3.IntegrityError), workspace.writing() as db:
        db.execute(statement)
