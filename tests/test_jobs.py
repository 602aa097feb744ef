"""Jobs in real child processes: progress, an end in every case, and what a kill leaves."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import small_project as small

from labelkit import jobs
from labelkit.errors import InputError
from labelkit.store import Workspace, pairs
from labelkit.store import jobs as records
from labelkit.store.jobs import Job

PATIENCE = 60.0


def wait_for(
    workspace: Workspace, job_id: str, ready: Callable[[Job], bool] = lambda job: job.ended
) -> Job:
    """The job once it is ready."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        job = jobs.get(workspace, job_id)
        assert job is not None
        if ready(job):
            return job
        time.sleep(0.02)
    raise AssertionError(f"not ready after {PATIENCE} s: {job}")


def gone(pid: int) -> bool:
    """Whether no live process has this number."""
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    """A project with nothing pooled."""
    return small.build(tmp_path / "w", pooled=False)


def test_pooling_as_a_job_shows_progress_and_completes(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", pooled=False)
    job_id = jobs.start(workspace, "pool", {"depth": 2, "query_ids": ["q1"]})
    assert jobs.running(workspace, "pool") is not None
    done = wait_for(workspace, job_id)
    assert (done.state, done.error) == ("completed", None)
    assert 0 < done.done <= done.total
    assert done.message
    with workspace.reading() as db:
        assert {query_id for query_id, _ in pairs.keys(db)} == {"q1"}
    assert jobs.running(workspace, "pool") is None
    assert [job.job_id for job in jobs.list_jobs(workspace, "pool")] == [job_id]


def test_a_job_that_is_refused_fails_with_the_reason(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w")
    failed = wait_for(workspace, jobs.start(workspace, "pool", {}))
    assert failed.state == "failed"
    assert failed.error == "Pooling needs documents and accepted queries: import them first."


def test_an_error_of_ours_fails_the_job_and_points_to_its_log(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", pooled=False)
    failed = wait_for(workspace, jobs.start(workspace, "pool", {"depth": "many"}))
    log = jobs.log_file(workspace, failed.job_id)
    assert failed.state == "failed"
    assert failed.error is not None
    assert str(log) in failed.error
    assert "ValueError" in log.read_text()


def test_a_killed_job_fails_with_a_clear_message_at_the_next_look(project: Workspace) -> None:
    job_id = jobs.start(project, "pool", {})
    pid = wait_for(project, job_id, lambda job: job.pid is not None).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until_gone(pid)
    failed = jobs.get(project, job_id)
    assert failed is not None
    assert failed.state == "failed"
    assert failed.error is not None
    assert "killed, or the machine went down" in failed.error


def test_a_cancelled_job_ends_as_cancelled_and_its_process_is_gone(project: Workspace) -> None:
    job_id = jobs.start(project, "pool", {})
    running = wait_for(project, job_id, lambda job: job.state == "running")
    jobs.cancel(project, job_id)
    assert running.pid is not None
    until_gone(running.pid)
    ended = jobs.get(project, job_id)
    assert ended is not None
    assert (ended.state, ended.error) == ("cancelled", None)
    jobs.cancel(project, job_id)


def until_gone(pid: int) -> None:
    until = time.monotonic() + PATIENCE
    while not gone(pid):
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_job_cancelled_before_it_began_does_nothing(project: Workspace) -> None:
    job_id = records.create(project, "pool", {})
    jobs.cancel(project, job_id)
    jobs.run(project, job_id)
    ended = jobs.get(project, job_id)
    assert ended is not None
    assert ended.state == "cancelled"
    with project.reading() as db:
        assert pairs.count(db) == 0


def test_a_job_is_taken_by_one_process_only(project: Workspace) -> None:
    job_id = records.create(project, "pool", {})
    assert records.begin(project, job_id, os.getpid())
    assert not records.begin(project, job_id, os.getpid())


def test_the_first_ending_counts(project: Workspace) -> None:
    job_id = records.create(project, "pool", {})
    records.end(project, job_id, "completed")
    records.end(project, job_id, "failed", "too late")
    records.report(project, job_id, 1, 2, "too late")
    ended = jobs.get(project, job_id)
    assert ended is not None
    assert (ended.state, ended.error, ended.message) == ("completed", None, "")


def test_a_process_number_that_another_program_has_now_is_not_the_jobs(project: Workspace) -> None:
    job_id = records.create(project, "pool", {})
    records.begin(project, job_id, os.getpid())
    found = jobs.get(project, job_id)
    assert found is not None
    assert found.state == "failed"


def test_an_unknown_kind_of_job_is_refused_with_the_known_ones(project: Workspace) -> None:
    with pytest.raises(InputError, match=r"the kinds are .*pool"):
        jobs.start(project, "dance", {})
    assert jobs.list_jobs(project) == []
