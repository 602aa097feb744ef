"""labelkit assign: make a batch of work, or list the batches with their progress."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from labelkit.cli.common import (
    Progress,
    acting_person,
    json_option,
    open_workspace,
    show,
    workspace_option,
)
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.store.batches import Batch


@click.command()
@workspace_option
@json_option
@click.option("--person", help="Who does this (a lead's name); default: your user name here.")
@click.option("--name", help="Make a batch of this name; without it the batches are listed.")
@click.option("--raters", default=1, show_default=True, help="How many people judge each pair.")
@click.option("--for", "named", multiple=True, help="A rater's name (repeat); none: anyone.")
@click.option("--due", help="A day, such as 2027-01-31.")
@click.option("--query", "query_ids", multiple=True, help="Only this query (repeat).")
@click.option("--source", "sources", multiple=True, help="Only queries of this source (repeat).")
@click.option("--type", "types", multiple=True, help="Only queries of this type (repeat).")
@click.option("--unjudged", is_flag=True, help="Only queries without any judged document.")
@click.option("--retriever", "retrievers", multiple=True, help="Pool with it first (repeat).")
@click.option("--depth", default=10, show_default=True, help="Documents of each retriever.")
def assign(
    workspace_path: str,
    as_json: bool,
    person: str | None,
    name: str | None,
    raters: int,
    named: tuple[str, ...],
    due: str | None,
    query_ids: tuple[str, ...],
    sources: tuple[str, ...],
    types: tuple[str, ...],
    unjudged: bool,
    retrievers: tuple[str, ...],
    depth: int,
) -> None:
    """Make a batch of pairs for named people, or list the batches."""
    from labelkit.judging import assigning
    from labelkit.store.people import person_id_of

    workspace = open_workspace(workspace_path)
    lead = acting_person(workspace, person)
    if name is None:
        found = assigning.standing(workspace, lead)
        text = "\n".join(map(_line, found)) or "No batch was made yet."
        show([asdict(batch) for batch in found], as_json, text)
        return
    wish = assigning.Wish(
        name,
        raters,
        tuple(map(person_id_of, named)),
        due,
        query_ids,
        sources,
        types,
        unjudged,
        retrievers,
        depth,
    )
    progress = Progress()
    made = assigning.make(workspace, lead, wish, progress)
    progress.end()
    also = f" {made.shared} of them stand in another open batch too." if made.shared else ""
    show(asdict(made), as_json, f"{_line(made.batch)}.{also}")


def _line(batch: Batch) -> str:
    who = ", ".join(batch.people) or "anyone"
    due = f", due {batch.due}" if batch.due else ""
    state = "" if batch.open else ", closed"
    stuck = f", {batch.stuck} that its people cannot finish" if batch.stuck else ""
    return (
        f"{batch.name}: {batch.pairs - batch.waiting:,} of {counted(batch.pairs, 'pair')} done, "
        f"{batch.raters} a pair, for {who}{due}{stuck}{state}"
    )
