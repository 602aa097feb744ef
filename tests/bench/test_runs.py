"""The runs of a workspace, newest first."""

import json
from pathlib import Path

import pytest

from labelkit.bench.runs import find_run, list_runs
from labelkit.errors import NotReady


def make(folder: Path, name: str, created_at: str) -> None:
    """A folder that looks like a run."""
    (folder / name).mkdir(parents=True)
    (folder / name / "manifest.json").write_text(json.dumps({"created_at": created_at}))
    (folder / name / "summary.json").write_text(json.dumps({"state": "running", "candidates": []}))


def test_newest_run_comes_first_whatever_its_name(tmp_path: Path) -> None:
    """The order is that of the manifests' times; folders without a manifest are no runs."""
    make(tmp_path, "a", "2026-01-02T00:00:00+00:00")
    make(tmp_path, "b", "2026-01-01T00:00:00+00:00")
    (tmp_path / "notes").mkdir()
    assert [path.name for path in list_runs(tmp_path)] == ["a", "b"]


def test_no_folder_holds_no_run(tmp_path: Path) -> None:
    """A project that never ran anything has an empty list."""
    assert list_runs(tmp_path / "runs") == []


def test_a_name_is_looked_up_among_the_runs_only(tmp_path: Path) -> None:
    """A name from an address is never used as a path."""
    make(tmp_path / "runs", "a", "2026-01-01T00:00:00+00:00")
    make(tmp_path, "outside", "2026-01-01T00:00:00+00:00")
    assert find_run(tmp_path / "runs", "a").folder == tmp_path / "runs" / "a"
    with pytest.raises(NotReady, match=r"no run '\.\./outside'"):
        find_run(tmp_path / "runs", "../outside")
