"""Commands that let a language model draft queries, or grade pairs beside the humans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
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
    endpoint_options,
    estimate_text,
    limit_options,
    person_option,
    plan_options,
    plan_text,
    planned,
    prompt_of,
    prompt_option,
    retriever_option,
    taken,
)
from labelkit.cli.model_work import go_on_judging, go_on_rewriting, judge
from labelkit.cli.reviewing import rest, sample
from labelkit.errors import InputError
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.store import Workspace
    from labelkit.store.llm import Item

ITEM_IDS = ("query_id", "doc_id")


@click.group()
def draft() -> None:
    """Let a language model draft queries; people review them.

    The key is read from LABELKIT_LLM_KEY (or OPENAI_API_KEY, for OpenAI's own address only).
    """


draft.add_command(sample)
draft.add_command(rest)


@draft.command()
@workspace_option
@json_option
@plan_options
def plan(workspace_path: str, as_json: bool, **given: Any) -> None:
    """Show which passages would be drafted from, and why others not."""
    drawn = planned(open_workspace(workspace_path), given)
    passages = [{"doc_id": p.doc_id, "start": p.start, "end": p.end} for p in drawn.passages]
    show({**drawn.as_dict(), "passages": passages}, as_json, plan_text(drawn))


@draft.command()
@workspace_option
@json_option
@plan_options
@endpoint_options
@limit_options
@prompt_option
def estimate(workspace_path: str, as_json: bool, prompt_file: str | None, **given: Any) -> None:
    """Show what a run would take, in tokens and money; nothing is sent."""
    from labelkit import drafting

    workspace = open_workspace(workspace_path)
    drawn, endpoint, decoding, limits = taken(workspace, given)
    found = drafting.estimate(workspace, drawn, endpoint, prompt_of(prompt_file), decoding, limits)
    show(asdict(found), as_json, f"{plan_text(drawn)}\n{estimate_text(found)}")


@draft.command()
@workspace_option
@json_option
@plan_options
@endpoint_options
@limit_options
@prompt_option
@retriever_option
@person_option
def run(
    workspace_path: str,
    as_json: bool,
    prompt_file: str | None,
    names: tuple[str, ...],
    person: str | None,
    **given: Any,
) -> None:
    """Draft queries: plan, estimate, ask, check. Ctrl+C stops; `resume` goes on."""
    from labelkit import drafting

    workspace = open_workspace(workspace_path)
    drawn, endpoint, decoding, limits = taken(workspace, given)
    prompt = prompt_of(prompt_file)
    drafting.require_key(endpoint.base_url)
    found = drafting.estimate(workspace, drawn, endpoint, prompt, decoding, limits)
    click.echo(f"{plan_text(drawn)}\n{estimate_text(found)}", err=True)
    lead = acting_person(workspace, person)
    run_id = drafting.start(workspace, lead, drawn, endpoint, prompt, decoding, limits)
    click.echo(f"Run {run_id}.", err=True)
    work_on(workspace, run_id, names, as_json)


@draft.command()
@workspace_option
@json_option
@click.argument("run_id", required=False)
@click.option("--retry-failed", is_flag=True, help="Ask the failed passages again, only them.")
@click.option("--max-tokens-total", type=click.IntRange(1), help="A new cap in tokens.")
@click.option("--max-cost", type=float, help="A new cap in money.")
@retriever_option
@person_option
def resume(
    workspace_path: str,
    as_json: bool,
    run_id: str | None,
    retry_failed: bool,
    max_tokens_total: int | None,
    max_cost: float | None,
    names: tuple[str, ...],
    person: str | None,
) -> None:
    """Go on with a run (default: the newest that drafts): what was paid is not asked again.

    RUN_ID may also be a run that grades pairs or rewrites follow-ups.
    """
    from dataclasses import replace

    from labelkit import drafting
    from labelkit.drafting.endpoint import limits_of

    workspace = open_workspace(workspace_path)
    chosen, lead = run_or_newest(workspace, run_id), acting_person(workspace, person)
    limits = limits_of(drafting.standing(workspace, chosen).run.limits)
    changed = replace(
        limits,
        max_tokens_total=max_tokens_total or limits.max_tokens_total,
        max_cost=max_cost or limits.max_cost,
    )
    if changed != limits:
        drafting.change_limits(workspace, lead, chosen, changed)
    if retry_failed:
        drafting.retry_failed(workspace, lead, chosen)
    drafting.resume(workspace, lead, chosen)
    purpose = drafting.standing(workspace, chosen).run.purpose
    if purpose == "judge":
        go_on_judging(workspace, lead, chosen, as_json)
    elif purpose == "rewrite":
        go_on_rewriting(workspace, chosen, as_json)
    else:
        work_on(workspace, chosen, names, as_json)


@draft.command()
@workspace_option
@json_option
@click.argument("run_id", required=False)
def status(workspace_path: str, as_json: bool, run_id: str | None) -> None:
    """Show where a run stands (the newest by default), its cost and its failures."""
    workspace = open_workspace(workspace_path)
    report(workspace, run_or_newest(workspace, run_id), "", as_json)


@draft.command()
@workspace_option
@click.argument("run_id", required=False)
@person_option
def pause(workspace_path: str, run_id: str | None, person: str | None) -> None:
    """Let a run that works in another process stop after its open requests."""
    from labelkit import drafting

    workspace = open_workspace(workspace_path)
    chosen = run_or_newest(workspace, run_id)
    drafting.pause(workspace, acting_person(workspace, person), chosen)
    click.echo(f"Run {chosen} stops after its open requests; `labelkit draft resume` goes on.")


@draft.command()
@workspace_option
@retriever_option
def check(workspace_path: str, names: tuple[str, ...]) -> None:
    """Check the drafts that were not checked yet against the whole corpus."""
    from labelkit import drafting

    progress = Progress()
    workspace = open_workspace(workspace_path)
    number = drafting.check_drafts(workspace, names=names or None, progress=progress)
    progress.end()
    click.echo(f"{counted(number, 'draft')} checked.")


@draft.command()
def prompt() -> None:
    """Print the prompt as a TOML file, to be edited and given to run --prompt."""
    from labelkit.drafting import Prompt

    default = Prompt()
    click.echo(f"system = '''\n{default.system}'''\n\nuser = '''\n{default.user}'''")


draft.add_command(judge)


def run_or_newest(workspace: Workspace, run_id: str | None) -> str:
    """The run that was named, of any purpose, or the newest one that drafts."""
    from labelkit import drafting

    if run_id is not None:
        return drafting.standing(workspace, run_id).run.run_id
    newest = next(iter(drafting.runs(workspace)), None)
    if newest is None:
        raise InputError("There is no drafting run yet: labelkit draft run starts one.")
    return newest.run_id


def work_on(workspace: Workspace, run_id: str, names: Sequence[str], as_json: bool) -> None:
    """Ask for what waits, check the drafts, and say where the run stands."""
    from labelkit import drafting

    progress = Progress()
    base_url = drafting.standing(workspace, run_id).run.base_url
    try:
        stopped = drafting.go_on(
            workspace, run_id, key=drafting.require_key(base_url), progress=progress
        )
    except KeyboardInterrupt:
        progress.end()
        click.echo(f"Stopped; what was paid is kept. labelkit draft resume {run_id}", err=True)
        raise
    drafting.check_drafts(workspace, names=names or None, progress=progress)
    progress.end()
    report(workspace, run_id, stopped, as_json)


def report(workspace: Workspace, run_id: str, stopped: str, as_json: bool) -> None:
    """Print where a run stands."""
    from labelkit import drafting

    stands = drafting.standing(workspace, run_id)
    spent = stands.spent
    cost = "" if stands.cost is None else f", {stands.cost:.4f} in money"
    what = {"draft": "passages", "judge": "gradings"}.get(stands.run.purpose, "follow-ups")
    drafts = f"; {counted(stands.drafts, 'draft')}" if stands.run.purpose == "draft" else ""
    lines = [
        f"Run {run_id}{f' stopped: {stopped}' if stopped else ''}: {stands.done} of {stands.total} "
        f"{what} done, {stands.failed} failed, {stands.waiting} wait{drafts}.",
        f"{counted(spent.answered, 'reply')}, {spent.input_tokens:,} + {spent.output_tokens:,} "
        f"tokens{cost}"
        + (f"; {counted(spent.lost, 'request')} perhaps paid in vain" if spent.lost else ""),
        *(f"  {_name(item)}: {item.why}" for item in stands.failures[:10]),
    ]
    if len(stands.failures) > 10:
        lines.append(f"  and {len(stands.failures) - 10} more (--json lists all)")
    figures = {
        "run": run_id,
        "stopped": stopped,
        **{name: getattr(stands, name) for name in ("done", "failed", "waiting", "drafts", "cost")},
        "spent": asdict(spent),
        "failures": [
            {**{n: one.item[n] for n in ITEM_IDS if n in one.item}, "why": one.why}
            for one in stands.failures
        ],
    }
    show(figures, as_json, "\n".join(lines))


def _name(item: Item) -> str:
    return " with ".join(str(item.item[name]) for name in ITEM_IDS if name in item.item)
