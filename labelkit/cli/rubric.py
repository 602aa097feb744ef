"""Commands on the rubric: its versions, an edit, which labels still count, the re-check."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from labelkit.cli.common import acting_person, json_option, open_workspace, show, workspace_option
from labelkit.wording import counted

person_option = click.option(
    "--person", help="Who does this (a lead's name); default: your user name on this machine."
)


@click.group()
def rubric() -> None:
    """Show, edit and re-check the rubric."""


@rubric.command()
@workspace_option
@json_option
def versions(workspace_path: str, as_json: bool) -> None:
    """List the versions: when, by whom, and whether the meaning changed."""
    from labelkit.judging import rubric_versions

    held = rubric_versions.rubric_versions(open_workspace(workspace_path))
    rows = [
        {
            "version": one.rubric.version,
            "kind": one.kind,
            "means": one.means,
            "saved_at": one.saved_at,
            "note": one.note,
        }
        for one in held
    ]
    lines = [f"v{row['version']}  {row['saved_at']}  {row['kind']}  {row['note']}" for row in rows]
    show(rows, as_json, "\n".join(lines))


@rubric.command(name="show")
@workspace_option
@json_option
def show_(workspace_path: str, as_json: bool) -> None:
    """Print the rubric in force, as Markdown or as the JSON that `save` reads."""
    from labelkit.store import rubrics

    held = rubrics.read_current(open_workspace(workspace_path))
    show(held.body(), as_json, held.markdown())


@rubric.command()
@click.argument("name", type=click.Choice(["general", "support", "products", "code", "policies"]))
def starter(name: str) -> None:
    """Print a rubric to start from, as JSON for `init --rubric` or `rubric save`."""
    from labelkit.rubric import STARTERS

    click.echo(json.dumps(STARTERS[name].body(), ensure_ascii=False, indent=2))


@rubric.command()
@workspace_option
@json_option
@click.argument("old", type=int)
@click.argument("new", type=int)
def diff(workspace_path: str, as_json: bool, old: int, new: int) -> None:
    """What changed from version OLD to version NEW, word by word."""
    from labelkit.judging import rubric_versions

    changes = rubric_versions.changes_between(open_workspace(workspace_path), old, new)
    lines = [change.sentence for change in changes] or ["Nothing changed."]
    show([asdict(change) for change in changes], as_json, "\n".join(lines))


@rubric.command()
@workspace_option
@json_option
@person_option
@click.option("--note", required=True, help="Why it changes; kept with the version.")
@click.option("--wording", is_flag=True, help="You vouch that no label would change: alpha stays.")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
def save(
    workspace_path: str, as_json: bool, person: str | None, note: str, wording: bool, path: str
) -> None:
    """Save the rubric in a JSON file as the next version."""
    from labelkit import projects
    from labelkit.judging import rubric_versions

    workspace = open_workspace(workspace_path)
    saved = rubric_versions.save_rubric(
        workspace,
        acting_person(workspace, person),
        projects.read_rubric(Path(path)),
        wording_only=wording,
        note=note,
    )
    lines = [*(change.sentence for change in saved.changes), saved.explanation]
    show(asdict(saved), as_json, "\n".join(lines))


@rubric.command()
@workspace_option
@json_option
@person_option
@click.option("--note", default="", help="Why; kept with the choice.")
@click.argument("rule", type=click.Choice(["carried", "relabelled", "near_examples"]))
def count(workspace_path: str, as_json: bool, person: str | None, note: str, rule: str) -> None:
    """Choose which labels given under an earlier meaning still count."""
    from labelkit.judging import rubric_versions

    workspace = open_workspace(workspace_path)
    choice = rubric_versions.choose_counting(
        workspace, acting_person(workspace, person), rule, note=note
    )
    pairs = counted(choice.requeued, "pair goes", "pairs go")
    show(asdict(choice), as_json, f"Recorded: {choice.kind}; {pairs} back to the raters.")


@rubric.command()
@workspace_option
@json_option
@person_option
@click.option(
    "--size",
    type=click.IntRange(1),
    default=40,
    show_default=True,
    help="With --draw: how many pairs.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="With --draw: the seed of the draw."
)
@click.option("--draw", is_flag=True, help="Draw a fresh sample first.")
def recheck(
    workspace_path: str, as_json: bool, person: str | None, size: int, seed: int, draw: bool
) -> None:
    """Compare agreement before and after the last change of meaning."""
    from labelkit.judging import rechecking

    workspace = open_workspace(workspace_path)
    if draw:
        rechecking.draw_recheck(workspace, acting_person(workspace, person), size=size, seed=seed)
    told = rechecking.recheck(workspace)
    value = {
        "old_version": told.old_version,
        "new_version": told.new_version,
        "before": told.before.as_dict(),
        "after": told.after.as_dict(),
        "pairs": told.pairs,
        "waiting": told.waiting,
        "sentence": told.sentence,
    }
    show(value, as_json, told.sentence)
