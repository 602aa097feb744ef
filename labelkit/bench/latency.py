"""How long a query takes when it comes alone, and when others come at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labelkit.bench.reasons import measured
from labelkit.bench.records import PERCENTILES
from labelkit.bench.run import ReleaseData
from labelkit.errors import CandidateError
from labelkit.retrieval import Candidate
from labelkit.retrieval.embed import Progress, silent
from labelkit.retrieval.live import ready
from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.request import Request

AT_ONCE = (1, 4, 16)
ASKED = 96
"""Queries asked at each level, the release's own, from the start again where they are fewer."""
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Level:
    """Milliseconds a query took while `at_once` were under way, and queries answered a second."""

    at_once: int
    queries: int
    p50: float
    p95: float
    p99: float
    per_second: float


@dataclass(frozen=True, slots=True)
class Latency:
    """One candidate: each level, and the seconds from starting a process to its first answer.

    That time holds imports, loading the model and building the index from cached vectors. `why`
    is set, and nothing else, where the candidate cannot be asked.
    """

    candidate: str
    levels: tuple[Level, ...] = ()
    first_answer_seconds: float | None = None
    machine: str = ""
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return asdict(self)


def latency(
    release: ReleaseData,
    candidates: Sequence[Candidate],
    cache_dir: Path,
    progress: Progress = silent,
) -> list[Latency]:
    """Measure every candidate, one after the other; one that fails is reported with why."""
    found = []
    for number, candidate in enumerate(candidates):
        progress(number, len(candidates), candidate.name)
        measure = partial(_of_candidate, release, candidate, cache_dir)
        found.append(measured(candidate, measure, partial(Latency, candidate.name)))
    progress(len(candidates), len(candidates), "done")
    return found


def _of_candidate(release: ReleaseData, candidate: Candidate, cache_dir: Path) -> Latency:
    request = Request(release.documents, release.queries, DEPTH, cache_dir, silent)
    ask = ready(candidate, request)
    texts = list(request.texts(candidate.turns).values())
    asked = [texts[number % len(texts)] for number in range(ASKED)] if texts else []
    for text in asked[: max(AT_ONCE)]:
        ask(text)
    return Latency(
        candidate.name,
        levels=tuple(_level(ask, asked, at_once) for at_once in AT_ONCE if asked),
        first_answer_seconds=first_answer(release.folder, candidate, cache_dir),
        machine=machine_name(),
    )


def _level(ask: Callable[[str], object], texts: list[str], at_once: int) -> Level:
    def timed(text: str) -> float:
        started = time.perf_counter()
        ask(text)
        return 1000 * (time.perf_counter() - started)

    started = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        times = list(pool.map(timed, texts))
    seconds = time.perf_counter() - started
    p50, p95, p99 = (float(value) for value in np.percentile(times, PERCENTILES))
    return Level(at_once, len(texts), p50, p95, p99, len(texts) / seconds)


def first_answer(release: Path, candidate: Candidate, cache_dir: Path) -> float:
    """Seconds from starting a process to its first answer over the release in a folder.

    Raises CandidateError with the last line of the process where it fails.
    """
    asked = {"release": str(release), "candidate": candidate.as_dict(), "cache": str(cache_dir)}
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "labelkit.bench.first_answer", json.dumps(asked)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise CandidateError(candidate.name, f"a process of its own failed: {last}")
    return time.perf_counter() - started


def latency_text(found: Sequence[Latency]) -> str:
    """A paragraph per candidate, and the machine."""
    parts = ["\n".join([_head(one), *map(_line, one.levels)]) for one in found]
    machines = dict.fromkeys(one.machine for one in found if one.machine)
    return "\n\n".join([*parts, *machines])


def _head(one: Latency) -> str:
    if one.why:
        return one.why
    return f"{one.candidate}: first answer {one.first_answer_seconds or 0:.1f} s after the start"


def _line(level: Level) -> str:
    return (
        f"  {level.at_once:2} at once: p50 {level.p50:.1f}, p95 {level.p95:.1f}, "
        f"p99 {level.p99:.1f} ms, {level.per_second:,.0f} queries a second"
    )
