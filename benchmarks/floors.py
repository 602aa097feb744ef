"""What every benchmark of ratios shares: timing in turns, and a verdict against the floors."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value beside what it must reach: at least, or at most, `floor`."""

    name: str
    value: float
    floor: float
    at_least: bool = True

    @property
    def reached(self) -> bool:
        """Whether the value is on the right side."""
        return self.value >= self.floor if self.at_least else self.value <= self.floor

    def __str__(self) -> str:
        sign, verdict = "≥" if self.at_least else "≤", "reached" if self.reached else "FALLS SHORT"
        return f"{self.name}: {self.value:.4g} ({sign} {self.floor:g}: {verdict})"


def in_turns(rounds: int, **work: Callable[[], Any]) -> dict[str, float]:
    """Median seconds of each piece of work, all of them once per round, after one unmeasured
    round: whatever else the machine does falls on all alike."""
    for one in work.values():
        one()
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, one in work.items():
            seconds[name].append(timed(one))
    return {name: statistics.median(took) for name, took in seconds.items()}


def timed(work: Callable[[], Any]) -> float:
    """Seconds that one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def extra_megabytes(work: Callable[[], Any]) -> float:
    """How far the resident memory rises above its start while `work` runs, looked at every ms."""
    start = highest = resident()
    finished = threading.Event()

    def watch() -> None:
        nonlocal highest
        while not finished.wait(0.001):
            highest = max(highest, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    work()
    finished.set()
    watcher.join()
    return (highest - start) / MB


def resident() -> int:
    """Bytes of this process in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def peak_megabytes() -> float:
    """The most memory this process has had resident, in MB of 2^20 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def verdict(benchmark: str, figures: list[Figure], seconds: Mapping[str, float]) -> NoReturn:
    """Print the figures, then all of it as one line of JSON; exit 1 if one falls short."""
    for one in figures:
        print(one)
    line = {
        "benchmark": benchmark,
        "reached": all(one.reached for one in figures),
        "figures": [asdict(one) | {"reached": one.reached} for one in figures],
        "seconds": {name: float(f"{took:.4g}") for name, took in seconds.items()},
    }
    print(json.dumps(line))
    sys.exit(0 if line["reached"] else 1)
