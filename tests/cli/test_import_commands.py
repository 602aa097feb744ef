"""labelkit import: what is said on the command line, and what is shown before it is done."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner, Result

from labelkit import jobs
from labelkit.cli.importing import OF_KIND, import_
from labelkit.errors import InputError
from labelkit.importing import runs
from labelkit.store import Workspace, documents, imports, judgments


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries and three documents."""
    return small.build(tmp_path / "w", pooled=False)


def run(workspace: Workspace, *arguments: str | Path) -> Result:
    """One import command; a refusal is raised."""
    said = [*map(str, arguments), "--workspace", str(workspace.path)]
    return CliRunner().invoke(import_, said, catch_exceptions=False)


def put(path: Path, content: str | bytes) -> Path:
    """A file of this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_every_kind_has_its_verb() -> None:
    assert set(import_.commands) == {*OF_KIND, "events", "beir"}
    assert set(OF_KIND) == {"documents", "queries", "judgments", "runs"}


def test_how_a_file_is_read_is_said_before_it_is_done(workspace: Workspace, tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "sku;text;id\nx1;one;7\n")
    done = run(workspace, "documents", path, "--column", "doc_id=sku", "--person", "Lee")
    assert "delimiter semicolon" in done.stderr
    assert "doc_id from 'sku'" in done.stderr
    assert "a.csv: 1 document added." in done.stdout
    [record] = imports.all(workspace)
    assert (record.imported_by, record.headers["doc_id"]) == ("Lee", "sku")
    assert record.options["read as"]["delimiter"] == "semicolon"


def test_everything_detected_can_be_overridden(workspace: Workspace, tmp_path: Path) -> None:
    path = put(tmp_path / "a.dat", "by hand\nid|text\nx1|'über|all'\n".encode("cp1252"))
    options = ["--format", "delimited", "--encoding", "cp1252", "--delimiter", "bar"]
    run(workspace, "documents", path, *options, "--quote", "'", "--header-row", "2")
    with workspace.reading() as db:
        assert documents.get(db, "x1").text == "über|all"  # type: ignore[union-attr]


def test_a_preview_writes_nothing_and_lists_every_problem(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = put(tmp_path / "a.csv", "doc_id,text\nx1,one\nx 2,two\nx1,other\n")
    report = tmp_path / "problems.csv"
    done = run(workspace, "documents", path, "--preview", "--report", report)
    assert done.exit_code == 1
    assert "a.csv: 3 rows, 2 problems" in done.stdout
    assert "line 3: doc_id 'x 2' is no id" in done.stdout
    assert report.read_text("utf-8-sig").splitlines()[0] == "line,column,problem"
    assert len(report.read_text("utf-8-sig").splitlines()) == 3
    found = json.loads(run(workspace, "documents", path, "--preview", "--json").stdout)
    assert found[0]["headers"] == {"doc_id": "doc_id", "text": "text"}
    assert [problem[0] for problem in found[0]["problems"]] == [3, 4]
    assert len(documents.all(workspace)) == 3


def test_grades_are_shown_and_mapped(workspace: Workspace, tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "query_id,doc_id,esci\nq1,d1,E\nq1,d2,S\nq2,d1,I\n")
    with pytest.raises(InputError, match=r"--levels esci"):
        run(workspace, "judgments", path, "--column", "level=esci")
    done = run(workspace, "judgments", path, "--column", "level=esci", "--levels", "esci")
    assert "E               1  2" in done.stderr
    with workspace.reading() as db:
        assert [judgment.level for judgment in judgments.current(db)] == [2, 1, 0]


def test_positions_unknown_ids_and_raters_are_said(workspace: Workspace, tmp_path: Path) -> None:
    path = put(tmp_path / "a.qrels", "1 0 d1 2\n2 0 d9 1\n")
    options = ["--query-ids", "by-position", "--unknown", "skip", "--rater", "TREC"]
    done = run(workspace, "judgments", path, *options)
    assert "1 judgment added, 1 row left out" in done.stdout


def test_runs_and_queries_without_ids(workspace: Workspace, tmp_path: Path) -> None:
    run(workspace, "runs", put(tmp_path / "bm25.run", "q1 Q0 d1 1 0.5 x\n"))
    assert list(runs.list_runs(workspace)) == ["bm25"]
    path = put(tmp_path / "asked.txt", "how to undo\n")
    assert "1 query added" in run(workspace, "queries", path, "--ids", "from-text").stdout


def test_a_folder_of_text_and_a_beir_folder(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    put(folder / "a.md", "# Title\n\nText.\n")
    assert "1 document added" in run(workspace, "documents", folder).stdout
    beir = tmp_path / "set"
    (beir / "qrels").mkdir(parents=True)
    put(beir / "corpus.jsonl", '{"_id": "b1", "title": "", "text": "x"}\n')
    put(beir / "queries.jsonl", '{"_id": "bq", "text": "x?"}\n')
    put(beir / "qrels" / "dev.tsv", "query-id\tcorpus-id\tscore\nbq\tb1\t2\n")
    with pytest.raises(InputError, match="use 'labelkit import beir'"):
        run(workspace, "documents", beir)
    done = run(workspace, "beir", beir)
    assert done.stdout.count("added") == 3


@pytest.mark.parametrize(
    "options",
    [["--column", "doc_id"], ["--levels", "1=9"], ["--header-row", "-1"], ["--ids", "made"]],
)
def test_nonsense_is_refused_in_words(
    workspace: Workspace, tmp_path: Path, options: list[str]
) -> None:
    path = put(tmp_path / "a.csv", "query_id,doc_id,level\nq1,d1,1\n")
    said = [*options, "--workspace", str(workspace.path)]
    done = CliRunner().invoke(import_, ["judgments", str(path), *said])
    assert done.exit_code != 0
    assert isinstance(done.exception, SystemExit | InputError)


def big(path: Path, rows: int) -> Path:
    """Documents that are staged: more than 20 MB."""
    text = "word " * (23_000_000 // rows // 5)
    return put(path, "".join(f'{{"_id": "x{n}", "text": "{text}"}}\n' for n in range(rows)))


def test_a_large_file_comes_in_by_itself_in_the_background(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = big(tmp_path / "big.jsonl", 2_000)
    done = run(workspace, "documents", path, "--background")
    assert "goes on by itself" in done.stdout
    until = time.monotonic() + 60
    while (job := jobs.list_jobs(workspace, "import")[0]) and not job.ended:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert (job.state, job.message) == ("completed", "big.jsonl: 2,000 documents added.")
    assert path.exists()


def test_a_large_file_that_is_stopped_leaves_nothing(workspace: Workspace, tmp_path: Path) -> None:
    path = big(tmp_path / "big.jsonl", 60_000)
    command = [sys.executable, "-m", "labelkit.cli", "import", "documents", str(path)]
    process = subprocess.Popen(
        [*command, "--workspace", str(workspace.path)], stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not _rows_below(workspace) and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said.strip().splitlines()[-1]) == (1, "Stopped.")
    assert len(documents.all(workspace)) == 3
    assert _rows_below(workspace) == 0
    assert imports.all(workspace) == []
    assert [p.name for p in (workspace.path / "imports").iterdir()] == [".lock"]


def _rows_below(workspace: Workspace) -> int:
    """How many documents lie in the database that nobody sees yet."""
    with workspace.reading() as db:
        found = db.execute("select count(*) from document_rows where import_id is not null")
        return int(found.fetchone()[0])
