"""Commands that draw queries from files: a log, conversations, production misses."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labelkit.cli.common import (
    acting_person,
    json_option,
    open_workspace,
    show,
    workspace_option,
)
from labelkit.cli.import_options import HOW_READ, decorated, how_read
from labelkit.errors import InputError
from labelkit.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labelkit.intake import Decision, Incoming, Source

read_options = decorated(HOW_READ)
person_option = click.option(
    "--person", help="Who does this (a lead's name); default: your user name on this machine."
)
SHOWN = 20


decide_options = decorated(
    (
        click.option("--add", is_flag=True, help="Bring the queries in; without it: only look."),
        click.option("--keep", multiple=True, help="Keep a flagged query ID as typed."),
        click.option(
            "--mask",
            multiple=True,
            metavar="ID=TEXT",
            help="Take TEXT instead; ID:PLACE=TEXT for another place than the query: "
            "'turn 1', need, note, link. Repeat for more.",
        ),
        click.option("--leave-out", multiple=True, help="Leave a flagged query ID out."),
        click.option(
            "--leave-out-flagged", is_flag=True, help="Leave out all that are not decided on."
        ),
    )
)


@click.command(name="sample-log")
@workspace_option
@person_option
@json_option
@click.option(
    "--method",
    type=click.Choice(["frequency", "stratified", "bands"]),
    default="frequency",
    show_default=True,
    help="By frequency, as many from each stratum, or as many from head, torso and tail.",
)
@click.option(
    "--size", type=click.IntRange(1), default=100, show_default=True, help="Queries to draw."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same draw."
)
@click.option(
    "--strata",
    type=click.Choice(["type", "length", "filter", "month"]),
    default="type",
    show_default=True,
    help="What a stratified draw divides the log by.",
)
@click.option("--leave-out-unreadable", is_flag=True, help="Pass over rows that cannot be read.")
@read_options
@decide_options
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
def sample_log(
    workspace_path: str,
    person: str | None,
    as_json: bool,
    method: str,
    size: int,
    seed: int,
    strata: str,
    leave_out_unreadable: bool,
    file: str,
    **said: Any,
) -> None:
    """Draw queries from a search or support log FILE; with --add, bring them in.

    Documents that were clicked for them are then proposed for judging; a click is no judgment.
    """
    from labelkit import intake

    log = intake.read_log(Path(file).name, Path(file).read_bytes(), options=how_read(said))
    _, items, source = intake.from_log(
        log,
        intake.Settings(method, size, seed, strata),
        leave_out_unreadable=leave_out_unreadable,
    )
    head = (
        f"{counted(log.rows, 'row')} with {counted(log.searches, 'search', 'searches')} for "
        f"{counted(len(log.groups), 'distinct query')}; "
        f"{counted(log.empty, 'row')} without text. Drawn: {len(items):,}."
    )
    _look_or_add(workspace_path, person, as_json, head, items, source, said)


@click.command()
@workspace_option
@person_option
@json_option
@click.option(
    "--turns",
    "which",
    type=click.Choice(["follow-ups", "last", "all"]),
    default="follow-ups",
    show_default=True,
    help="Which turns of the user become queries.",
)
@click.option("--user-role", default="", help="The role that is the user's, where not 'user'.")
@click.option("--size", type=click.IntRange(1), help="At most so many; default: all.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same draw."
)
@read_options
@decide_options
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
def conversations(
    workspace_path: str,
    person: str | None,
    as_json: bool,
    which: str,
    user_role: str,
    size: int | None,
    seed: int,
    file: str,
    **said: Any,
) -> None:
    """Take the user's turns from conversations in FILE, with the turns before them."""
    from labelkit import intake

    read = intake.read_conversations(
        Path(file).name, _bytes(file), user_role=user_role, options=how_read(said)
    )
    items, source = intake.from_conversations(read, which, size=size, seed=seed)
    head = (
        f"{counted(read.conversations, 'conversation')}, {counted(read.turns, 'turn')}, "
        f"{len(read.user_turns):,} of the user. Taken: {len(items):,}."
    )
    _look_or_add(workspace_path, person, as_json, head, items, source, said)


