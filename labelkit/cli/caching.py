"""The command that shows the embedding cache and makes room in it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import click

from labelkit.cli.common import json_option, open_workspace, show, workspace_option

DAY = 86_400


@click.command()
@workspace_option
@json_option
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False),
    help="A cache elsewhere; default: that of the workspace.",
)
@click.option("--prune", is_flag=True, help="Remove what the next options name (all without).")
@click.option("--unused-days", type=click.IntRange(0), help="Only what nobody read for this long.")
@click.option("--match", default="", help="Only encoders whose line holds this text.")
def cache(
    workspace_path: str,
    as_json: bool,
    folder: str | None,
    prune: bool,
    unused_days: int | None,
    match: str,
) -> None:
    """List the cached embeddings by encoder and side, or remove some."""
    from labelkit.retrieval import cache_folder

    place = Path(folder) if folder else open_workspace(workspace_path).cache
    before = time.time() - DAY * (unused_days or 0)
    found = [
        one
        for one in cache_folder.cached_encoders(place)
        if match in one.words and (unused_days is None or one.used < before)
    ]
    freed = cache_folder.prune(found) if prune else 0
    rows = [
        {
            "encoder": one.words,
            "texts": one.texts,
            "bytes": one.bytes,
            "used": datetime.fromtimestamp(one.used, UTC).isoformat(timespec="minutes"),
            "folder": str(one.folder),
        }
        for one in found
    ]
    lines = [f"{one.bytes / 1e6:10,.1f} MB {one.texts:10,} texts  {one.words}" for one in found]
    total = sum(one.bytes for one in found)
    last = f"{total / 1e6:,.1f} MB in {place}"
    if prune:
        last = f"removed, {freed / 1e6:,.1f} MB freed" if found else "Nothing to remove."
    show({"folder": str(place), "cached": rows, "freed": freed}, as_json, "\n".join([*lines, last]))
