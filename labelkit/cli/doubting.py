"""The command that doubts a winner."""

from __future__ import annotations

import click

from labelkit.cli.bench import workspace_if_any
from labelkit.cli.common import json_option, show, workspace_option


@click.command()
@workspace_option
@json_option
@click.argument("run_dir", type=click.Path(exists=True, file_okay=False))
@click.option("--release", help="The release's tag or folder; default: the one that was run.")
@click.option(
    "--draws",
    type=click.IntRange(100),
    default=1_000,
    show_default=True,
    help="How many versions of the labels are drawn.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draws.")
def doubt(
    workspace_path: str,
    as_json: bool,
    run_dir: str,
    release: str | None,
    draws: int,
    seed: int,
) -> None:
    """How often each candidate of a run wins if labels may be wrong, and what would flip it.

    The raters' errors are estimated from the second labels; docs/label-noise.md has the method.
    """
    from labelkit import bench, releases
    from labelkit.bench import doubt as doubting
    from labelkit.bench.doubt_text import doubt_text
    from labelkit.bench.ledger_of_runs import release_of

    result = bench.load_run(run_dir)
    workspace = workspace_if_any(workspace_path)
    if release is None:
        frozen = release_of(result, workspace)
    else:
        frozen = releases.load(releases.find(workspace, release), workspace)
    found = doubting.doubt(result, frozen, draws=draws, seed=seed).as_dict()
    show(found, as_json, doubt_text(found))
