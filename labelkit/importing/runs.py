"""Runs made elsewhere: kept in the workspace as TREC files, to be measured like any other."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from labelkit.errors import InputError
from labelkit.formats import trec
from labelkit.importing.preview import ImportPreview
from labelkit.importing.reports import ImportReport, report
from labelkit.store import Workspace

NOT_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def folder(workspace: Workspace) -> Path:
    """Where imported runs lie."""
    return workspace.path / "imported_runs"


def list_runs(workspace: Workspace) -> dict[str, Path]:
    """The TREC file of each imported run by its name; `trec.read_run` reads it."""
    return {path.stem: path for path in sorted(folder(workspace).glob("*.run"))}


def name_of(file: str) -> str:
    """The name that a run gets from its file's."""
    name = PurePath(file).name
    for ending in (".gz", ".run", ".txt", ".trec", ".tsv", ".csv", ".jsonl"):
        name = name.removesuffix(ending)
    return NOT_IN_NAME.sub("-", name).strip("-.") or "run"


def write(workspace: Workspace, looked_at: ImportPreview) -> ImportReport:
    """Keep a run; the same run again changes nothing.

    Raises InputError where another run has its name.
    """
    name = name_of(looked_at.file)
    path = folder(workspace) / f"{name}.run"
    run: dict[str, dict[str, float]] = {}
    for item in looked_at.items:
        run.setdefault(item.query_id, {})[item.doc_id] = item.score
    if path.exists():
        if trec.read_run(path) == run:
            return report(looked_at, 0, 0, len(looked_at.items))
        raise InputError(
            f"there is another run called {name!r} in the workspace: rename the file.",
            file=looked_at.file,
        )
    path.parent.mkdir(exist_ok=True)
    trec.write_run(path, run, name)
    return report(looked_at, len(looked_at.items), 0, 0)
