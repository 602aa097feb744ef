"""What must never change is guarded in SQLite itself, whoever opens the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_project as small

from labelkit import judging, releases
from labelkit.store import Workspace, rubrics

GUARDED = ("judgments", "adjudications", "releases", "rubrics", "pairs", "document_revisions")
ONE_JUDGMENT = (
    "insert into judgments(pair_id, person_id, rubric_version, kind, round, level, cause, reason, "
    "created_at, supersedes) values (:pair_id, :person_id, 1, :kind, 'first', :level, :cause, "
    ":reason, '2026-01-01', :supersedes)"
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A project with a row in every guarded table."""
    workspace = small.build(tmp_path_factory.mktemp("guards") / "w")
    small.work_through(workspace, small.ANN)
    judging.adjudicate(workspace, small.LEAD, "q1", "d1", level=2, reason="It answers.")
    releases.freeze(workspace, "v1", small.LEAD)
    with workspace.writing() as db:
        db.execute(
            "insert into document_revisions values ('d1', 1, 'old', 'old', '{}', 'x', '2026-01-01')"
        )
    return workspace


@pytest.fixture
def shell(filled: Workspace) -> Iterator[sqlite3.Connection]:
    """What the sqlite3 shell opens: no pragma of ours, foreign keys off."""
    connection = sqlite3.connect(filled.database, isolation_level=None)
    connection.execute("begin immediate")
    yield connection
    connection.execute("rollback")
    connection.close()


def refuse(shell: sqlite3.Connection, statement: str, values: object = ()) -> str:
    """The message with which a statement is refused."""
    with pytest.raises(sqlite3.IntegrityError) as caught:
        shell.execute(statement, values)
    return str(caught.value)


def columns(shell: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in shell.execute(f"pragma table_info({table})")]


@pytest.mark.parametrize("table", GUARDED)
def test_a_guarded_row_cannot_be_deleted(shell: sqlite3.Connection, table: str) -> None:
    assert "never deleted" in refuse(shell, f"delete from {table}")


@pytest.mark.parametrize("table", GUARDED)
def test_no_identifying_column_of_a_guarded_row_can_be_updated(
    shell: sqlite3.Connection, table: str
) -> None:
    changeable = {"quota", "origin", "added_at"} if table == "pairs" else set()
    for column in columns(shell, table):
        if column not in changeable:
            assert table in refuse(shell, f"update {table} set {column} = {column}")


@pytest.mark.parametrize("table", GUARDED)
def test_insert_or_replace_cannot_take_a_guarded_rows_place(
    shell: sqlite3.Connection, table: str
) -> None:
    assert "never replaced" in refuse(
        shell, f"insert or replace into {table} select * from {table} limit 1"
    )


@pytest.mark.parametrize("table", ["judgments", "adjudications", "rubrics", "pairs"])
def test_a_row_cannot_be_replaced_through_its_rowid(shell: sqlite3.Connection, table: str) -> None:
    names = ", ".join(columns(shell, table)[1:])
    assert "never replaced" in refuse(
        shell,
        f"insert or replace into {table}(rowid, {names}) select rowid, {names} from {table}",
    )


def test_replacing_a_judgment_by_the_unique_key_alone_is_refused(shell: sqlite3.Connection) -> None:
    pair_id = shell.execute("select pair_id from judgments").fetchone()[0]
    values = row(pair_id=pair_id, person_id=small.ANN, level=0)
    statement = ONE_JUDGMENT.replace("insert", "insert or replace", 1)
    assert "never replaced" in refuse(shell, statement, values)


def row(**changes: object) -> dict[str, object]:
    """A judgment that would be accepted, but for the changes."""
    return {
        "pair_id": 1,
        "person_id": small.BO,
        "kind": "judgment",
        "level": 1,
        "cause": None,
        "reason": "It helps.",
        "supersedes": None,
    } | changes


def test_a_sound_judgment_with_any_of_the_three_levels_is_accepted(
    shell: sqlite3.Connection,
) -> None:
    for pair_id, level in enumerate((0, 1, 2), 1):
        shell.execute(ONE_JUDGMENT, row(pair_id=pair_id, level=level))
    found = shell.execute("select level from current_judgments where person_id = ?", [small.BO])
    assert [held[0] for held in found] == [0, 1, 2]


def test_a_judgment_with_a_cause_and_no_level_is_accepted(shell: sqlite3.Connection) -> None:
    shell.execute(ONE_JUDGMENT, row(level=None, cause="needs_expert"))


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("level 3", {"level": 3}),
        ("level -1", {"level": -1}),
        ("the text '1'", {"level": "1"}),
        ("the real number 1.0", {"level": 1.0}),
        ("a level as bytes", {"level": b"1"}),
        ("neither level nor cause", {"level": None}),
        ("both level and cause", {"cause": "needs_expert"}),
        ("a cause of its own making", {"level": None, "cause": "tired"}),
        ("an empty reason", {"reason": "  "}),
        ("a correction of nothing", {"kind": "correction"}),
        ("a withdrawal with a level", {"kind": "withdrawal", "supersedes": 1}),
    ],
)
def test_a_judgment_that_the_model_forbids_is_refused(
    shell: sqlite3.Connection, what: str, changes: dict[str, object]
) -> None:
    assert refuse(shell, ONE_JUDGMENT, row(**changes)), what


def test_one_judgment_cannot_be_superseded_twice(shell: sqlite3.Connection) -> None:
    shell.execute(ONE_JUDGMENT, row(kind="correction", supersedes=1))
    assert refuse(shell, ONE_JUDGMENT, row(kind="correction", supersedes=1, level=2))


@pytest.mark.parametrize("level", [3, "1", 1.0, None])
def test_an_adjudication_has_one_of_the_three_levels(
    shell: sqlite3.Connection, level: object
) -> None:
    statement = (
        "insert into adjudications(pair_id, person_id, level, reason, created_at) "
        "values (1, ?, ?, 'x', '2026-01-01')"
    )
    assert refuse(shell, statement, (small.LEAD, level))


def test_the_same_rubric_text_is_kept_and_another_makes_a_new_version(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with workspace.writing() as db:
        first = rubrics.current(db)
        assert rubrics.save(db, first, None) == 1
        changed = rubrics.parse_rubric({**first.body(), "title": "Another"}, 1)
        assert rubrics.save(db, changed, None) == 2
        assert rubrics.current(db).title == "Another"
