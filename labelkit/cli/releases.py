"""Commands on frozen releases: diff, ledger, export, adopt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Literal

import click

from labelkit.cli.common import (
    json_option,
    maybe_workspace,
    show,
    user_name,
    workspace_option,
)

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


@click.command()
@workspace_option
@json_option
@click.option("--lead", help="The new project's lead; default: your user name on this machine.")
@click.option("--name", help="The new project's name; default: the folder's.")
@click.option(
    "--prefer",
    type=click.Choice(["first", "second"]),
    help="Whose documents, queries and rubric to take where two releases differ.",
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False))
def adopt(
    workspace_path: str,
    as_json: bool,
    lead: str | None,
    name: str | None,
    prefer: Literal["first", "second"] | None,
    folders: tuple[str, ...],
) -> None:
    """Make the new project --workspace from the release folder FOLDERS, or merge two of them."""
    from labelkit import releases

    found = [releases.load(Path(folder)) for folder in folders]
    told = releases.adopt(workspace_path, found, lead=lead or user_name(), name=name, prefer=prefer)
    text = (
        f"Made {told.workspace.path}: {told.queries} queries, {told.documents} documents, "
        f"{told.judgments} judgments ({told.same_judgments} stood in both)."
    )
    met = [f"{one.kind} {one.item}: {one.first} / {one.second}" for one in told.conflicts]
    value = {
        "workspace": str(told.workspace.path),
        "queries": told.queries,
        "documents": told.documents,
        "judgments": told.judgments,
        "same_judgments": told.same_judgments,
        "conflicts": [asdict(one) for one in told.conflicts],
    }
    show(value, as_json, "\n".join([text, *met]))


@click.command()
@workspace_option
@json_option
@click.argument("old_run", type=click.Path(exists=True, file_okay=False))
@click.argument("new_run", type=click.Path(exists=True, file_okay=False))
@click.option("--candidate", required=True, help="The candidate's name in the older run.")
@click.option("--as", "renamed", help="Its name in the newer run, if another.")
@click.option("--metric", help="Default: the older run's primary metric.")
def ledger(
    workspace_path: str,
    as_json: bool,
    old_run: str,
    new_run: str,
    candidate: str,
    renamed: str | None,
    metric: str | None,
) -> None:
    """Why a candidate's score moved from OLD_RUN to NEW_RUN, each with the release it ran on."""
    from labelkit import releases
    from labelkit.bench import load_run
    from labelkit.bench.ledger import ledger as split

    workspace = maybe_workspace(workspace_path)
    runs = [load_run(old_run), load_run(new_run)]
    found = [
        releases.load(releases.find(workspace, run.manifest["release_folder"])) for run in runs
    ]
    told = split(
        found[0].qrels,
        found[1].qrels,
        runs[0].run(candidate),
        runs[1].run(renamed or candidate),
        metric or str(runs[0].plan.primary),
        relevant_level=runs[0].plan.relevant_level,
    )
    show(told.as_dict(), as_json, told.sentence)
