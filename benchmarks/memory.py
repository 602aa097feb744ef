"""How much memory a candidate takes, beside what a benchmark of it has loaded before.

Usage: python benchmarks/memory.py [--chunks 1000000] [--encoded 200000] [--only CASE …]. Each
case runs in a process of its own, by `run_benchmark` over 384 dimensions, 100 queries, top 100.
Over as many documents as --chunks says, by exact search:

stored         precomputed vectors in an .npy file, brought to length 1 (a copy in memory)
stored as is   the same without normalisation (the file itself is searched)

and over as many as --encoded says:

encoded        a function's vectors, encoded into the cache and read back from it
cached         the same again, from the cache
float16, int8, binary, binary+rescore, hnsw, ivf
               stored vectors, brought to length 1, at this precision or in this index

Extra is the peak of the candidate's run less what was resident before it began, that is with the
documents and all libraries loaded; pages of mapped files count. It is held against 1.2 times the
candidate's vectors plus 300 MB; the peak of the whole process for the stored vectors against 4 GB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from floors import MB, Figure, verdict

from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidates import INDEXES, PRECISIONS, Index

DIMENSIONS, QUERIES, BLOCK = 384, 100, 50_000
SPARE_MB, WHOLE_MB = 300.0, 4096.0
CASES = (
    "stored", "stored as is", "encoded", "cached",
    "float16", "int8", "binary", "binary+rescore", "hnsw", "ivf",
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A release of made-up documents; what a run reads of one."""

    documents: list[Document]
    queries: list[Query]
    folder: Path
    tag: str = "made"
    content_sha256: str = "0" * 64
    judgments: tuple[dict[str, Any], ...] = ()

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """One relevant document per query."""
        return {
            query.query_id: {self.documents[n].doc_id: 2} for n, query in enumerate(self.queries)
        }


def encode(texts: list[str], side: str) -> np.ndarray:
    """Random vectors that a text's number decides: a model that costs nothing."""
    seeds = np.array([int(text.split()[1]) for text in texts], dtype=np.uint64)
    columns = np.arange(DIMENSIONS, dtype=np.uint64) + np.uint64(1)
    mixed = (seeds[:, None] + np.uint64(1)) * columns * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(40)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)


def release(count: int, folder: Path) -> Made:
    """`count` documents of 200 characters."""
    documents = [Document(f"d{n:07}", "", f"number {n} " + "word " * 37) for n in range(count)]
    queries = [Query(f"q{n:03}", f"number {n}", QuerySource.MANUAL) for n in range(QUERIES)]
    return Made(documents, queries, folder)


def write_vectors(folder: Path, count: int) -> None:
    """Vectors of both sides as .npy files with their ids, written block by block."""
    folder.mkdir()
    for name, rows, letter, width in (("docs", count, "d", 7), ("queries", QUERIES, "q", 3)):
        shape = rows, DIMENSIONS
        out = np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float32, shape)
        for start in range(0, rows, BLOCK):
            end = min(start + BLOCK, rows)
            out[start:end] = encode([f"number {n}" for n in range(start, end)], "document")
        out.flush()
        ids = "".join(f"{letter}{n:0{width}}\n" for n in range(rows))
        (folder / f"{name}.ids.txt").write_text(ids)


def run_case(case: str, count: int, folder: Path) -> dict[str, Any]:
    """Run one candidate in this process; megabytes before, at the peak, and of its vectors."""
    import faiss  # noqa: F401
    import pandas  # noqa: F401

    from labelkit.bench import Plan, run_benchmark
    from labelkit.retrieval.machine import forget_peak, peak_memory

    made = release(count, folder)
    candidate = candidate_of(case, folder / str(count))
    forget_peak()
    before = peak_memory()
    out = folder / case.replace(" ", "-")
    result = run_benchmark(made, [candidate], out, Plan(resamples=200), cache_dir=folder / "cache")
    found = result.candidate("one")
    if found["state"] != "completed":
        raise SystemExit(found["why"])
    return {
        "before_mb": before / MB,
        "peak_mb": found["peak_memory_bytes"] / MB,
        "vectors_mb": count * DIMENSIONS * 4 / MB,
        "encoded": found["encoded_documents"],
    }


def candidate_of(case: str, vectors: Path) -> Candidate:
    """The candidate of a case; `vectors` holds both sides' files."""
    if case in ("encoded", "cached"):
        return Candidate("one", "function", function="memory:encode")
    stored = Candidate(
        "one", "vectors",
        document_vectors=str(vectors / "docs.npy"), query_vectors=str(vectors / "queries.npy"),
    )  # fmt: skip
    if case in INDEXES:
        return replace(stored, index=Index(case))
    if case in PRECISIONS:
        return replace(stored, precision=case)
    return replace(stored, normalise=case != "stored as is")


def child(case: str, count: int, folder: Path) -> dict[str, Any]:
    """The same in a process of its own."""
    arguments = ["--case", case, "--chunks", str(count), "--folder", str(folder)]
    command = [sys.executable, __file__, *arguments]
    answer = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    found: dict[str, Any] = json.loads(answer.splitlines()[-1])
    print(case, count, {key: round(value, 1) for key, value in found.items()}, flush=True)
    return found


def figures(case: str, count: int, found: dict[str, Any]) -> list[Figure]:
    """What a case took against what it may take."""
    allowed = 1.2 * found["vectors_mb"] + SPARE_MB
    extra = found["peak_mb"] - found["before_mb"]
    made = [Figure(f"{case}, {count:,} chunks: extra MB", extra, round(allowed), False)]
    if case.startswith("stored"):
        whole = f"{case}, {count:,} chunks: peak MB of the process"
        made.append(Figure(whole, found["peak_mb"], WHOLE_MB, False))
    return made


def main() -> None:
    """Every case, or one of them in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--encoded", type=int, default=200_000)
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.case:
        print(json.dumps(run_case(asked.case, asked.chunks, asked.folder)))
        return
    made: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        for count in {asked.chunks, asked.encoded}:
            write_vectors(Path(name) / str(count), count)
        for case in asked.only:
            count = asked.chunks if case.startswith("stored") else asked.encoded
            made += figures(case, count, child(case, count, Path(name)))
    verdict("memory", made, {})


if __name__ == "__main__":
    main()
