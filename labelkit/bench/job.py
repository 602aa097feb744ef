"""A benchmark as a job: the same verb as on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labelkit import releases
from labelkit.bench.plan import plan_from_dict
from labelkit.bench.run import run_benchmark
from labelkit.retrieval import candidate_from_dict, default_candidates
from labelkit.store import Workspace


def run(
    workspace: Workspace, arguments: Mapping[str, Any], progress: Callable[[int, int, str], None]
) -> None:
    """Run candidates against a release of the workspace.

    `arguments`: release (a tag), candidates (as `Candidate.as_dict`; default: the built-in
    ones), plan (as `Plan.as_dict`; default: `Plan()`) and out (a folder; default: a new one
    under the workspace's runs).
    """
    tag = str(arguments["release"])
    given = arguments.get("candidates")
    chosen = default_candidates() if given is None else [candidate_from_dict(one) for one in given]
    release = releases.load(releases.find(workspace, tag), workspace)
    release = releases.complete(release, None, workspace)
    out = arguments.get("out")
    run_benchmark(
        release,
        chosen,
        Path(out) if out else new_run_folder(workspace, tag),
        plan_from_dict(arguments.get("plan") or {}),
        progress,
        workspace.cache,
    )


def new_run_folder(workspace: Workspace, tag: str) -> Path:
    """A folder for a new run of a release, named after the tag and the moment."""
    return workspace.runs / f"{tag}-{datetime.now(UTC):%Y%m%dT%H%M%S}"