@click.command()
@workspace_option
@person_option
@json_option
@read_options
@decide_options
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
def misses(
    workspace_path: str,
    person: str | None,
    as_json: bool,
    file: str,
    **said: Any,
) -> None:
    """Take production misses from FILE: text, note, link, expected document."""
    from labelkit import intake
    from labelkit.intake.logs import refuse_unreadable

    items, problems = intake.read_misses(Path(file).name, _bytes(file), options=how_read(said))
    refuse_unreadable(Path(file).name, problems)
    head = f"{counted(len(items), 'miss', 'misses')}."
    _look_or_add(workspace_path, person, as_json, head, items, None, said)


def _bytes(file: str) -> bytes:
    """A file that is held as a whole; one that is too large is refused before it is read."""
    from labelkit.intake.columns import refuse_larger

    refuse_larger(file, Path(file).stat().st_size)
    return Path(file).read_bytes()


def _look_or_add(
    workspace_path: str,
    person: str | None,
    as_json: bool,
    head: str,
    items: Sequence[Incoming],
    source: Source | None,
    said: dict[str, Any],
) -> None:
    """Show the queries with what is flagged, or bring them in as was decided."""
    from labelkit import intake

    workspace = open_workspace(workspace_path)
    if said["add"]:
        done = intake.bring_in(
            workspace,
            acting_person(workspace, person),
            items,
            _decisions(items, said),
            source=source,
        )
        show(asdict(done), as_json, done.sentence)
        return
    flagged = intake.flagged(items)
    lines = [
        f"{one.query.query_id}  {one.detail.get('count', '')}  {one.query.text!r}"
        for one in items[:SHOWN]
    ]
    lines += [f"and {len(items) - SHOWN:,} more"] if len(items) > SHOWN else []
    for one in flagged:
        found = [
            f"{name}: {', '.join(f.quote for f in place)}" for name, place in one.findings.items()
        ]
        lines.append(f"flagged: {one.query.query_id} ({'; '.join(found)})")
    value = [
        {"query": asdict(one.query), "detail": one.detail, "flagged": bool(one.findings)}
        for one in items
    ]
    show(value, as_json, "\n".join([head, *lines, "Nothing was brought in: say --add."]))


def _decisions(items: Sequence[Incoming], said: dict[str, Any]) -> dict[str, Decision]:
    """What was decided, by query id; raises InputError for an id that is not flagged."""
    from labelkit.intake import Decision, flagged

    ids = {one.query.query_id for one in flagged(items)}
    decided = {one: Decision("leave_out") for one in ids} if said["leave_out_flagged"] else {}
    masks = _masks(flagged(items), said["mask"])
    decided |= {one: Decision("keep") for one in said["keep"]}
    decided |= {one: Decision("leave_out") for one in said["leave_out"]}
    decided |= {one: Decision("mask", texts) for one, texts in masks.items()}
    unknown = sorted(decided.keys() - ids)
    if unknown:
        raise InputError(f"{unknown[0]!r} is not flagged in this draw: look at it without --add.")
    return decided


def _masks(items: Sequence[Incoming], given: Sequence[str]) -> dict[str, dict[str, str]]:
    """The texts to take instead, by query id and place; raises InputError for no such place."""
    places = {one.query.query_id: one.texts for one in items}
    masks: dict[str, dict[str, str]] = {}
    for one in given:
        where, sign, text = one.partition("=")
        query_id, _, place = where.partition(":")
        if not sign:
            raise InputError(
                f"--mask {one!r}: write ID=TEXT, or ID:PLACE=TEXT such as 'x:turn 1=…'."
            )
        if query_id in places and (place or "text") not in places[query_id]:
            raise InputError(
                f"--mask {one!r}: {query_id} has no place {place!r}; it has "
                f"{', '.join(places[query_id])}."
            )
        masks.setdefault(query_id, {})[place or "text"] = text
    return masks
