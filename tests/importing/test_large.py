"""Documents of any number: staged, merged unseen, taken back or finished, never half."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import small_project as small
from sqlite_utils import Database, Migrations

from labelkit import importing, jobs, judging
from labelkit.errors import Conflict, InputError
from labelkit.importing import job, large, merging
from labelkit.store import Workspace, documents, imports, intake_tables, llm_tables, schema

MANY = 6_000


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries and three documents."""
    return small.build(tmp_path / "w", pooled=False)


def corpus(path: Path, size: int = MANY, text: str = "about thing", first: int = 0) -> Path:
    """A file of documents."""
    rows = ({"_id": f"x{n}", "text": f"{text} {n}"} for n in range(first, first + size))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def state(workspace: Workspace) -> list[str]:
    """The whole database, and what lies beside it for imports."""
    left = sorted(p.name for p in (workspace.path / "imports").glob("*") if p.name != ".lock")
    with workspace.reading() as db:
        return [*db.iterdump(), *left]


def count(workspace: Workspace) -> int:
    with workspace.reading() as db:
        return documents.count(db)


def test_it_brings_the_same_as_an_import_in_one_transaction(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = corpus(tmp_path / "c.jsonl")
    other = small.build(tmp_path / "other", pooled=False)
    importing.import_file(other, "documents", path)
    report = large.import_documents(workspace, [path], by="Lee")
    assert (report.added, report.changed, report.unchanged) == (MANY, 0, 0)
    assert documents.all(workspace) == documents.all(other)
    [record], [small_record] = imports.all(workspace), imports.all(other)
    assert (record.file_sha256, record.headers) == (small_record.file_sha256, small_record.headers)
    assert (record.state, record.imported_by, record.counts["added"]) == ("done", "Lee", MANY)


def test_the_same_file_again_changes_nothing(workspace: Workspace, tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl")
    large.import_documents(workspace, [path])
    before = state(workspace)
    report = large.import_documents(workspace, [path])
    assert "nothing changed; all 6,000 documents are here" in report.sentence
    assert state(workspace) == before


def stop_at(word: str) -> Callable[[int, int, str], None]:
    """Progress that is interrupted, as by Ctrl-C, in the second step of a phase."""

    def progress(done: int, total: int, message: str) -> None:
        if message.startswith(word) and done:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("phase", ["reading", "comparing", "writing", "written"])
def test_a_stop_leaves_nothing_behind(workspace: Workspace, tmp_path: Path, phase: str) -> None:
    before = state(workspace)
    with pytest.raises(KeyboardInterrupt):
        large.import_documents(workspace, [corpus(tmp_path / "c.jsonl")], progress=stop_at(phase))
    assert state(workspace) == before


def test_nothing_is_seen_before_the_end(workspace: Workspace, tmp_path: Path) -> None:
    seen = []

    def progress(done: int, total: int, message: str) -> None:
        seen.append((message.split(";")[0], count(workspace)))

    large.import_documents(workspace, [corpus(tmp_path / "c.jsonl")], progress=progress)
    assert {number for _, number in seen} == {3}
    assert ("writing", 3) in seen
    assert count(workspace) == 3 + MANY


def test_problems_are_all_given_and_nothing_is_written(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = corpus(tmp_path / "c.jsonl", 10)
    lines = path.read_text().splitlines()
    lines += ['{"_id": "x 1", "text": "a"}', "{broken", lines[0], '{"_id": "x2", "text": "other"}']
    path.write_text("\n".join(lines))
    before, given = state(workspace), []
    with pytest.raises(InputError, match=r"c.jsonl: nothing was imported. line 11, column '_id'"):
        large.import_documents(
            workspace, [path], on_problems=lambda problems, unit: given.extend(problems)
        )
    assert [problem.line for problem in given] == [11, 12, 14]
    assert "x2 stands on line 3 too, with other content" in given[2].message
    assert state(workspace) == before


def test_folded_rows_empty_documents_and_ids_alike_are_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = tmp_path / "c.jsonl"
    rows = [("d01", "a"), ("d01", "a"), ("D1", "b"), ("e", "")]
    path.write_text("".join(json.dumps({"_id": i, "text": t}) + "\n" for i, t in rows))
    report = large.import_documents(workspace, [path])
    assert (report.added, report.folded) == (3, 1)
    assert "('D1' and 'd01')" in report.sentence
    assert "1 document has neither title nor text (such as 'e')" in report.sentence


@pytest.mark.parametrize("size", [10, merging.MOST_REVISED_AT_ONCE + 1])
def test_changed_documents_are_revised_and_the_judgments_on_them_named(
    workspace: Workspace, tmp_path: Path, size: int
) -> None:
    large.import_documents(workspace, [corpus(tmp_path / "c.jsonl", size)])
    small.pool(workspace, [("q1", "x1")])
    small.work_through(workspace, small.ANN)
    path = corpus(tmp_path / "new.jsonl", size + 1, "now about")
    report = large.import_documents(workspace, [path])
    assert (report.added, report.changed, report.judgments_touched) == (1, size, 1)
    assert "1 judgment stands on the old text (q1 with x1)" in report.sentence
    with workspace.reading() as db:
        assert db.execute("select count(*) from document_revisions").fetchone()[0] == size
        assert documents.get(db, "x1").text == "now about 1"  # type: ignore[union-attr]
    assert [record.state for record in imports.all(workspace)] == ["done", "done"]


def test_a_revision_that_was_cut_off_is_finished_by_the_next_import(
    workspace: Workspace, tmp_path: Path
) -> None:
    size = merging.MOST_REVISED_AT_ONCE + 1
    large.import_documents(workspace, [corpus(tmp_path / "c.jsonl", size)])
    path = corpus(tmp_path / "new.jsonl", size, "now about")
    kill_when(workspace, path, "revising")
    importing_now = [record.state for record in imports.all(workspace)]
    assert importing_now == ["revising", "done"]
    merging.sweep(workspace)
    assert {d.text.split()[0] for d in documents.all(workspace) if d.doc_id[0] == "x"} == {"now"}
    assert [record.state for record in imports.all(workspace)] == ["done", "done"]


KILLED = """
import os, signal, sys
from labelkit.importing import large
from labelkit.store import Workspace

def progress(done, total, message):
    if message.startswith(sys.argv[3]) and done:
        os.kill(os.getpid(), signal.SIGKILL)

large.import_documents(Workspace.open(sys.argv[1]), [sys.argv[2]], progress=progress)
"""


def kill_when(workspace: Workspace, path: Path, phase: str) -> None:
    """An import whose process is killed in the middle of a phase."""
    command = [sys.executable, "-c", KILLED, str(workspace.path), str(path), phase]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL


@pytest.mark.parametrize("phase", ["reading", "writing"])
def test_what_a_killed_import_leaves_is_unseen_and_swept_by_the_next(
    workspace: Workspace, tmp_path: Path, phase: str
) -> None:
    path = corpus(tmp_path / "c.jsonl")
    before = documents.all(workspace)
    kill_when(workspace, path, phase)
    assert documents.all(workspace) == before
    merging.sweep(workspace)
    assert not list((workspace.path / "imports").glob("*.stage*"))
    report = large.import_documents(workspace, [path])
    assert report.added == MANY
    assert [record.state for record in imports.all(workspace)] == ["done"]
    assert not list((workspace.path / "imports").glob("*.stage"))


def test_only_one_runs_at_a_time_and_its_ids_are_taken(
    workspace: Workspace, tmp_path: Path
) -> None:
    path, refused = corpus(tmp_path / "c.jsonl"), []

    def progress(done: int, total: int, message: str) -> None:
        if message.startswith("writing") and done and not refused:
            for verb in (large.import_documents, _import_one):
                with pytest.raises(Conflict) as raised:
                    verb(workspace, [path])
                refused.append(str(raised.value))

    large.import_documents(workspace, [path], progress=progress)
    assert "Another large import is under way" in refused[0]
    assert "is coming in by a large import that has not ended" in refused[1]
    assert count(workspace) == 3 + MANY


def _import_one(workspace: Workspace, paths: list[Path]) -> None:
    importing.import_files(workspace, "documents", paths)


def test_a_rater_saves_meanwhile_without_a_wait(workspace: Workspace, tmp_path: Path) -> None:
    keys = [(f"q{q}", f"d{d}") for q in (1, 2) for d in (1, 2, 3)]
    small.pool(workspace, keys)
    ended, waits = threading.Event(), []

    def rate() -> None:
        while not ended.is_set() and isinstance(
            task := judging.claim(workspace, small.ANN), judging.Task
        ):
            start = time.perf_counter()
            small.say(workspace, small.ANN, task)
            waits.append(time.perf_counter() - start)
            time.sleep(0.05)

    rater = threading.Thread(target=rate)
    rater.start()
    large.import_documents(workspace, [corpus(tmp_path / "c.jsonl", 20_000)])
    ended.set()
    rater.join()
    assert len(waits) >= 2
    assert max(waits) < 1.0


class TestJob:
    """The same in a process of its own."""

    def start(self, workspace: Workspace, path: Path, report: Path | None = None) -> str:
        options = importing.ImportOptions()
        arguments = job.arguments_for(
            [str(path)], options, by="Lee", name="shown.jsonl", report=report, upload=True
        )
        return jobs.start(workspace, "import", arguments)

    def wait(
        self, workspace: Workspace, job_id: str, until: Callable[[jobs.Job], bool]
    ) -> jobs.Job:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = jobs.get(workspace, job_id)
            assert found is not None
            if until(found):
                return found
            time.sleep(0.02)
        raise AssertionError("the job did not get there")

    def test_imports_and_removes_the_upload(self, workspace: Workspace, tmp_path: Path) -> None:
        path = corpus(tmp_path / "upload.jsonl")
        done = self.wait(workspace, self.start(workspace, path), lambda job: job.ended)
        assert (done.state, done.message) == ("completed", "shown.jsonl: 6,000 documents added.")
        assert not path.exists()
        assert imports.all(workspace)[0].file == "shown.jsonl"

    def test_keeps_every_problem_as_a_table(self, workspace: Workspace, tmp_path: Path) -> None:
        path, report = tmp_path / "upload.jsonl", tmp_path / "problems.csv"
        path.write_text('{"_id": "a", "text": "x"}\n{"_id": "=b c", "text": "x"}\n')
        done = self.wait(workspace, self.start(workspace, path, report), lambda job: job.ended)
        assert done.state == "failed"
        assert "shown.jsonl: nothing was imported. line 2" in (done.error or "")
        assert report.read_text("utf-8-sig").startswith("line,column,problem\n2,_id,")

    def test_that_is_cancelled_leaves_nothing(self, workspace: Workspace, tmp_path: Path) -> None:
        path = corpus(tmp_path / "upload.jsonl", 60_000)
        before = documents.all(workspace)
        job_id = self.start(workspace, path)
        running = self.wait(workspace, job_id, lambda job: job.message.startswith("writing"))
        jobs.cancel(workspace, job_id)
        self.gone(running.pid)
        assert documents.all(workspace) == before
        assert imports.all(workspace) == []
        assert not path.exists()
        assert not list((workspace.path / "imports").glob("*.stage"))
        with workspace.reading() as db:
            assert db.execute("select count(*) from document_rows").fetchone()[0] == 3

    def gone(self, pid: int | None) -> None:
        """Wait until the process has ended."""
        deadline = time.monotonic() + 30
        while pid is not None and Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            with_state = Path(f"/proc/{pid}/stat").read_text().split()[2]
            if with_state == "Z":
                return
            time.sleep(0.02)


def test_an_older_workspace_keeps_its_documents_and_their_pairs(tmp_path: Path) -> None:
    """The table of documents gets another name below; what points to it still does."""
    old = Workspace(tmp_path / "old")
    old.path.mkdir()
    steps = Migrations("labelkit")
    scripts = {
        "m001_tables": schema.TABLES,
        "m002_language_models": llm_tables.TABLES,
        "m003_queries_from_real_life": intake_tables.TABLES,
    }
    with sqlite3.connect(old.database) as db:
        for name, script in scripts.items():
            db.executescript(script)
            steps(name=name)(lambda db: None)
        steps.apply(Database(db))
        db.execute("insert into documents values ('d1', 'T', 'x', '{}', 'h', 1, '2026')")
        db.execute(
            "insert into queries(query_id, text, source, state, added_at) "
            "values ('q1', 'a', 'log', 'accepted', '2026')"
        )
        db.execute("insert into pairs values (1, 'q1', 'd1', 1, 'pool', '2026')")
    workspace = Workspace.open(old.path)
    assert [document.doc_id for document in documents.all(workspace)] == ["d1"]
    with workspace.reading() as live:
        assert live.execute("pragma foreign_key_check").fetchall() == []
    small.pool(workspace, [("q1", "d1")])
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        small.pool(workspace, [("q1", "not here")])
