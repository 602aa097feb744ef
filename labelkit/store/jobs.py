"""Jobs: long work that a child process does, and how far it is."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelkit.store.workspace import Workspace, now


@dataclass(frozen=True, slots=True)
class Job:
    """One job: `done` of `total` steps, with a message; times in UTC."""

    job_id: str
    kind: str
    arguments: Mapping[str, Any]
    state: str
    done: int
    total: int
    message: str
    pid: int | None
    heartbeat_at: str | None
    created_at: str
    ended_at: str | None
    error: str | None

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("completed", "failed", "cancelled")


def create(workspace: Workspace, kind: str, arguments: Mapping[str, Any]) -> str:
    """Record a job that waits for its process; returns its id."""
    job_id = uuid.uuid4().hex[:12]
    with workspace.writing() as db:
        db.execute(
            "insert into jobs(job_id, kind, arguments, state, created_at) "
            "values (?, ?, ?, 'pending', ?)",
            (job_id, kind, json.dumps(arguments, sort_keys=True), now()),
        )
    return job_id


def note_process(workspace: Workspace, job_id: str, pid: int) -> None:
    """Note the process that was started for a job, so that its death is seen at once."""
    with workspace.writing() as db:
        db.execute("update jobs set pid = ? where job_id = ? and state = 'pending'", (pid, job_id))


def begin(workspace: Workspace, job_id: str, pid: int) -> bool:
    """Note that this process does the job now; False where it was cancelled or taken before."""
    with workspace.writing() as db:
        begun = db.execute(
            "update jobs set state = 'running', pid = ?, heartbeat_at = ? "
            "where job_id = ? and state = 'pending'",
            (pid, now(), job_id),
        )
        return begun.rowcount == 1


def report(workspace: Workspace, job_id: str, done: int, total: int, message: str) -> None:
    """Note how far the job is."""
    with workspace.writing() as db:
        db.execute(
            "update jobs set done = ?, total = ?, message = ?, heartbeat_at = ? "
            "where job_id = ? and ended_at is null",
            (done, total, message, now(), job_id),
        )


def beat(workspace: Workspace, job_id: str) -> None:
    """Note that the process lives."""
    with workspace.writing() as db:
        db.execute("update jobs set heartbeat_at = ? where job_id = ?", (now(), job_id))


def end(workspace: Workspace, job_id: str, state: str, error: str | None = None) -> None:
    """Note how the job ended; the first ending counts."""
    with workspace.writing() as db:
        db.execute(
            "update jobs set state = ?, error = ?, ended_at = ? "
            "where job_id = ? and ended_at is null",
            (state, error, now(), job_id),
        )


def get(workspace: Workspace, job_id: str) -> Job | None:
    """The job with this id, or None."""
    with workspace.reading() as db:
        row = db.execute("select * from jobs where job_id = ?", (job_id,)).fetchone()
    return None if row is None else _job(row)


def all(workspace: Workspace, kind: str | None = None) -> list[Job]:
    """All jobs, of one kind if given, newest first."""
    with workspace.reading() as db:
        rows = db.execute(
            "select * from jobs where ? is null or kind = ? order by created_at desc", (kind, kind)
        )
        return [_job(row) for row in rows]


def _job(row: sqlite3.Row) -> Job:
    return Job(**{**dict(row), "arguments": json.loads(row["arguments"])})
