"""Run every candidate against one release and write down all it takes to do it again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import labelkit
from labelkit.bench import files
from labelkit.bench.plan import Plan
from labelkit.bench.records import State, finished_before, new_record, run_candidate
from labelkit.bench.results import RunResult, load_run
from labelkit.bench.summary import summarise
from labelkit.errors import InputError
from labelkit.model import Document, Query
from labelkit.retrieval import Candidate
from labelkit.retrieval.embed import Progress, silent
from labelkit.retrieval.engine import Engine, Here
from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.request import Request
from labelkit.retrieval.weights import library_versions

LIBRARIES = (
    "labelkit", "numpy", "bm25s", "PyStemmer", "faiss-cpu", "wordllama", "tokenizers",
    "sentence-transformers", "transformers", "torch",
)  # fmt: skip


class ReleaseData(Protocol):
    """What a run reads of a release; `labelkit.releases.Release` is one."""

    @property
    def tag(self) -> str:
        """The name under which it was frozen."""

    @property
    def content_sha256(self) -> str:
        """The hash of its content."""

    @property
    def folder(self) -> Path:
        """Where it lies."""

    @property
    def documents(self) -> list[Document]:
        """The corpus."""

    @property
    def queries(self) -> list[Query]:
        """The queries."""

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """query_id to doc_id to level."""

    @property
    def judgments(self) -> list[dict[str, Any]]:
        """Every human judgment, with level and reason."""


def run_benchmark(
    release: ReleaseData,
    candidates: Sequence[Candidate],
    out_dir: Path,
    plan: Plan | None = None,
    progress: Progress = silent,
    cache_dir: Path | None = None,
    engine: Engine | None = None,
) -> RunResult:
    """Run the candidates against a release and leave everything in `out_dir`.

    A candidate that fails is recorded with its reason and the others go on. The same call on the
    folder of a killed run goes on from the candidates that had finished, and from the texts that
    were encoded. Documents are encoded by `engine`, or in this process. Raises InputError when
    the folder holds a run of something else, or when there is nothing to run or to score.
    """
    plan = plan or Plan()
    refuse_empty(release, candidates, plan)
    request = requested(release, candidates, plan)
    open_folder(out_dir, request, release)
    libraries = library_versions(*LIBRARIES)
    asked = Request(
        release.documents, release.queries, plan.depth, cache_dir or out_dir / "cache", progress,
        engine or Here(),
    )  # fmt: skip
    for number, candidate in enumerate(candidates, start=1):
        show_states(out_dir, candidates, candidate.name)
        if not finished_before(out_dir, candidate, libraries):
            named = numbered(progress, f"{candidate.name} ({number} of {len(candidates)})")
            record = run_candidate(candidate, replace(asked, progress=named), out_dir)
            record |= {"libraries": libraries}
            files.write_json(files.record_file(out_dir, candidate.name), record)
    progress(0, 1, "comparing the candidates")
    finish(out_dir, release, candidates, plan)
    progress(1, 1, "comparing the candidates")
    return load_run(out_dir)


def refuse_empty(release: ReleaseData, candidates: Sequence[Candidate], plan: Plan) -> None:
    """Raise InputError where a run could not mean anything."""
    names = [candidate.name for candidate in candidates]
    if not names:
        raise InputError("there is no candidate to run; name at least one")
    if len({name.lower() for name in names}) < len(names):
        raise InputError("two candidates share a name; give each its own")
    if not release.qrels:
        raise InputError(f"release {release.tag!r} holds no judged pair; judge and freeze first")
    if not any(document.text or document.title for document in release.documents):
        raise InputError(
            f"release {release.tag!r} holds no texts; put them back with releases.complete first"
        )
    unknown = {name for pair in plan.pairs or () for name in pair} - set(names)
    if unknown:
        raise InputError(f"the plan compares {min(unknown)!r}, which is not a candidate")


def requested(release: ReleaseData, candidates: Sequence[Candidate], plan: Plan) -> dict[str, Any]:
    """What identifies a run: release, plan and candidates."""
    return {
        "release": {"tag": release.tag, "content_sha256": release.content_sha256},
        "plan": plan.as_dict(),
        "candidates": [candidate.as_dict() for candidate in candidates],
    }


def open_folder(out_dir: Path, request: Mapping[str, Any], release: ReleaseData) -> None:
    """Write the manifest before anything runs, or check that the one there asks for the same."""
    path = out_dir / files.MANIFEST
    if not path.exists():
        files.write_json(path, new_manifest(request, release))
        return
    held = files.read_json(path)
    for part, wanted in request.items():
        if held.get(part) != wanted:
            raise InputError(
                f"holds a run with another {part.rstrip('s')}; choose another folder, or remove "
                "this one",
                file=out_dir,
            )


def new_manifest(request: Mapping[str, Any], release: ReleaseData) -> dict[str, Any]:
    """What is known before the first candidate runs."""
    plan = dict(request["plan"])
    return {
        **request,
        "labelkit_version": labelkit.__version__,
        "created_at": now(),
        "release_folder": str(release.folder.resolve()),
        "corpus": {"documents": len(release.documents), "queries": len(release.queries)},
        "judged_pairs": sum(len(levels) for levels in release.qrels.values()),
        "seeds": {"resampling": plan["seed"]},
        "machine": machine_name(),
        "python": platform.python_version(),
        "libraries": library_versions(*LIBRARIES),
    }


def now() -> str:
    """The present moment in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def numbered(progress: Progress, name: str) -> Progress:
    """Progress that says which candidate is at work."""
    return lambda done, total, message: progress(done, total, f"{name}: {message}")


