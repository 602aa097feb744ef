"""Long work in a child process: it goes on when the tab, or the whole app, is closed."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from labelkit.errors import InputError, LabelkitError
from labelkit.store import Workspace
from labelkit.store import jobs as records
from labelkit.store.jobs import Job

HANDLERS: Mapping[str, str] = {
    "assign": "labelkit.judging.assigning:run",
    "bench": "labelkit.bench.job:run",
    "check": "labelkit.drafting.job:check",
    "draft": "labelkit.drafting.job:run",
    "find": "labelkit.judging.finding:build",
    "grade": "labelkit.drafting.job:grade",
    "import": "labelkit.importing.job:run",
    "latency": "labelkit.bench.panels:run_latency",
    "pool": "labelkit.judging.job:run",
    "preflight": "labelkit.bench.panels:run_preflight",
    "rewrite": "labelkit.drafting.job:rewrite",
    "robustness": "labelkit.bench.panels:run_robustness",
}
"""What does each kind of job: a function (workspace, arguments, progress)."""

HEARTBEAT = 5.0
SILENCE = timedelta(seconds=60)
"""How long a job may have no process at all before it is taken for one that never started."""

BETWEEN_REPORTS = 0.25

Progress = Callable[[int, int, str], None]


def start(
    workspace: Workspace,
    kind: str,
    arguments: Mapping[str, Any],
    secrets: Mapping[str, str] | None = None,
) -> str:
    """Start a job of this kind in a process of its own and return the job's id.

    The arguments are stored; `secrets` are not: they go into the process's environment.
    Raises InputError for an unknown kind.
    """
    if kind not in HANDLERS:
        raise InputError(f"{kind!r} is no kind of job; the kinds are {', '.join(HANDLERS)}.")
    job_id = records.create(workspace, kind, arguments)
    log = log_file(workspace, job_id)
    log.parent.mkdir(exist_ok=True)
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "labelkit.jobs", str(workspace.path), job_id],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(secrets or {})},
        )
    records.note_process(workspace, job_id, process.pid)
    # Someone has to wait for the child, or it stays a zombie that looks alive.
    threading.Thread(target=process.wait, daemon=True).start()
    return job_id


def log_file(workspace: Workspace, job_id: str) -> Path:
    """Where the process of a job writes what it prints."""
    return workspace.path / "logs" / f"{job_id}.log"


def get(workspace: Workspace, job_id: str) -> Job | None:
    """The job as it stands; one whose process died is marked failed first."""
    job = records.get(workspace, job_id)
    return _settle(workspace, job) if job else None


def list_jobs(workspace: Workspace, kind: str | None = None) -> list[Job]:
    """All jobs, newest first; those whose process died are marked failed."""
    return [_settle(workspace, job) for job in records.all(workspace, kind)]


def running(workspace: Workspace, kind: str) -> Job | None:
    """The job of this kind that is pending or running, or None."""
    return next((job for job in list_jobs(workspace, kind) if not job.ended), None)


def cancel(workspace: Workspace, job_id: str) -> None:
    """Stop a job; what it had finished is kept."""
    job = get(workspace, job_id)
    if job is None or job.ended:
        return
    records.end(workspace, job_id, "cancelled")
    if job.pid is not None and _is_ours(job):
        with suppress(ProcessLookupError):  # it ended by itself just now
            os.kill(job.pid, signal.SIGTERM)


def _settle(workspace: Workspace, job: Job) -> Job:
    alive = not _silent(job) if job.pid is None else _is_ours(job)
    if job.ended or alive:
        return job
    message = (
        "The process ended without a word (killed, or the machine went down). Start it again: "
        "what was finished is kept."
    )
    records.end(workspace, job.job_id, "failed", message)
    return records.get(workspace, job.job_id) or job


def _silent(job: Job) -> bool:
    heard = datetime.fromisoformat(job.heartbeat_at or job.created_at)
    return datetime.now(UTC) - heard > SILENCE


def _is_ours(job: Job) -> bool:
    """Whether the process with the job's pid is still that job's, not a later one's.

    Where the system does not say, it is as long as it is heard of.
    """
    try:
        command = Path(f"/proc/{job.pid}/cmdline").read_bytes()
    except OSError:
        return not Path("/proc").is_dir() and not _silent(job)
    return job.job_id.encode() in command


def run(workspace: Workspace, job_id: str) -> None:
    """Do the job in this process; called in the child."""
    job = records.get(workspace, job_id)
    if job is None or not records.begin(workspace, job_id, os.getpid()):
        return
    stop = threading.Event()
    threading.Thread(target=_beat, args=(workspace, job_id, stop), daemon=True).start()
    try:
        handler(job.kind)(workspace, job.arguments, _reporter(workspace, job_id))
    except LabelkitError as error:
        records.end(workspace, job_id, "failed", str(error))
    except Exception:  # the boundary where a job runs: the cause goes to its log
        traceback.print_exc()
        log = log_file(workspace, job_id)
        records.end(workspace, job_id, "failed", f"An error in labelkit; details are in {log}.")
    else:
        records.end(workspace, job_id, "completed")
    finally:
        stop.set()


def handler(kind: str) -> Callable[[Workspace, Mapping[str, Any], Progress], object]:
    """The function that does a kind of job, imported only now."""
    module, name = HANDLERS[kind].split(":")
    found: Callable[[Workspace, Mapping[str, Any], Progress], object]
    found = getattr(importlib.import_module(module), name)
    return found


def _beat(workspace: Workspace, job_id: str, stop: threading.Event) -> None:
    while not stop.wait(HEARTBEAT):
        records.beat(workspace, job_id)


def _reporter(workspace: Workspace, job_id: str) -> Progress:
    """Progress into the store, at most a few times a second; the last step always."""
    last = 0.0

    def report(done: int, total: int, message: str) -> None:
        nonlocal last
        moment = time.monotonic()
        if moment - last >= BETWEEN_REPORTS or done >= total:
            last = moment
            records.report(workspace, job_id, done, total, message)

    return report


if __name__ == "__main__":
    run(Workspace.open(sys.argv[1]), sys.argv[2])
