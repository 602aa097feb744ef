"""Checking an installation and a workspace, and saying what is wrong."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import labelkit
from labelkit import jobs, judging, releases
from labelkit.store import Workspace, health
from labelkit.wording import counted

FIXED_SQLITE = (3, 51, 3)
LEAST_SPACE = 1 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: "ok", "note" or "wrong", and what to do."""

    state: str
    subject: str
    text: str

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        return asdict(self)


def examine(workspace: Workspace | None) -> list[Finding]:
    """Look at the installation and, where there is one, the workspace."""
    found = list(_installation())
    if workspace is not None:
        found += _workspace(workspace)
    return found


def _installation() -> Iterator[Finding]:
    yield Finding(
        "ok", "python", f"Python {platform.python_version()}, labelkit {labelkit.__version__}"
    )
    version = ".".join(map(str, health.SQLITE_VERSION))
    if health.SQLITE_VERSION >= FIXED_SQLITE:
        yield Finding("ok", "sqlite", f"SQLite {version}")
    else:
        yield Finding(
            "note",
            "sqlite",
            f"SQLite {version} has the WAL-reset bug (fixed in 3.51.3); labelkit avoids it by "
            "letting one writer work at a time. Do not write to the file with other tools.",
        )
    for package in ("streamlit", "sentence-transformers", "faiss-cpu", "bm25s", "wordllama"):
        yield _package(package)


def _package(name: str) -> Finding:
    try:
        return Finding("ok", name, f"{name} {importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        return Finding("wrong", name, f"{name} is not installed: run 'make env'")


def _workspace(workspace: Workspace) -> Iterator[Finding]:
    problems = health.problems(workspace)
    if problems:
        yield Finding("wrong", "database", "; ".join(problems) + ": restore a backup")
    else:
        yield Finding("ok", "database", f"{workspace.database} is sound")
    counts = judging.count(judging.load(workspace))
    yield Finding(
        "ok",
        "project",
        f"{workspace.name}: {counted(counts.documents, 'document')}, "
        f"{counted(counts.queries_accepted, 'accepted query')}, "
        f"{counts.pairs_resolved:,} of {counted(counts.pairs, 'pair')} resolved",
    )
    for row in releases.list_releases(workspace):
        yield _release(workspace, row.tag)
    for job in jobs.list_jobs(workspace):
        if job.state == "failed":
            yield Finding("note", f"job {job.job_id}", f"{job.kind} failed: {job.error}")
    free = shutil.disk_usage(workspace.path).free
    if free < LEAST_SPACE:
        yield Finding("wrong", "disk", f"only {free >> 20} MB are free: make room")


def _release(workspace: Workspace, tag: str) -> Finding:
    folder = workspace.releases / tag
    if not folder.is_dir():
        return Finding("wrong", f"release {tag}", f"its folder {folder} is missing")
    checked = releases.verify(folder, workspace)
    if checked.ok:
        return Finding("ok", f"release {tag}", "as it was frozen")
    return Finding("wrong", f"release {tag}", " ".join(checked.problems))
