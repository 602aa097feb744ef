"""The files of a run folder, each written whole or not at all."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelkit.errors import InputError
from labelkit.formats import trec
from labelkit.formats.spreadsheet import harmless
from labelkit.retrieval import Hit

MANIFEST, SUMMARY, PER_QUERY = "manifest.json", "summary.json", "per_query.csv"
COLUMNS = ("query_id", "run", "metric", "relevant_level", "value")

Hits = dict[str, list[Hit]]
RunScores = dict[str, dict[str, float]]


def run_file(folder: Path, name: str) -> Path:
    """The TREC run file of a candidate."""
    return folder / f"{name}.run"


def hits_file(folder: Path, name: str) -> Path:
    """The ranked documents of a candidate with their winning chunks."""
    return folder / "hits" / f"{name}.jsonl"


def exact_name(name: str) -> str:
    """The name of what exact search finds on the vectors of an approximate candidate."""
    return f"exact/{name}"


def record_file(folder: Path, name: str) -> Path:
    """What became of a candidate, and what it took."""
    return folder / "candidates" / f"{name}.json"


def log_file(folder: Path, name: str) -> Path:
    """The traceback of a candidate that failed."""
    return folder / "logs" / f"{name}.log"


def write_bytes(path: Path, content: bytes) -> str:
    """Write a file under a temporary name, flush it and rename it; returns its SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
    return hashlib.sha256(content).hexdigest()


def write_json(path: Path, value: Any) -> str:
    """Write indented JSON in one form; NaN is refused. Returns the file's SHA-256."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=False, allow_nan=False)
    return write_bytes(path, (text + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; raises InputError where the file is missing or damaged."""
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError("no such file; is this the folder of a run?", file=path) from error
    except ValueError as error:
        raise InputError(f"not valid JSON ({error}); run the benchmark again", file=path) from error
    if not isinstance(content, dict):
        raise InputError("holds no JSON object; run the benchmark again", file=path)
    return content


def write_run(folder: Path, name: str, hits: Mapping[str, Sequence[Hit]]) -> dict[str, str]:
    """Write a candidate's TREC run and its hits; the SHA-256 of each by its path in the folder.

    Raises InputError for an id with white space, which a TREC file cannot carry.
    """
    run, ranked = run_file(folder, name), hits_file(folder, name)
    run.parent.mkdir(parents=True, exist_ok=True)
    trec.write_run(run, scores(hits), name)
    return {
        run.relative_to(folder).as_posix(): hashlib.sha256(run.read_bytes()).hexdigest(),
        ranked.relative_to(folder).as_posix(): write_bytes(ranked, hit_lines(hits)),
    }


def scores(hits: Mapping[str, Sequence[Hit]]) -> RunScores:
    """Scores by query and document."""
    return {query: {hit.doc_id: hit.score for hit in ranked} for query, ranked in hits.items()}


def hit_lines(hits: Mapping[str, Sequence[Hit]]) -> bytes:
    """One JSON line per query: query_id and hits as [doc_id, score, chunk_start, chunk_end]."""
    rows = ({"query_id": query_id, "hits": list(ranked)} for query_id, ranked in hits.items())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def read_hits(path: Path) -> Hits:
    """The ranked documents of every query, as `hit_lines` wrote them."""
    try:
        rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
    except FileNotFoundError as error:
        raise InputError("no such file; this candidate did not finish", file=path) from error
    return {row["query_id"]: [Hit(*hit) for hit in row["hits"]] for row in rows}


def per_query_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The per-query table: query_id, run, metric, relevant_level, value.

    An id that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([harmless(row[column]) for column in COLUMNS] for row in rows)
    return stream.getvalue().encode()
