"""Commands on a workspace: init, pool, agreement, second-labels, freeze, verify."""

from __future__ import annotations

from pathlib import Path

import click

from labelkit.cli.common import (
    Progress,
    acting_person,
    json_option,
    maybe_workspace,
    open_workspace,
    show,
    user_name,
    workspace_option,
)
from labelkit.wording import counted

person_option = click.option(
    "--person", help="Who does this (a lead's name); default: your user name on this machine."
)


@click.command()
@workspace_option
@click.option("--name", help="The project's name; default: the folder's.")
@click.option("--rubric", type=click.Path(exists=True, dir_okay=False), help="A rubric as JSON.")
@person_option
def init(workspace_path: str, name: str | None, rubric: str | None, person: str | None) -> None:
    """Make a new workspace with its first lead and rubric."""
    from labelkit import projects
    from labelkit.store import Workspace, rubrics

    state = "There was already" if Workspace(workspace_path).database.exists() else "Made"
    workspace = projects.init(
        workspace_path, name, lead=person or user_name(), rubric=Path(rubric) if rubric else None
    )
    version = rubrics.read_current(workspace).version
    click.echo(
        f"{state} the workspace {workspace.path} (rubric v{version}). Next: labelkit import "
        f"documents FILE --workspace {workspace_path}"
    )


@click.command()
@workspace_option
@json_option
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many documents of each retriever.",
)
@click.option(
    "--candidates",
    "candidates_path",
    type=click.Path(exists=True, dir_okay=False),
    help="A TOML file of retrievers; default: BM25, wordllama and MiniLM.",
)
@click.option("--query", "query_ids", multiple=True, help="Only this query id; repeat for more.")
def pool(
    workspace_path: str,
    as_json: bool,
    depth: int,
    candidates_path: str | None,
    query_ids: tuple[str, ...],
) -> None:
    """Pool the top documents of several retrievers for every accepted query."""
    from dataclasses import asdict

    from labelkit import judging
    from labelkit.retrieval import load_candidates

    workspace, progress = open_workspace(workspace_path), Progress()
    report = judging.pool(
        workspace,
        load_candidates(Path(candidates_path)) if candidates_path else None,
        depth=depth,
        query_ids=query_ids or None,
        progress=progress,
    )
    progress.end()
    show(
        asdict(report),
        as_json,
        f"{counted(report.pairs_found, 'pair')} for {counted(report.queries, 'query')} from "
        f"{', '.join(report.retrievers)} at depth {report.depth}; {report.pairs_new:,} new.",
    )


@click.command()
@workspace_option
@json_option
@click.option(
    "--metric",
    type=click.Choice(["ordinal", "nominal", "interval", "ratio"]),
    default="ordinal",
    show_default=True,
    help="How far apart two levels are; ordinal: in their order.",
)
@click.option(
    "--document-key",
    default="type",
    show_default=True,
    help="With --full: the key of the documents' metadata that names their type.",
)
@click.option("--full", is_flag=True, help="In all its parts, with notes on raters (leads only).")
@person_option
def agreement(
    workspace_path: str,
    as_json: bool,
    metric: str,
    document_key: str,
    full: bool,
    person: str | None,
) -> None:
    """Krippendorff's alpha of the independent judgments, with what it stands on."""
    from labelkit import judging
    from labelkit.judging.trust import trust, trust_text

    if full:
        workspace = open_workspace(workspace_path)
        told = trust(workspace, acting_person(workspace, person), document_key=document_key)
        show(told.as_dict(), as_json, trust_text(told))
        return
    report = judging.agreement_report(open_workspace(workspace_path), metric=metric)
    show(report.as_dict(), as_json, report.sentence)


@click.command(name="second-labels")
@workspace_option
@json_option
@person_option
@click.option(
    "--size", type=click.IntRange(1), default=40, show_default=True, help="How many pairs."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed gives the same draw."
)
def second_labels(
    workspace_path: str, as_json: bool, person: str | None, size: int, seed: int
) -> None:
    """Draw pairs for a second, independent label; `agreement --full` says how many are needed."""
    from dataclasses import asdict

    from labelkit.judging.second_labels import draw_second_sample

    workspace = open_workspace(workspace_path)
    drawn = draw_second_sample(workspace, acting_person(workspace, person), size=size, seed=seed)
    levels = ", ".join(
        f"{number} of level {level}" for level, number in sorted(drawn.drawn.items())
    )
    pairs = counted(len(drawn.pairs), "pair waits", "pairs wait")
    show(asdict(drawn), as_json, f"{pairs} for a second label: {levels}.")


@click.command()
@workspace_option
@json_option
@person_option
@click.option(
    "--rule",
    type=click.Choice(["min", "median", "max"]),
    help="Settle pairs on which humans differ by this rule; recorded in the release.",
)
@click.option(
    "--without-text",
    is_flag=True,
    help="Leave the documents' texts out; their hashes stay, and bench asks for the corpus.",
)
@click.argument("tag")
def freeze(
    workspace_path: str,
    as_json: bool,
    person: str | None,
    rule: str | None,
    without_text: bool,
    tag: str,
) -> None:
    """Freeze the project as it is now under TAG."""
    from labelkit import releases

    workspace = open_workspace(workspace_path)
    lead = acting_person(workspace, person)
    frozen = releases.freeze(workspace, tag, lead, rule=rule, texts=not without_text)
    counts = frozen.counts
    text = (
        f"Froze {tag}: {counted(counts['queries_judged'], 'query')}, "
        f"{counted(counts['pairs_resolved'], 'judged pair')}, "
        f"{counted(counts['documents'], 'document')}; content {frozen.content_sha256[:12]}, in "
        f"{frozen.folder}."
    )
    warnings = [f"warning: {warning}" for warning in frozen.warnings]
    value = {
        "tag": tag,
        "content_sha256": frozen.content_sha256,
        "folder": str(frozen.folder),
        "counts": dict(counts),
        "warnings": list(frozen.warnings),
    }
    show(value, as_json, "\n".join([text, *warnings]))


@click.command()
@workspace_option
@json_option
@click.argument("release")
@click.pass_context
def verify(ctx: click.Context, workspace_path: str, as_json: bool, release: str) -> None:
    """Check that RELEASE (a tag or a folder) is byte for byte as it was frozen."""
    from labelkit import releases

    workspace = maybe_workspace(workspace_path)
    folder = releases.find(workspace, release)
    checked = releases.verify(folder, workspace)
    value = {
        "folder": str(folder),
        "ok": checked.ok,
        "content_sha256": checked.content_sha256,
        "problems": list(checked.problems),
    }
    text = f"{folder} is as it was frozen; content {checked.content_sha256}."
    show(value, as_json, text if checked.ok else "\n".join(checked.problems))
    ctx.exit(0 if checked.ok else 1)
