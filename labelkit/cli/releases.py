"""Commands on frozen releases: diff, export."""

from __future__ import annotations

from pathlib import Path

import click

from labelkit.cli.common import json_option, maybe_workspace, show, workspace_option

FORMS = ("trec", "beir", "mteb", "jsonl", "csv", "parquet")

corpus_option = click.option(
    "--corpus",
    "corpus_path",
    type=click.Path(exists=True, dir_okay=False),
    help="The documents as JSON lines, for a release that was frozen without texts.",
)


@click.command()
@workspace_option
@json_option
@click.argument("old")
@click.argument("new")
def diff(workspace_path: str, as_json: bool, old: str, new: str) -> None:
    """What changed from release OLD to release NEW (tags or folders)."""
    from labelkit import releases

    workspace = maybe_workspace(workspace_path)
    both = [releases.load(releases.find(workspace, name), workspace) for name in (old, new)]
    found = releases.diff(*both)
    show(found.as_dict(), as_json, releases.diff_text(found))


@click.command()
@workspace_option
@corpus_option
@click.argument("release")
@click.option("--out", required=True, type=click.Path(file_okay=False), help="A new folder.")
@click.option(
    "--form",
    "forms",
    multiple=True,
    type=click.Choice(FORMS),
    default=("trec", "beir"),
    show_default=True,
    help="Repeat for more.",
)
def export(
    workspace_path: str, corpus_path: str | None, release: str, out: str, forms: tuple[str, ...]
) -> None:
    """Write RELEASE (a tag or a folder) in the forms of other tools."""
    from labelkit import releases
    from labelkit.releases.corpus import read_corpus

    workspace = maybe_workspace(workspace_path)
    loaded = releases.load(releases.find(workspace, release), workspace)
    if not loaded.texts and (corpus_path or workspace):
        loaded = releases.complete(loaded, read_corpus(corpus_path), workspace)
    written = releases.export(loaded, Path(out), forms)
    click.echo("\n".join(f"wrote {path}" for path in written))
