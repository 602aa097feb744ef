"""What --help of every command says: each option in words, and an example that can be typed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
import pytest

from labelkit.cli import cli
from labelkit.cli.examples import EXAMPLES


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that is no group, with its path."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


COMMANDS = dict(commands(cli))


def test_every_command_has_an_example() -> None:
    """Of no other command is there one."""
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS)
def test_help_explains_every_option(path: str) -> None:
    """And what the command does, in a sentence, with its example."""
    command = COMMANDS[path]
    silent = [one.name for one in command.params if isinstance(one, click.Option) and not one.help]
    assert not silent
    text = command.get_help(click.Context(command, info_name=path))
    assert command.help
    assert f"labelkit {EXAMPLES[path]}" in text


@pytest.mark.parametrize("path", EXAMPLES)
def test_examples_have_only_options_that_there_are(path: str) -> None:
    """Files that an example names need not be there; its options and choices do."""
    command, context = COMMANDS[path], click.Context(COMMANDS[path])
    given = shlex.split(EXAMPLES[path].split(">")[0])[len(path.split()) :]
    values, rest, _ = command.make_parser(context).parse_args(given)
    assert not rest
    typed = [one for one in command.params if isinstance(one, click.Option)]
    for one in typed:
        if one.name in values and not isinstance(one.type, click.Path):
            one.type_cast_value(context, values[one.name])
