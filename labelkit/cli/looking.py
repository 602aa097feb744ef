"""Commands that look at candidates before or beside a run: preflight, robustness, latency."""

from __future__ import annotations

import click

from labelkit.cli.bench import (
    cache_of,
    candidates_of,
    candidates_option,
    plan_of,
    release_option,
    workspace_if_any,
)
from labelkit.cli.common import Progress, json_option, show, workspace_option


@click.command()
@workspace_option
@json_option
@release_option
@candidates_option
def preflight(
    workspace_path: str, as_json: bool, release: str, candidates_file: str | None
) -> None:
    """Look at candidates before money or hours are spent; exit code 1 where one would be stopped.

    Prompts, truncation, empty texts, sound vectors, order, and what a run would take.
    """
    from labelkit import releases
    from labelkit.bench.preflight import preflight_all
    from labelkit.bench.preflight_text import preflight_text

    workspace = workspace_if_any(workspace_path)
    chosen = candidates_of(candidates_file)
    frozen = releases.load(releases.find(workspace, release), workspace)
    progress = Progress()
    with cache_of(workspace) as cache:
        found = preflight_all(chosen, frozen.documents, frozen.queries, cache, progress)
    progress.end()
    figures = {"candidates": [{**one.as_dict(), "passed": one.passed} for one in found]}
    show(figures, as_json, preflight_text(found))
    if not all(one.passed for one in found):
        raise click.exceptions.Exit(1)


@click.command()
@workspace_option
@json_option
@release_option
@candidates_option
@click.option(
    "--change",
    "changes",
    multiple=True,
    help="spelling, casing, punctuation, 'dropped word', 'query boilerplate' or duplicates (the "
    "default: none of them needs a document encoded again); 'document boilerplate' or 'answer at "
    "the end'; can be repeated.",
)
@click.option("--primary", help="The metric that is compared, such as ndcg@10 (the default).")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the changes.")
def robustness(
    workspace_path: str,
    as_json: bool,
    release: str,
    candidates_file: str | None,
    changes: tuple[str, ...],
    primary: str | None,
    seed: int,
) -> None:
    """What misspelled, shouted, shortened or wordy queries cost, and changed documents."""
    from labelkit import releases
    from labelkit.bench import robustness as panel

    workspace = workspace_if_any(workspace_path)
    frozen = releases.load(releases.find(workspace, release), workspace)
    plan = plan_of(primary, (), seed=seed)
    chosen = candidates_of(candidates_file)
    progress = Progress()
    with cache_of(workspace) as cache:
        asked = changes or panel.CHEAP
        found = panel.robustness(frozen, chosen, cache, plan, asked, progress)
    progress.end()
    figures = {"primary": plan.primary, "candidates": [one.as_dict() for one in found]}
    show(figures, as_json, panel.robustness_text(found, plan.primary))


@click.command()
@workspace_option
@json_option
@release_option
@candidates_option
def latency(workspace_path: str, as_json: bool, release: str, candidates_file: str | None) -> None:
    """How long a query takes alone, with 4 and with 16 at once, and after a start."""
    from labelkit import releases
    from labelkit.bench import latency as timing

    workspace = workspace_if_any(workspace_path)
    frozen = releases.load(releases.find(workspace, release), workspace)
    chosen = candidates_of(candidates_file)
    progress = Progress()
    with cache_of(workspace) as cache:
        found = timing.latency(frozen, chosen, cache, progress)
    progress.end()
    figures = {"candidates": [one.as_dict() for one in found]}
    show(figures, as_json, timing.latency_text(found))
