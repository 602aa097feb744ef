"""Commands that let a model grade pairs, or put follow-ups so that they stand alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelkit.cli.common import (
    Progress,
    acting_person,
    json_option,
    open_workspace,
    show,
    workspace_option,
)
from labelkit.cli.drafting_options import (
    asked_of,
    endpoint_options,
    estimate_text,
    limit_options,
    person_option,
)
from labelkit.errors import InputError
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.drafting import Standing
    from labelkit.drafting.llm_judge import JudgePlan
    from labelkit.store import Workspace

look_option = click.option("--look", is_flag=True, help="Say what it would take; send nothing.")
LISTED = 10


@click.command()
@workspace_option
@json_option
@endpoint_options
@limit_options
@click.option("--sample", type=click.IntRange(1), help="Grade this many pairs, drawn by the seed.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same draw."
)
@look_option
@person_option
def judge(
    workspace_path: str,
    as_json: bool,
    sample: int | None,
    seed: int,
    look: bool,
    person: str | None,
    **given: Any,
) -> None:
    """Let a model grade pooled pairs twice each, in a table of its own; leads only."""
    from labelkit import drafting
    from labelkit.drafting import llm_judge

    workspace = open_workspace(workspace_path)
    endpoint, decoding, limits = asked_of(given)
    lead = acting_person(workspace, person)
    chosen: dict[str, Any] = {"decoding": decoding, "sample": sample, "seed": seed}
    plan = llm_judge.look(workspace, lead, endpoint, limits, **chosen)
    click.echo(_judge_plan(plan), err=True)
    if look:
        return
    drafting.require_key(endpoint.base_url)
    run_id = llm_judge.start(workspace, lead, endpoint, limits, **chosen)
    click.echo(f"Run {run_id}.", err=True)
    go_on_judging(workspace, lead, run_id, as_json)


def go_on_judging(workspace: Workspace, lead: str, run_id: str, as_json: bool) -> None:
    """Ask for the grades that wait, and say what the run is worth."""
    from labelkit.drafting import llm_judge

    stopped = _work_on(workspace, run_id, llm_judge.go_on)
    tell_judged(workspace, lead, run_id, stopped, as_json)


def _judge_plan(plan: JudgePlan) -> str:
    lines = [f"{counted(len(plan.pairs), 'pair')}, each asked twice.", estimate_text(plan.estimate)]
    for query_id, doc_id, size in plan.too_long[:LISTED]:
        lines.append(f"left out: {query_id} with {doc_id}, {size:,} characters are too long")
    if len(plan.too_long) > LISTED:
        lines.append(f"and {len(plan.too_long) - LISTED:,} more whose documents are too long")
    return "\n".join(lines)


def tell_judged(workspace: Workspace, lead: str, run_id: str, stopped: str, as_json: bool) -> None:
    """Print how far the model agrees with itself and with people."""
    from labelkit.drafting import judge_report
    from labelkit.judging.agreeing import labels_of

    labels = labels_of(workspace, rubric_version=judge_report.rubric_version(workspace, run_id))
    found = judge_report.report(workspace, lead, run_id, labels)
    share = "–" if found.self_consistency is None else f"{found.self_consistency:.0%}"
    text = (
        f"Run {run_id}{f' stopped: {stopped}' if stopped else ''}. "
        f"{counted(found.graded_twice, 'pair')} graded twice, {share} with the same level; "
        f"{counted(len(found.failed), 'request')} gave no grade.\n"
        f"Model with people: {found.with_people.sentence}\n"
        f"People with each other, same pairs: {found.among_people.sentence}"
    )
    figures = {
        "run": run_id,
        "stopped": stopped,
        "graded_twice": found.graded_twice,
        "same_twice": found.same_twice,
        "with_people": found.with_people.as_dict(),
        "among_people": found.among_people.as_dict(),
        "failed": [item.why for item in found.failed],
    }
    show(figures, as_json, text)


@click.command()
@workspace_option
@json_option
@endpoint_options
@limit_options
@click.option(
    "--instructions",
    type=click.Path(exists=True, dir_okay=False),
    help="A text file with other instructions; their hash is kept with the run.",
)
@look_option
@person_option
@click.argument("query_ids", nargs=-1)
def rewrite(
    workspace_path: str,
    as_json: bool,
    instructions: str | None,
    look: bool,
    person: str | None,
    query_ids: tuple[str, ...],
    **given: Any,
) -> None:
    """Let a model put follow-ups so that they stand alone; what was typed stays beside it.

    Without QUERY_IDS: every accepted follow-up that has no rewritten form.
    """
    from labelkit import drafting, intake
    from labelkit.drafting import rewriting

    workspace = open_workspace(workspace_path)
    endpoint, _, limits = asked_of(given)
    lead, prompt = acting_person(workspace, person), _instructions(workspace, instructions)
    wanted = query_ids or [query.query_id for query in intake.to_rewrite(workspace)]
    found = rewriting.estimate(workspace, wanted, endpoint, limits, prompt=prompt)
    click.echo(f"{len(wanted):,} follow-ups. {estimate_text(found)}", err=True)
    if look:
        return
    drafting.require_key(endpoint.base_url)
    run_id = rewriting.start(workspace, lead, wanted, endpoint, limits, prompt=prompt)
    click.echo(f"Run {run_id}.", err=True)
    go_on_rewriting(workspace, run_id, as_json)


def go_on_rewriting(workspace: Workspace, run_id: str, as_json: bool) -> None:
    """Ask for the rewritten forms that wait, and say what became of them."""
    from labelkit import drafting
    from labelkit.drafting import rewriting

    stopped = _work_on(workspace, run_id, rewriting.go_on)
    tell_rewritten(drafting.standing(workspace, run_id), stopped, as_json)


def _instructions(workspace: Workspace, file: str | None) -> Any:
    from labelkit.drafting import rewriting
    from labelkit.drafting.rewrite_prompt import RewritePrompt

    if file is None:
        return rewriting.newest_prompt(workspace)
    try:
        return RewritePrompt(Path(file).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"this is no UTF-8 text ({error.reason})", file=file) from None


def tell_rewritten(stands: Standing, stopped: str, as_json: bool) -> None:
    """Print how far a run is, and what failed."""
    lines = [
        f"Run {stands.run.run_id}{f' stopped: {stopped}' if stopped else ''}: {stands.done} of "
        f"{stands.total} rewritten, {stands.failed} failed, {stands.waiting} wait; "
        f"{stands.spent.input_tokens:,} + {stands.spent.output_tokens:,} tokens.",
        *(f"  {one.item['query_id']}: {one.why}" for one in stands.failures[:LISTED]),
    ]
    figures = {
        "run": stands.run.run_id,
        "stopped": stopped,
        **{name: getattr(stands, name) for name in ("done", "failed", "waiting", "cost")},
        "failures": [{"query_id": o.item["query_id"], "why": o.why} for o in stands.failures],
    }
    show(figures, as_json, "\n".join(lines))


def _work_on(workspace: Workspace, run_id: str, go_on: Callable[..., str]) -> str:
    """Ask for what waits; returns why it stopped early."""
    from labelkit import drafting

    progress = Progress()
    key = drafting.require_key(drafting.standing(workspace, run_id).run.base_url)
    try:
        stopped = go_on(workspace, run_id, key=key, progress=progress)
    except KeyboardInterrupt:
        progress.end()
        click.echo(f"Stopped; what was paid is kept. labelkit draft resume {run_id}", err=True)
        raise
    progress.end()
    return stopped
