"""A benchmark that is killed goes on at the batch where it stopped, whoever encodes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import counted
import pytest
from small_release import small_release

from labelkit.retrieval.pieces import TEXTS

MORE = 1500
ALL = MORE + 8
CANDIDATE = '[[candidate]]\nname = "counted"\nkind = "function"\nfunction = "counted:encode"\n'


@pytest.fixture(scope="module")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,508 documents, cut into twelve pieces."""
    folder = tmp_path_factory.mktemp("large") / "v1"
    small_release(folder, more_documents=MORE)
    return folder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the encoder writes down what it is given."""
    return tmp_path / "calls.jsonl"


def environment(log: Path, seconds: float = 0.05) -> dict[str, str]:
    """That of a process which finds the encoder."""
    return {
        **os.environ,
        "PYTHONPATH": str(Path(counted.__file__).parent),
        "COUNTED_LOG": str(log),
        "COUNTED_SECONDS": str(seconds),
    }


def bench(folder: Path, release: Path, log: Path, *options: str) -> subprocess.Popen[str]:
    """Start a benchmark whose run and cache lie under a folder."""
    candidates = folder / "candidates.toml"
    candidates.write_text(CANDIDATE)
    return subprocess.Popen(
        [sys.executable, "-m", "labelkit.cli", "bench", "--release", str(release),
         "--candidates", str(candidates), "--out", str(folder / "run"), "--json", *options],
        env=environment(log), cwd=folder, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def record(process: subprocess.Popen[str], folder: Path) -> dict[str, Any]:
    """What became of the candidate once the process ended well."""
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    (path,) = (folder / "run").rglob("counted.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    assert found["state"] == "completed", found["why"]
    return found


def times_encoded(log: Path) -> Counter[str]:
    """How often each text was encoded in a piece."""
    return Counter(text for _, texts in counted.pieces(log) for text in texts)


def ranking(folder: Path) -> bytes:
    """The run file of the candidate."""
    return (folder / "run" / "counted.run").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(release_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The ranking of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed")
    process = bench(folder, release_folder, folder / "calls.jsonl")
    assert record(process, folder)["encoded_documents"] == ALL
    assert times_encoded(folder / "calls.jsonl").most_common(1)[0][1] == 1
    return ranking(folder)


def test_after_a_kill_at_a_random_batch_at_most_that_batch_is_encoded_twice(
    release_folder: Path, undisturbed: bytes, tmp_path: Path, log: Path
) -> None:
    """Killed three times; each time the texts of one piece at most are lost."""
    kills = 3
    for number in range(kills):
        process = bench(tmp_path, release_folder, log)
        counted.wait_for(log, len(counted.pieces(log)) + random.randint(1, 3))
        time.sleep(random.uniform(0, 0.06))
        process.kill()
        process.wait()
        assert not (tmp_path / "run" / "per_query.csv").exists(), f"kill {number} came too late"
    found = record(bench(tmp_path, release_folder, log), tmp_path)
    counts = times_encoded(log)
    assert len(counts) == ALL
    assert counts.total() <= ALL + kills * TEXTS
    assert found["encoded_documents"] < ALL
    assert ranking(tmp_path) == undisturbed
    assert not list(tmp_path.rglob("piece-*")), "pieces are joined at the end"


ENGINES = {"pool": ("--workers", "2"), "dask": ("--engine", "dask", "--workers", "2")}


@pytest.mark.parametrize("engine", ["here", *ENGINES])
def test_ctrl_c_leaves_what_is_done_and_says_how_to_go_on(
    engine: str, release_folder: Path, undisturbed: bytes, tmp_path: Path, log: Path
) -> None:
    """No traceback, also from the workers, which a terminal interrupts too; the next goes on."""
    process = bench(tmp_path, release_folder, log, *ENGINES.get(engine, ()))
    counted.wait_for(log, 2)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"run the same command with --out {tmp_path / 'run'} to go on" in errors
    assert record(bench(tmp_path, release_folder, log), tmp_path)["encoded_documents"] < ALL
    assert times_encoded(log).total() <= ALL + 2 * TEXTS
    assert ranking(tmp_path) == undisturbed


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_end_with_the_process_that_started_them(
    engine: str, release_folder: Path, tmp_path: Path, log: Path
) -> None:
    """A cancelled job is a killed process: nobody goes on encoding for it."""
    process = bench(tmp_path, release_folder, log, *ENGINES[engine])
    counted.wait_for(log, 2)
    workers = {pid for pid, _ in counted.pieces(log)}
    process.kill()
    process.wait()
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_killed_in_the_middle_costs_its_pieces_in_flight(
    engine: str, release_folder: Path, undisturbed: bytes, tmp_path: Path, log: Path
) -> None:
    """The run ends as if nothing had happened, to the last rank."""
    process = bench(tmp_path, release_folder, log, *ENGINES[engine])
    counted.wait_for(log, 4)
    encoded_by = Counter(pid for pid, _ in counted.pieces(log))
    assert process.pid not in encoded_by
    os.kill(encoded_by.most_common(1)[0][0], signal.SIGKILL)
    assert record(process, tmp_path)["encoded_documents"] == ALL
    counts = times_encoded(log)
    assert len(counts) == ALL
    assert counts.total() <= ALL + 2 * TEXTS, "one piece in flight per worker"
    assert ranking(tmp_path) == undisturbed
    assert not list(tmp_path.rglob("piece-*"))


def cluster(*arguments: str, log: Path) -> subprocess.Popen[bytes]:
    """A part of a Dask cluster in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
        env=environment(log, seconds=0.2), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def nodes(tmp_path: Path, log: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two nodes on loopback: its address, and the processes of the nodes."""
    where = tmp_path / "scheduler.json"
    options = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = cluster(
        "dask_scheduler", *options, "--port", "0", "--scheduler-file", str(where), log=log
    )
    until = time.monotonic() + 30
    while not where.exists() or not where.read_text().endswith("}"):
        assert time.monotonic() < until
        time.sleep(0.05)
    address = json.loads(where.read_text())["address"]
    workers = [
        cluster("dask_worker", address, *options, "--nthreads", "1", log=log) for _ in range(2)
    ]
    yield address, workers
    for process in (*workers, scheduler):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_node_lost_for_good_is_survived_by_the_other(
    release_folder: Path,
    undisturbed: bytes,
    tmp_path: Path,
    log: Path,
    nodes: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    """A node dies with all its processes; the cluster is one that runs elsewhere."""
    address, workers = nodes
    process = bench(tmp_path, release_folder, log, "--engine", "dask", "--scheduler", address)
    counted.wait_for(log, 3)
    os.killpg(workers[0].pid, signal.SIGKILL)
    assert record(process, tmp_path)["encoded_documents"] == ALL
    counts = times_encoded(log)
    assert len(counts) == ALL
    assert counts.total() <= ALL + 2 * TEXTS
    assert ranking(tmp_path) == undisturbed
