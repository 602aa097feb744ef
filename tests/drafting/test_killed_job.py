"""A drafting job that is killed: nothing that was paid is paid again."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from fake_llm import FakeServer, Reply, Seen, good, passage_of
from small_drafting import drafted, go_on, project, started

from labelkit import drafting, jobs
from labelkit.errors import Conflict
from labelkit.store import Workspace

SIDE_BY_SIDE = 2


def wait_for(server: FakeServer, number: int) -> None:
    """Wait until the server was asked this often."""
    deadline = time.monotonic() + 40
    while len(server.seen) < number:
        assert time.monotonic() < deadline, f"{len(server.seen)} requests came"
        time.sleep(0.01)


def end_of(workspace: Workspace, job_id: str) -> jobs.Job:
    """The job, once it has ended."""
    deadline = time.monotonic() + 40
    while (job := jobs.get(workspace, job_id)) is not None and not job.ended:
        assert time.monotonic() < deadline, "the job did not end"
        time.sleep(0.05)
    assert job is not None
    return job


def test_killed_job_goes_on_without_paying_twice(tmp_path: Path, serve) -> None:
    """SIGKILL in the middle, then a second job: each passage is asked once, save those that
    were open, and these are counted as perhaps paid."""
    workspace = project(tmp_path / "w", count=12)

    def script(number: int, seen: Seen) -> Reply:
        time.sleep(0.15)
        return good(number, seen)

    server = serve(script)
    run_id = started(workspace, server.url, concurrency=SIDE_BY_SIDE)
    arguments = {"run_id": run_id, "retrievers": []}
    killed = jobs.start(workspace, "draft", arguments)
    wait_for(server, 5)
    os.kill(jobs.get(workspace, killed).pid, signal.SIGKILL)  # type: ignore[union-attr, arg-type]
    assert end_of(workspace, killed).state == "failed"
    before = drafting.standing(workspace, run_id)
    assert 0 < before.done < 12

    assert end_of(workspace, jobs.start(workspace, "draft", arguments)).state == "completed"
    stands = drafting.standing(workspace, run_id)
    assert (stands.done, stands.waiting, stands.failed) == (12, 0, 0)
    asked = Counter(passage_of(seen) for seen in server.seen)
    twice = [passage for passage, number in asked.items() if number > 1]
    assert len(asked) == 12
    assert max(asked.values()) <= 2
    assert len(twice) <= SIDE_BY_SIDE
    assert stands.spent.answered == 12
    # A request can be written down and its process killed before it was sent.
    assert len(server.seen) - 12 == len(twice) <= stands.spent.lost <= SIDE_BY_SIDE
    assert len(drafted(workspace)) == 24
    assert (stands.spent.unsure_output > 0) == (stands.spent.lost > 0)


def test_two_processes_do_not_work_on_one_run(tmp_path: Path, serve) -> None:
    """A second job for a run that is at work is refused: it would pay everything again."""
    workspace = project(tmp_path / "w", count=6)

    def script(number: int, seen: Seen) -> Reply:
        time.sleep(0.3)
        return good(number, seen)

    server = serve(script)
    run_id = started(workspace, server.url)
    first = jobs.start(workspace, "draft", {"run_id": run_id, "retrievers": []})
    wait_for(server, 1)
    with pytest.raises(Conflict, match="works on run"):
        go_on(workspace, run_id)
    assert end_of(workspace, first).state == "completed"
    assert len(server.seen) == 6
