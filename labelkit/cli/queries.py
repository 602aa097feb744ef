"""Commands on queries: list, history, retire, restore, types, and drawing them from files."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from labelkit.cli.common import (
    acting_person,
    json_option,
    open_workspace,
    show,
    workspace_option,
)
from labelkit.cli.drawing import conversations, misses, person_option, sample_log
from labelkit.cli.model_work import rewrite
from labelkit.errors import InputError
from labelkit.model import QuerySource, QueryState
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.model import Query


@click.group()
def queries() -> None:
    """Look after the queries: where they come from, what types they have, which are in use."""


for _drawing in (sample_log, conversations, misses, rewrite):
    queries.add_command(_drawing)


@queries.command(name="list")
@workspace_option
@json_option
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice([one.value for one in QueryState]),
    help="Queries in this state; repeat for more.",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice([one.value for one in QuerySource]),
    help="Queries that came from there; repeat for more.",
)
@click.option("--type", "types", multiple=True, help="Queries of this type; repeat for more.")
@click.option(
    "--language", "languages", multiple=True, help="Queries in this language; repeat for more."
)
@click.option("--words", default="", help="Words that stand in the query, or its id.")
@click.option(
    "--limit", type=click.IntRange(1), default=1000, show_default=True, help="At most so many."
)
def list_(
    workspace_path: str,
    as_json: bool,
    states: tuple[str, ...],
    sources: tuple[str, ...],
    types: tuple[str, ...],
    languages: tuple[str, ...],
    words: str,
    limit: int,
) -> None:
    """List queries, and say whether there are enough."""
    from labelkit.bench.spread import advise
    from labelkit.store import query_list
    from labelkit.store.queries import count_by_state

    wanted = query_list.QueryFilter(states, sources, types, languages, words)
    workspace = open_workspace(workspace_path)
    with workspace.reading() as db:
        page = query_list.find(db, wanted, limit=limit)
        accepted = count_by_state(db).get(QueryState.ACCEPTED.value, 0)
    advice = advise(workspace.runs, accepted)
    lines = [_line(query) for query in page.queries]
    text = "\n".join([*lines, f"{counted(page.total, 'query')}. {advice.sentence} {advice.basis}"])
    value = {
        "total": page.total,
        "queries": [asdict(query) for query in page.queries],
        "size": {**asdict(advice), "short_by": advice.short_by},
    }
    show(value, as_json, text)


def _line(query: Query) -> str:
    types = ",".join(query.types) or "-"
    return f"{query.query_id}  {query.state.value}  {query.source.value}  {types}  {query.text!r}"


@queries.command()
@workspace_option
@json_option
@click.argument("query_id")
def history(workspace_path: str, as_json: bool, query_id: str) -> None:
    """Show everything that happened to the query QUERY_ID."""
    from labelkit import intake

    found = intake.history(open_workspace(workspace_path), query_id)
    lines = [
        f"{event.at[:19]}  {event.person or '-'}  {event.action}"
        + (f"  {event.detail}" if event.detail else "")
        for event in found
    ]
    show([asdict(event) for event in found], as_json, "\n".join(lines))


@queries.command()
@workspace_option
@person_option
@click.option(
    "--cause",
    required=True,
    type=click.Choice(["document_gone", "duplicate", "ambiguous", "other"]),
    help="Why they are taken out; kept in their history.",
)
@click.option("--note", default="", help="One sentence; required for the cause other.")
@click.argument("query_ids", nargs=-1, required=True)
def retire(
    workspace_path: str, person: str | None, cause: str, note: str, query_ids: tuple[str, ...]
) -> None:
    """Take queries out of queues and releases; nothing is deleted."""
    from labelkit import intake

    workspace = open_workspace(workspace_path)
    lead = acting_person(workspace, person)
    number = intake.retire(workspace, lead, query_ids, cause=cause, note=note)
    click.echo(f"Retired {number}. Bring back: labelkit queries restore {' '.join(query_ids)}")


@queries.command()
@workspace_option
@person_option
@click.option("--note", default="", help="Why they come back.")
@click.argument("query_ids", nargs=-1, required=True)
def restore(workspace_path: str, person: str | None, note: str, query_ids: tuple[str, ...]) -> None:
    """Bring retired queries back as accepted, rejected ones as drafts."""
    from labelkit import intake

    workspace = open_workspace(workspace_path)
    number = intake.restore(workspace, acting_person(workspace, person), query_ids, note=note)
    click.echo(f"Restored {number}.")


@queries.command()
@workspace_option
@person_option
@json_option
@click.option("--suggest", is_flag=True, help="Let the rules fill in what nobody has set.")
@click.option("--set", "chosen", multiple=True, help="Give QUERY_ID this type; repeat for more.")
@click.option("--none", "no_type", is_flag=True, help="Say that QUERY_ID has none of the types.")
@click.argument("query_id", required=False)
def types(
    workspace_path: str,
    person: str | None,
    as_json: bool,
    suggest: bool,
    chosen: tuple[str, ...],
    no_type: bool,
    query_id: str | None,
) -> None:
    """Show, suggest or set the types of queries; rules say which of them fired and why."""
    from labelkit import intake
    from labelkit.store import query_list

    if (chosen or no_type) and query_id is None:
        raise click.UsageError("name the query whose types you set")
    workspace = open_workspace(workspace_path)
    if suggest:
        number = intake.suggest_missing(workspace, acting_person(workspace, person))
        click.echo(f"The rules gave types to {counted(number, 'query')}.", err=True)
    if query_id is not None and (chosen or no_type):
        intake.set_types(workspace, acting_person(workspace, person), query_id, chosen)
    if query_id is not None:
        _types_of_one(workspace_path, query_id, as_json)
        return
    with workspace.reading() as db:
        held = {
            name: query_list.find(
                db, query_list.QueryFilter(["accepted", "draft"], types=[name]), limit=1
            ).total
            for name in [*intake.TYPES, ""]
        }
    lines = [f"{held[name]:>6,}  {name:<13} {meaning}" for name, meaning in intake.TYPES.items()]
    show(held, as_json, "\n".join([*lines, f"{held['']:>6,}  none set"]))


def _types_of_one(workspace_path: str, query_id: str, as_json: bool) -> None:
    from labelkit import intake
    from labelkit.store.queries import get

    with open_workspace(workspace_path).reading() as db:
        query = get(db, query_id)
    if query is None:
        raise InputError(f"There is no query {query_id!r}: see labelkit queries list.")
    rules = [one.sentence for one in intake.suggest(query.text, query.turns)]
    held = ", ".join(query.types) or "none"
    text = f"{held} (by {query.types_by or 'nobody yet'}). The rules say: {'; '.join(rules)}."
    show({"types": query.types, "by": query.types_by, "rules": rules}, as_json, text)
