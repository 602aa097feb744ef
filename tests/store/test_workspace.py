"""The workspace's file: one writer at a time, all or nothing, and what was saved stays."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import small_project as small

from labelkit.errors import InputError, NotReady
from labelkit.store import Workspace, health, judgments, meta, people, repeats

TESTS = Path(__file__).resolve().parents[1]

KEEPS_JUDGING = """
import sys
sys.path.insert(0, {tests!r})
import small_project as small
from labelkit.store import Workspace
workspace = Workspace.open({path!r})
print("ready", flush=True)
while True:
    task = small.claim(workspace, small.ANN)
    print(small.say(workspace, small.ANN, task, task.pair_id % 3).judgment_id, flush=True)
"""

JUDGES_ALL = """
import sys
sys.path.insert(0, {tests!r})
import small_project as small
from labelkit.store import Workspace
print(len(small.work_through(Workspace.open({path!r}), {person!r})))
"""


def child(script: str, **values: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script.format(tests=str(TESTS), **values)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_writing_inside_writing_says_to_pass_the_connection_on(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w")
    with workspace.writing(), pytest.raises(RuntimeError, match="pass the open connection"):
        meta.put(workspace, "name", "inside")
    meta.put(workspace, "name", "after")
    assert workspace.name == "after"


def test_a_block_that_fails_writes_nothing(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")

    def save_two() -> None:
        with workspace.writing() as db:
            people.save(db, "Nobody", ["rater"])
            people.save(db, "Somebody", ["a role that there is not"])

    with pytest.raises(InputError):
        save_two()
    assert people.get(workspace, "nobody") is None


def test_a_reading_connection_cannot_write(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w")
    with workspace.reading() as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("insert into meta values ('a', 'b')")


def test_a_reader_sees_one_state_while_others_write(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with workspace.reading() as db:
        before = len(judgments.history(db))
        writer = threading.Thread(target=small.work_through, args=(workspace, small.ANN))
        writer.start()
        writer.join()
        assert len(judgments.history(db)) == before == 0
    with workspace.reading() as db:
        assert len(judgments.history(db)) == 6


def test_a_folder_with_other_files_is_not_taken_for_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"not empty \(thesis.txt"):
        Workspace.create(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_opening_no_workspace_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(NotReady, match="labelkit init"):
        Workspace.open(tmp_path / "none")


def test_a_database_that_is_none_is_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "labelkit.db").write_bytes(b"not a database at all, " * 200)
    with pytest.raises(InputError, match="damaged"):
        Workspace.open(tmp_path)


def test_another_programs_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "labelkit.db") as other:
        other.execute("create table documents(theirs)")
    with pytest.raises(InputError, match="documents already exists"):
        Workspace.open(tmp_path)
    with sqlite3.connect(tmp_path / "labelkit.db") as other:
        assert other.execute("select name from sqlite_master").fetchall() == [("documents",)]


def test_creating_a_workspace_that_exists_keeps_its_name_and_rows(tmp_path: Path) -> None:
    small.build(tmp_path / "w")
    again = Workspace.create(tmp_path / "w")
    assert again.name == "Small"
    assert len(people.all(again)) == 4


def test_two_processes_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=3, document_count=6, quota=2)
    other = child(JUDGES_ALL, path=str(workspace.path), person=small.BO)
    mine = small.work_through(workspace, small.ANN)
    output, _ = other.communicate(timeout=60)
    assert int(output) == len(mine) == 18
    with workspace.reading() as db:
        assert judgments.count_of(db, small.ANN) == judgments.count_of(db, small.BO) == 18
    assert health.problems(workspace) == []


@pytest.mark.parametrize("seed", range(3))
def test_every_acknowledged_judgment_survives_kill_9(tmp_path: Path, seed: int) -> None:
    # more pairs than can be judged before the kill, on a quick machine too
    workspace = small.build(tmp_path / "w", query_count=60, document_count=60)
    process = child(KEEPS_JUDGING, path=str(workspace.path))
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(random.Random(seed).uniform(0.05, 0.6))
    process.send_signal(signal.SIGKILL)
    acknowledged = [int(line) for line in process.stdout.read().split("\n") if line]
    process.wait()
    with workspace.reading() as db:
        held = [judgment.judgment_id for judgment in judgments.history(db)]
        held += [answer.judgment_id for answer in repeats.recent_of(db, small.ANN, -1)]
    assert set(acknowledged) <= set(held)
    assert len(held) <= len(acknowledged) + 1
    assert health.problems(workspace) == []
    small.say(workspace, small.BO, small.claim(workspace, small.BO))


def test_a_person_is_told_apart_by_more_than_case_and_accents_typed_in_two_ways(
    tmp_path: Path,
) -> None:
    workspace = Workspace.create(tmp_path / "w")
    people.add(workspace, "Jos\u00e9", ["rater"])
    for name in ("JOS\u00c9", "jose\u0301", "Jos\u00e9."):
        with pytest.raises(InputError, match="reads like"):
            people.add(workspace, name, ["rater"])
    people.add(workspace, "Jose", ["rater"])


@pytest.mark.parametrize("name", ["", "  ", "!!!", "…"])
def test_a_name_without_a_letter_or_digit_is_refused(tmp_path: Path, name: str) -> None:
    workspace = Workspace.create(tmp_path / "w")
    with pytest.raises(InputError, match="at least one letter or digit"):
        people.add(workspace, name, ["rater"])


def test_the_last_lead_cannot_be_taken_away_and_a_strangers_roles_cannot_be_set(
    tmp_path: Path,
) -> None:
    workspace = small.build(tmp_path / "w")
    with pytest.raises(InputError, match="at least one lead"):
        people.set_roles(workspace, small.LEAD, ["rater"])
    with pytest.raises(InputError, match="Nobody has the id"):
        people.set_roles(workspace, "nobody", ["rater"])
    assert "lead" in people.require(workspace, small.LEAD, *people.Role).roles


def test_people_are_listed_as_a_reader_counts(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w", "Names")
    for name in ("Rater 10", "Rater 2", "Ann", "7 of 9", "Rater"):
        people.add(workspace, name, ["rater"])
    assert [person.name for person in people.all(workspace)] == [
        "7 of 9", "Ann", "Rater", "Rater 2", "Rater 10",
    ]  # fmt: skip