def show_states(out_dir: Path, candidates: Sequence[Candidate], at_work: str) -> None:
    """Let summary.json say how far the run is, for whoever looks at the folder."""
    states = []
    for candidate in candidates:
        path = files.record_file(out_dir, candidate.name)
        known = files.read_json(path) if path.exists() else new_record(candidate, State.PENDING)
        record = {key: known[key] for key in ("name", "state", "why")}
        if candidate.name == at_work:
            record["state"] = State.RUNNING.value
        states.append(record)
    files.write_json(out_dir / files.SUMMARY, {"state": "running", "candidates": states})


def finish(
    out_dir: Path, release: ReleaseData, candidates: Sequence[Candidate], plan: Plan
) -> None:
    """Score what completed; write the per-query table, the summary and the last of the manifest."""
    records = [files.read_json(files.record_file(out_dir, one.name)) for one in candidates]
    runs = {
        record["name"]: files.scores(files.read_hits(files.hits_file(out_dir, record["name"])))
        for record in records
        if record["state"] == State.COMPLETED
    }
    exact = {
        record["name"]: files.scores(
            files.read_hits(files.hits_file(out_dir, files.exact_name(record["name"])))
        )
        for record in records
        if record.get("index_recall") is not None
    }
    summary, rows = summarise(release, candidates, records, runs, plan, exact)
    table = files.write_bytes(out_dir / files.PER_QUERY, files.per_query_csv(rows))
    complete_manifest(out_dir, records, plan, table)
    files.write_json(out_dir / files.SUMMARY, summary)


def complete_manifest(
    out_dir: Path, records: Sequence[Mapping[str, Any]], plan: Plan, table: str
) -> None:
    """Add to the manifest what the candidates turned out to be, and the files with their hashes."""
    kept = (
        "state", "why", "fingerprint", "description", "index", "chunks", "dimensions",
        "truncated_share", "lost_token_share", "machine", "device", "files",
    )  # fmt: skip
    manifest = files.read_json(out_dir / files.MANIFEST)
    manifest["metric_definitions"] = plan.definitions()
    manifest["results"] = {
        record["name"]: {key: record[key] for key in kept if key in record} for record in records
    }
    manifest["files"] = {files.PER_QUERY: table}
    manifest["finished_at"] = now()
    files.write_json(out_dir / files.MANIFEST, manifest)
