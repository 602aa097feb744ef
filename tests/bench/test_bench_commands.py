"""bench and compare on the command line: exit codes, one clear line, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_release import small_release

from labelkit.bench import job, load_run
from labelkit.cli import main
from labelkit.releases import Release
from labelkit.store import Workspace
from labelkit.store import releases as records

TWO = '[[candidate]]\nname = "bm25"\n[[candidate]]\nname = "wordllama"\n'


@pytest.fixture
def candidates(tmp_path: Path) -> str:
    """A file of two candidates."""
    path = tmp_path / "two.toml"
    path.write_text(TWO, encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    code = 0
    try:
        main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_bench_and_compare_need_no_workspace(
    release: Release, candidates: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release folder, a candidate file, a folder for the run."""
    out, nowhere = str(tmp_path / "run"), str(tmp_path / "none")
    asked = ("bench", "--release", str(release.folder), "--candidates", candidates,
             "--out", out, "--workspace", nowhere)  # fmt: skip
    code, text, _ = run(capsys, *asked)
    assert code == 0
    assert "Decision: " in text
    assert load_run(out).completed == ["bm25", "wordllama"]
    code, text, _ = run(capsys, *asked, "--json")
    assert (code, json.loads(text)["state"]) == (0, "completed")
    code, text, _ = run(capsys, "compare", out, "wordllama", "bm25", "--workspace", nowhere)
    assert code == 0
    assert "wordllama against bm25" in text
    code, text, _ = run(
        capsys, "compare", out, "bm25", "wordllama", "--workspace", nowhere, "--json"
    )
    figures = json.loads(text)
    assert sum(figures["counts"].values()) == len(figures["queries"]) == 6
    assert figures["queries"][0]["rankings"]["bm25"][0].keys() >= {"doc_id", "level", "hole"}


def test_what_is_wrong_is_one_line_and_exit_code_1(
    release: Release, candidates: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback for a missing release, a wrong file, a folder that holds no run."""
    nowhere = ("--workspace", str(tmp_path / "none"))
    out = ("--out", str(tmp_path / "run"))
    folder = str(release.folder)
    bad = tmp_path / "bad.toml"
    bad.write_text("[[candidate]]\nname = 'x'\n", encoding="utf-8")
    for arguments in (
        ("bench", "--release", "v9", "--candidates", candidates, *out, *nowhere),
        ("bench", "--release", folder, "--candidates", str(bad), *out, *nowhere),
        ("bench", "--release", folder, "--primary", "magic@3", *out, *nowhere),
        ("compare", str(tmp_path), "a", "b", *nowhere),
    ):
        code, text, errors = run(capsys, *arguments)
        assert (code, text) == (1, "")
        assert errors.startswith("labelkit: ")
        assert errors.count("\n") == 1


def test_without_workspace_and_out_the_usage_is_wrong(
    release: Release, candidates: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, with the option that is missing."""
    code, _, errors = run(
        capsys, "bench", "--release", str(release.folder), "--candidates", candidates,
        "--workspace", str(tmp_path / "none"),
    )  # fmt: skip
    assert code == 2
    assert "--out" in errors


def test_the_job_runs_in_the_workspace(tmp_path: Path) -> None:
    """What the page starts: a tag and candidates as values, the run under the workspace's runs."""
    workspace = Workspace.create(tmp_path / "workspace", "test")
    workspace.releases.mkdir(exist_ok=True)
    release = small_release(workspace.releases / "v1")
    with workspace.writing() as db:
        records.insert(
            db,
            records.ReleaseRow(
                "v1", release.content_sha256, release.manifest, None, "2026-01-01T00:00:00"
            ),
        )
    bm25 = {"name": "bm25", "kind": "bm25"}
    job.run(workspace, {"release": "v1", "candidates": [bm25]}, lambda *step: None)
    (folder,) = workspace.runs.iterdir()
    assert load_run(folder).completed == ["bm25"]
    assert folder.name.startswith("v1-")


def test_a_run_in_which_no_candidate_finished_ends_with_exit_code_one(
    release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipeline must not take it for a result."""
    (tmp_path / "none.toml").write_text(
        '[[candidate]]\nname = "gone"\nkind = "function"\nfunction = "nowhere:embed"\n'
    )
    asked = ("bench", "--release", str(release.folder), "--candidates",
             str(tmp_path / "none.toml"), "--out", str(tmp_path / "run"))  # fmt: skip
    code, text, _ = run(capsys, *asked)
    assert code == 1
    assert "no candidate finished" in text
