"""`labelkit score` on a run of many lines: seconds and peak memory.

Usage: python benchmarks/score_large.py [--lines 10000000] [--mixed] [--gzip]. 100 results a query,
one of ten judged. `--mixed` writes the first result of all queries, then the second, and so on,
so that no query stands together. The command runs in a process of its own, with the per-query
values written to a file; `wc -l` on the same file is timed for comparison.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

DEPTH = 100
STEP = 7919
CORPUS = 1_000_003
"""Results of a query are STEP apart modulo CORPUS, a prime: no document comes twice."""


def rows(queries: int, mixed: bool) -> Iterator[str]:
    """The lines of the run."""
    order = (
        ((q, r) for r in range(DEPTH) for q in range(queries))
        if mixed
        else ((q, r) for q in range(queries) for r in range(DEPTH))
    )
    for q, r in order:
        yield f"q{q} Q0 d{(q * 31 + r * STEP) % CORPUS} {r + 1} {1 - r / 128} bench\n"


def judged(queries: int) -> Iterator[str]:
    """Ten judgments a query, of ranks spread over the ranking."""
    for q in range(queries):
        for r in range(q % 10, DEPTH, 10):
            yield f"q{q} 0 d{(q * 31 + r * STEP) % CORPUS} {(q + r) % 3}\n"


def measured(arguments: list[str]) -> tuple[float, float]:
    """Seconds and peak memory in MB of a process."""
    began = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{arguments[:4]} failed")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def main() -> None:
    """Generate, measure, print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    asked = parser.parse_args()
    queries = asked.lines // DEPTH
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, qrels = folder / ("a.run.gz" if asked.gzip else "a.run"), folder / "qrels.txt"
        with gzip.open(run, "wt", compresslevel=1) if asked.gzip else run.open("w") as file:
            file.writelines(rows(queries, asked.mixed))
        qrels.write_text("".join(judged(queries)))
        counted, _ = measured(["wc", "-l", str(run)])
        seconds, peak = measured(
            [
                *(sys.executable, "-m", "labelkit.cli", "score", "--qrels", str(qrels)),
                *("--run", str(run), "--per-query", str(folder / "values.csv")),
            ]
        )
        shown = vars(asked) | {"megabytes": round(run.stat().st_size / (1 << 20))}
    figures = {"seconds": round(seconds, 1), "peak_megabytes": round(peak), "wc": round(counted, 2)}
    print(json.dumps(shown | figures))


if __name__ == "__main__":
    main()
