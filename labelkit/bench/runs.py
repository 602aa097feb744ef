"""The runs that a workspace holds."""

from __future__ import annotations

from pathlib import Path

from labelkit.bench import files
from labelkit.bench.results import RunResult, load_run
from labelkit.errors import NotReady


def list_runs(folder: Path) -> list[Path]:
    """The folders of all runs under a folder, newest first; an empty list where there is none."""
    found = [path.parent for path in folder.glob(f"*/{files.MANIFEST}")]
    begun = {path: files.read_json(path / files.MANIFEST).get("created_at", "") for path in found}
    return sorted(found, key=lambda path: (begun[path], path.name), reverse=True)


def find_run(folder: Path, name: str) -> RunResult:
    """The run of that name; raises NotReady where there is none."""
    known = {path.name: path for path in list_runs(folder)}
    if name not in known:
        raise NotReady(f"There is no run {name!r}: start one on the Benchmark page.")
    return load_run(known[name])
