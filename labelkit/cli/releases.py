"""Commands on frozen releases: diff, ledger, export, adopt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

import click

from labelkit.cli.common import (
    json_option,
    maybe_workspace,
    show,
    user_name,
    workspace_option,
)

if TYPE_CHECKING:
    from labelkit.releases import Release

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
@click.argument(
    "found", metavar="RELEASES...", nargs=-1, required=True, type=click.Path(exists=True)
)
def adopt(
    workspace_path: str,
    as_json: bool,
    lead: str | None,
    name: str | None,
    prefer: Literal["first", "second"] | None,
    found: tuple[str, ...],
) -> None:
    """Make the new project --workspace from a release (a folder, or its zip), or merge two."""
    from labelkit import releases

    with TemporaryDirectory() as empty:
        told = releases.adopt(
            workspace_path,
            [_release(Path(one), Path(empty) / str(n)) for n, one in enumerate(found)],
            lead=lead or user_name(),
            name=name,
            prefer=prefer,
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
    show(value, as_json, "\n".join([told.sentence, *met]))


def _release(path: Path, empty: Path) -> Release:
    """A release from its folder or from its zip."""
    from labelkit import releases

    return releases.load(releases.unpack(path, empty, path.name) if path.is_file() else path)


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
    from labelkit.bench import load_run
    from labelkit.bench.ledger_of_runs import ledger_of

    workspace = maybe_workspace(workspace_path)
    told = ledger_of(
        load_run(old_run),
        load_run(new_run),
        candidate,
        renamed,
        metric=metric,
        workspace=workspace,
    )
    show(told.as_dict(), as_json, told.sentence)
