"""How fast documents come in, in how much memory, and how long a rater's save waits meanwhile.

    python benchmarks/import_scale.py [10000 100000 1000000]

For each size a JSON Lines file is written (seeded), imported into a new workspace by
`labelkit.importing`, and inserted into a plain table by `sqlite-utils insert`: both in processes
of their own, on the same disk, one after the other. While labelkit imports, another process judges
pairs in the same workspace, one save after the other. The last line is the figures as JSON.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WORDS = 60
SIZES = (10_000, 100_000, 1_000_000)
PAIRS = 40_000
BETWEEN_SAVES = 0.02


def write_corpus(path: Path, size: int) -> None:
    """Documents of 60 words from a seeded vocabulary."""
    draw = random.Random(7)
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 10))) for _ in range(9999)]
    with path.open("w") as file:
        for number in range(size):
            text = " ".join(draw.choices(vocabulary, k=WORDS))
            row = {"_id": f"d{number:07d}", "title": text[:40], "text": text}
            file.write(json.dumps(row) + "\n")


def memory_now() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def import_here(workspace_path: str, corpus: str) -> dict[str, float]:
    """Import by staging, whatever the size, and say what it took; runs in a child."""
    from labelkit.importing import large
    from labelkit.store import Workspace

    workspace = Workspace.open(workspace_path)
    before, start = memory_now(), time.perf_counter()
    report = large.import_documents(workspace, [corpus])
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rows": report.added, "seconds": seconds, "before_mb": before, "peak_mb": peak}


def judge_here(workspace_path: str, stop: str) -> dict[str, float]:
    """Save judgments until the stop file is there; runs in a child."""
    from labelkit import judging
    from labelkit.store import Workspace

    workspace, waits = Workspace.open(workspace_path), []
    while not Path(stop).exists():
        task = judging.claim(workspace, "ann-rater")
        start = time.perf_counter()
        judging.record(
            workspace, "ann-rater", task.pair_id, level=1, reason="It helps.", seconds_on_screen=3.0
        )
        waits.append(time.perf_counter() - start)
        time.sleep(BETWEEN_SAVES)
    waits.sort()
    return {
        "saves": len(waits),
        "median_ms": 1000 * waits[len(waits) // 2],
        "p99_ms": 1000 * waits[int(len(waits) * 0.99)],
        "longest_ms": 1000 * waits[-1],
    }


def make_project(path: Path) -> None:
    """One rater, and more pairs than can be judged in the time."""
    from labelkit.model import Document, Query, QuerySource
    from labelkit.store import Workspace, documents, pairs, people, queries, rubrics

    workspace = Workspace.create(path, "Scale")
    people.add(workspace, "Ann Rater", ["rater"])
    with workspace.writing() as db:
        rubrics.ensure(db)
        asked = [Query(f"q{n}", f"thing {n}", QuerySource.LOG) for n in range(200)]
        shown = [Document(f"seed{n}", f"Thing {n}", f"About thing {n}.") for n in range(200)]
        queries.save(db, asked)
        documents.save(db, shown)
        pairs.add(db, [(q.query_id, d.doc_id) for q in asked for d in shown][:PAIRS], "pool")


def child(*arguments: str) -> subprocess.Popen[str]:
    """Start this file as a child that prints one JSON line."""
    return subprocess.Popen(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True
    )


def result(process: subprocess.Popen[str]) -> dict[str, float]:
    """What a child printed; raises where it failed."""
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{process.args} failed")
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def plain_insert(corpus: Path, database: Path) -> float:
    """Seconds that sqlite-utils takes to insert the same file."""
    command = [str(Path(sys.executable).with_name("sqlite-utils")), "insert", str(database), "docs"]
    start = time.perf_counter()
    subprocess.run(
        [*command, str(corpus), "--nl", "--pk", "_id", "--silent"], check=True, capture_output=True
    )
    return time.perf_counter() - start


def measure(folder: Path, size: int) -> dict[str, Any]:
    """All figures of one size."""
    corpus, workspace, stop = folder / f"{size}.jsonl", folder / f"w{size}", folder / f"stop{size}"
    write_corpus(corpus, size)
    plain = plain_insert(corpus, folder / f"plain{size}.db")
    make_project(workspace)
    rater = child("judge", str(workspace), str(stop))
    time.sleep(2)
    try:
        done = result(child("import", str(workspace), str(corpus)))
    finally:
        stop.touch()
    waited = result(rater)
    return {
        "rows": int(done["rows"]),
        "file_mb": round(corpus.stat().st_size / 2**20, 1),
        "seconds": round(done["seconds"], 2),
        "rows_per_s": round(size / done["seconds"]),
        "peak_mb": round(done["peak_mb"], 1),
        "peak_above_start_mb": round(done["peak_mb"] - done["before_mb"], 1),
        "sqlite_utils_seconds": round(plain, 2),
        "sqlite_utils_rows_per_s": round(size / plain),
        "time_ratio": round(done["seconds"] / plain, 2),
        "rater": {name: round(value, 1) for name, value in waited.items()},
    }


def main(sizes: list[int]) -> None:
    """Measure each size in a folder that is removed afterwards."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            figures.append(measure(Path(folder), size))
            print(figures[-1], flush=True)
    print(json.dumps({"import_scale": figures}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["import"]:
        print(json.dumps(import_here(*sys.argv[2:])))
    elif sys.argv[1:2] == ["judge"]:
        print(json.dumps(judge_here(*sys.argv[2:])))
    else:
        main([int(size) for size in sys.argv[1:]] or list(SIZES))
