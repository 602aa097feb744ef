"""What several commands share: the workspace option, JSON output, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from labelkit.store import Workspace

Function = TypeVar("Function", bound=Callable[..., Any])

workspace_option = click.option(
    "--workspace",
    "workspace_path",
    envvar="LABELKIT_WORKSPACE",
    default="./workspace",
    show_default=True,
    type=click.Path(file_okay=False),
    help="The workspace's folder (or set LABELKIT_WORKSPACE).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")


def open_workspace(path: str) -> Workspace:
    """The workspace at this path, or NotReady with what to do."""
    return Workspace.open(path)


def maybe_workspace(path: str) -> Workspace | None:
    """The workspace at this path, or None where there is none."""
    return Workspace.open(path) if Workspace(path).database.exists() else None


def show(value: Any, as_json: bool, text: str) -> None:
    """Print the figures as JSON, or the text."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2) if as_json else text)


class Progress:
    """One line on the terminal that says how far the work is; quiet where nobody watches."""

    def __init__(self) -> None:
        self.last = ""

    def __call__(self, done: int, total: int, message: str) -> None:
        """Show `done` of `total` with a message; each finished step keeps its line."""
        share = f"{done / total:4.0%}" if total else "    "
        line = f"{share}  {message}"
        if line == self.last:
            return
        self.last = line
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{line[:100]}", nl=False, err=True)
        elif total and done >= total:
            click.echo(line, err=True)

    def end(self) -> None:
        """Leave the progress line."""
        if self.last and sys.stderr.isatty():
            click.echo(err=True)


@contextmanager
def stoppable(more: str) -> Iterator[Progress]:
    """Progress of work that Ctrl+C stops: what is done is kept, and how to go on is said.

    `more` is what the same command needs besides to find what is there.
    """
    progress = Progress()
    try:
        yield progress
    except KeyboardInterrupt:
        progress.end()
        click.echo(
            f"Stopped. What was finished is kept: run the same command with {more} to go on.",
            err=True,
        )
        raise click.exceptions.Exit(130) from None
    progress.end()


def acting_person(workspace: Workspace, name: str | None) -> str:
    """The id of the person a command acts for: the one named, else the user of this machine.

    Whoever can write the workspace's files is its lead, so the person is added as one.
    """
    from labelkit.model import Role
    from labelkit.store import people

    return people.add(workspace, acting_name(workspace, name), [Role.LEAD]).person_id


def acting_name(workspace: Workspace, said: str | None) -> str:
    """The name of who does something: "lee-lead" and "LEE LEAD" are Lee Lead where one is here."""
    from labelkit.store import people

    name = said or user_name()
    known = people.get(workspace, people.person_id_of(name))
    return name if known is None else known.name


def user_name() -> str:
    """The name of this machine's user; "lead" where the machine has none for it."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "lead"
