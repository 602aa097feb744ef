"""The change ledger of two runs, each scored under the other's release as well."""

from __future__ import annotations

from pathlib import Path

from labelkit import releases
from labelkit.bench.ledger import Ledger, ledger
from labelkit.bench.results import RunResult
from labelkit.errors import NotReady
from labelkit.releases import Release
from labelkit.store import Workspace


def release_of(run: RunResult, workspace: Workspace | None = None) -> Release:
    """The release that a run was made on, by its content hash: the workspace's, else the one in
    the folder that the run names.

    Raises NotReady where neither is it, InputError where its files have changed.
    """
    wanted = run.manifest["release"]["content_sha256"]
    held = releases.list_releases(workspace) if workspace is not None else []
    for row in held:
        if row.content_sha256 == wanted:
            return releases.load(releases.find(workspace, row.tag), workspace)
    folder = Path(run.manifest.get("release_folder", ""))
    if (folder / "manifest.json").is_file():
        found = releases.load(folder)
        if found.content_sha256 == wanted:
            return found
    raise NotReady(
        f"Run {run.folder.name!r} was made on release {run.manifest['release']['tag']!r} with "
        f"content {wanted[:12]}, which is neither in the workspace nor in {folder}: name a "
        "workspace that holds it."
    )


def ledger_of(
    old: RunResult,
    new: RunResult,
    candidate: str,
    renamed: str | None = None,
    *,
    metric: str | None = None,
    workspace: Workspace | None = None,
) -> Ledger:
    """Why the score of a candidate moved from the older run to the newer one.

    `renamed` is its name in the newer run where it has another, `metric` the older run's primary
    one if not given. Raises InputError where it has no results in one of the runs.
    """
    then, now = (release_of(run, workspace) for run in (old, new))
    return ledger(
        then.qrels,
        now.qrels,
        old.run(candidate),
        new.run(renamed or candidate),
        metric or str(old.plan.primary),
        relevant_level=old.plan.relevant_level,
    )
