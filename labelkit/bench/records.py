"""What becomes of one candidate in a run, on disk, so that a killed run can go on."""

from __future__ import annotations

import hashlib
import traceback
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.bench import files
from labelkit.bench.preflight import has_work, looked_at
from labelkit.bench.reasons import FOREIGN, reason
from labelkit.errors import CandidateError, InputError, LabelkitError
from labelkit.retrieval import Candidate, Retrieval
from labelkit.retrieval.approximate import overlap
from labelkit.retrieval.availability import require_available
from labelkit.retrieval.machine import forget_peak, peak_memory
from labelkit.retrieval.request import Request
from labelkit.retrieval.retrieve import asked

PERCENTILES = (50, 95, 99)
LOGGED = " (all of it in logs/{name}.log)"


class State(StrEnum):
    """Where a candidate stands; none disappears from a table."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"
    EXCLUDED = "excluded"


def new_record(candidate: Candidate, state: State, why: str = "") -> dict[str, Any]:
    """A record without results."""
    return {"name": candidate.name, "state": state.value, "why": why}


def run_candidate(candidate: Candidate, request: Request, folder: Path) -> dict[str, Any]:
    """Run one candidate, write its files and return its record; never raises for its failure.

    Its chunks are cut and hashed once, for the look before and for the run.
    """
    if candidate.excluded:
        return new_record(candidate, State.EXCLUDED, candidate.excluded)
    reason = unavailable(candidate)
    if reason:
        return new_record(candidate, State.UNAVAILABLE, reason)
    started = datetime.now(UTC)
    forget_peak()
    try:
        before = None
        if has_work(candidate, request):
            before = looked_at(candidate, request)
        if before is not None and not before.passed:
            why = f"stopped before it ran: {'; '.join(before.problems)}"
            return {**new_record(candidate, State.FAILED, why), "preflight": before.as_dict()}
        found = asked(candidate, request)
        return {
            **completed(found, folder),
            "peak_memory_bytes": peak_memory(),
            "started_at": started.isoformat(timespec="seconds"),
            "preflight": None if before is None else before.as_dict(),
        }
    except FOREIGN as error:  # the boundary where a candidate, foreign code, runs
        log = files.log_file(folder, candidate.name)
        files.write_bytes(log, traceback.format_exc().encode())
        return new_record(candidate, State.FAILED, explain(candidate, error))


def explain(candidate: Candidate, error: BaseException) -> str:
    """Why a candidate failed, in one line."""
    where = "" if isinstance(error, LabelkitError) else LOGGED.format(name=candidate.name)
    return reason(candidate, error) + where


def unavailable(candidate: Candidate) -> str:
    """Why a candidate cannot run here, or the empty string; loads nothing."""
    try:
        require_available(candidate)
    except CandidateError as error:
        return explain(candidate, error)
    return ""


def completed(found: Retrieval, folder: Path) -> dict[str, Any]:
    """Write the files of a candidate that finished; its record with their hashes."""
    name = found.candidate.name
    written = files.write_run(folder, name, found.hits)
    if found.exact_hits is not None:
        written |= files.write_run(folder, files.exact_name(name), found.exact_hits)
    return {
        **new_record(found.candidate, State.COMPLETED),
        "files": written,
        "fingerprint": found.fingerprint,
        "description": found.description,
        "index": index_words(found.candidate),
        "index_recall": index_recall(found),
        "fidelity": found.fidelity,
        "notes": list(found.notes),
        "chunks": found.chunks,
        "dimensions": found.dimensions,
        "index_bytes": found.index_bytes,
        "truncated_share": found.truncated_share,
        "lost_token_share": found.lost_token_share,
        "latency_ms": latency(found),
        "machine": found.machine,
        "device": found.device,
        "build_seconds": found.build_seconds,
        "encode_seconds": found.encode_seconds,
        "encoded_documents": found.encoded_documents,
        "encoded_queries": found.encoded_queries,
        "billed_tokens": found.billed_tokens,
        "cost": cost(found),
        "damaged_shards": found.damaged_shards,
    }


def index_words(candidate: Candidate) -> str:
    """How a candidate searches, in words."""
    words = {
        "bm25": "bm25s",
        "fusion": f"{candidate.fusion} of {', '.join(part.name for part in candidate.parts)}",
        "rerank": f"first {candidate.rerank_depth} of {candidate.parts[0].name} reranked"
        if candidate.parts
        else "",
        "http": "a live service",
        "run": "a run made elsewhere",
    }
    kinds = {"exact": "exact, blocks of matrix products", "hnsw": "faiss HNSW", "ivf": "faiss IVF"}
    return words.get(candidate.kind) or kinds[candidate.index.kind]


def index_recall(found: Retrieval) -> dict[str, float] | None:
    """What an approximate index finds of the exact top 10 and of all that was asked for."""
    if found.exact_hits is None:
        return None
    depths = dict.fromkeys((min(10, found.depth), found.depth))
    return {f"top {k}": overlap(found.hits, found.exact_hits, k) for k in depths}


def cost(found: Retrieval) -> float | None:
    """What a server's tokens cost by the price written down; None where no price is."""
    price = found.candidate.about.price
    return None if price is None else found.billed_tokens * price / 1e6


def latency(found: Retrieval) -> dict[str, Any]:
    """Percentiles in milliseconds, one query at a time, encoding and search apart.

    Encoding, and so the total, is null where the vectors come from another machine's cache.
    """
    parts = {"encode": found.encode_ms, "search": found.search_ms}
    parts["total"] = found.encode_ms + found.search_ms
    return {"queries": len(found.search_ms), **{key: spread(ms) for key, ms in parts.items()}}


def spread(milliseconds: NDArray[np.float64]) -> dict[str, float] | None:
    """p50, p95 and p99; None when nothing was measured."""
    if not len(milliseconds) or np.isnan(milliseconds).any():
        return None
    values = np.percentile(milliseconds, PERCENTILES)
    return {f"p{p}": float(value) for p, value in zip(PERCENTILES, values, strict=True)}


def finished_before(folder: Path, candidate: Candidate, libraries: dict[str, str]) -> bool:
    """Whether the folder holds this candidate's whole result, made with these libraries."""
    try:
        record = files.read_json(files.record_file(folder, candidate.name))
    except InputError:
        return False
    if record.get("state") != State.COMPLETED or record.get("libraries") != libraries:
        return False
    return all(
        (folder / name).is_file()
        and hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
        for name, digest in record["files"].items()
    )
