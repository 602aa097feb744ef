"""Time per key of "Find a document": how long a search takes while somebody types.

Usage: python benchmarks/find_latency.py [DOCUMENTS]. Documents of 120 words, drawn from a
vocabulary with the frequencies of natural text; queries are typed letter by letter, each prefix
being one search, as the page asks after a pause.
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from labelkit.judging import finding
from labelkit.model import Document, Query, QuerySource, Role
from labelkit.store import Workspace, documents, people, queries

WORDS_OF_A_DOCUMENT = 120
VOCABULARY = 30_000
TYPED = 20


def vocabulary(generator: random.Random) -> list[str]:
    """Pronounceable words, all different."""
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    words: set[str] = set()
    while len(words) < VOCABULARY:
        words.add("".join(generator.choices(syllables, k=generator.randint(2, 4))))
    return sorted(words)


def build(folder: Path, count: int) -> tuple[Workspace, list[str]]:
    """A workspace with one query and `count` documents."""
    generator = random.Random(4)
    words = vocabulary(generator)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    workspace = Workspace.create(folder, "Find")
    people.add(workspace, "Ann", [Role.RATER])
    for start in range(0, count, 1000):
        piece = []
        for number in range(start, min(start + 1000, count)):
            drawn = generator.choices(words, weights, k=WORDS_OF_A_DOCUMENT)
            piece.append(Document(f"d{number}", " ".join(drawn[:4]), " ".join(drawn)))
        with workspace.writing() as db:
            documents.save(db, piece)
    with workspace.writing() as db:
        queries.save(db, [Query("q1", "what", QuerySource.LOG)])
    typed = [" ".join(generator.choices(words[:3000], k=4)) for _ in range(TYPED)]
    return workspace, typed


def milliseconds(workspace: Workspace, typed: list[str]) -> list[float]:
    """One search for each letter typed, sorted by duration."""
    took = []
    for line in typed:
        for end in range(1, len(line) + 1):
            began = time.perf_counter()
            finding.find(workspace, "ann", "q1", line[:end])
            took.append(1000 * (time.perf_counter() - began))
    return sorted(took)


def told(took: list[float]) -> str:
    """Median, 95th percentile and longest."""
    p95 = took[int(0.95 * len(took))]
    return f"median {statistics.median(took):.1f}, p95 {p95:.1f}, longest {took[-1]:.1f} ms"


def main() -> None:
    """Print the figures for one size."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        workspace, typed = build(Path(folder) / "workspace", count)
        print(f"{count:,} documents, titles only: {told(milliseconds(workspace, typed[:3]))}")
        began = time.perf_counter()
        finding.build(workspace, {}, lambda done, total, message: None)
        print(f"index built in {time.perf_counter() - began:.1f} s")
        size = sum(path.stat().st_size for path in workspace.cache.rglob("*") if path.is_file())
        print(f"index on disk: {size / 1e6:.0f} MB")
        began = time.perf_counter()
        finding.find(workspace, "ann", "q1", typed[0])
        print(f"first search of a process: {time.perf_counter() - began:.2f} s")
        print(f"per key: {told(milliseconds(workspace, typed))}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory of this process: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
