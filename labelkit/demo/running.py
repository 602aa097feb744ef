"""The demo's benchmark: its candidates against its frozen release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from labelkit import bench, releases
from labelkit.bench import RunResult
from labelkit.demo.build import DATA, TAG
from labelkit.retrieval import load_candidates
from labelkit.store import Workspace

RUN = "demo"


def run(
    workspace: Workspace, progress: Callable[[int, int, str], None], data: Path = DATA
) -> RunResult:
    """Run the demo's candidates, or read the run that has finished; a killed one goes on."""
    folder = workspace.runs / RUN
    if (folder / "summary.json").exists():
        held = bench.load_run(folder)
        if held.finished:
            return held
    release = releases.load(releases.find(workspace, TAG), workspace)
    candidates = load_candidates(data / "candidates.toml")
    return bench.run_benchmark(release, candidates, folder, None, progress, workspace.cache)
