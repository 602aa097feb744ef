"""Preflight, robustness and latency as jobs: what they find is kept beside the runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelkit import releases
from labelkit.bench import files
from labelkit.bench.latency import latency
from labelkit.bench.plan import Plan, plan_from_dict
from labelkit.bench.preflight import preflight_all
from labelkit.bench.preflight_text import facts
from labelkit.bench.robustness import CHEAP, robustness
from labelkit.bench.run import ReleaseData, now
from labelkit.retrieval import Candidate, candidate_from_dict, default_candidates
from labelkit.store import Workspace

KINDS = ("preflight", "robustness", "latency")

Arguments = Mapping[str, Any]
Progress = Callable[[int, int, str], None]


def run_preflight(workspace: Workspace, arguments: Arguments, progress: Progress) -> None:
    """Look at candidates before they run. `arguments`: release, candidates (as `bench.job`)."""
    release, candidates, _ = _asked(workspace, arguments)
    found = preflight_all(candidates, release.documents, release.queries, workspace.cache, progress)
    rows = [{**one.as_dict(), "passed": one.passed, "facts": facts(one)} for one in found]
    _keep(workspace, "preflight", release, {"candidates": rows})


def run_robustness(workspace: Workspace, arguments: Arguments, progress: Progress) -> None:
    """Score candidates under changed queries and doubled documents, on the plan's metric."""
    release, candidates, plan = _asked(workspace, arguments)
    found = robustness(release, candidates, workspace.cache, plan, CHEAP, progress)
    rows = [one.as_dict() for one in found]
    _keep(workspace, "robustness", release, {"primary": plan.primary, "candidates": rows})


def run_latency(workspace: Workspace, arguments: Arguments, progress: Progress) -> None:
    """Time queries alone and several at once, and the first answer after a start."""
    release, candidates, _ = _asked(workspace, arguments)
    found = latency(release, candidates, workspace.cache, progress)
    _keep(workspace, "latency", release, {"candidates": [one.as_dict() for one in found]})


def latest(workspace: Workspace, kind: str, tag: str) -> dict[str, Any] | None:
    """What the last job of a kind found on a release; None where there was none."""
    path = _file(workspace, kind, tag)
    return files.read_json(path) if path.is_file() else None


def _asked(
    workspace: Workspace, arguments: Arguments
) -> tuple[ReleaseData, Sequence[Candidate], Plan]:
    given = arguments.get("candidates")
    chosen = default_candidates() if given is None else [candidate_from_dict(one) for one in given]
    tag = str(arguments["release"])
    release = releases.load(releases.find(workspace, tag), workspace)
    release = releases.complete(release, None, workspace)
    return release, chosen, plan_from_dict(arguments.get("plan") or {})


def _keep(workspace: Workspace, kind: str, release: ReleaseData, found: Mapping[str, Any]) -> None:
    about = {"tag": release.tag, "content_sha256": release.content_sha256}
    content = {"kind": kind, "release": about, "made_at": now(), **found}
    path = _file(workspace, kind, release.tag)
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_json(path, content)


def _file(workspace: Workspace, kind: str, tag: str) -> Path:
    return workspace.runs / "panels" / f"{kind}-{tag}.json"
