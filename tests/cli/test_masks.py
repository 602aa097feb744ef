"""Masking from the command line, wherever the personal data stands; files that are too large."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner

from labelkit.cli import cli
from labelkit.errors import InputError
from labelkit.intake import columns
from labelkit.model import QuerySource, QueryState
from labelkit.store import Workspace, queries

TALK = [
    {"id": "a", "turns": [
        {"role": "user", "text": "my mail is jane@example.org"},
        {"role": "assistant", "text": "Thanks."},
        {"role": "user", "text": "and how do I reset it for +49 30 901820?"},
    ]},
]  # fmt: skip


def run(workspace: Workspace, *words: str) -> str:
    """What a command prints; its refusal is raised."""
    command = ["queries", *words, "--workspace", str(workspace.path), "--person", "Lee Lead"]
    result = CliRunner().invoke(cli, command, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_query_and_turns_are_masked_by_place(tmp_path: Path) -> None:
    """What is left is named with its place; a place that is not there is refused."""
    workspace, file = small.build(tmp_path / "w"), tmp_path / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, TALK)), encoding="utf-8")
    looked = run(workspace, "conversations", str(file))
    assert "text: +49 30 901820; turn 1: jane@example.org" in looked
    query_id = looked.split("flagged: ")[1].split(" ")[0]
    text = ("--mask", f"{query_id}=and how do I reset it?")
    with pytest.raises(InputError, match="the turn 1 as edited still holds"):
        run(workspace, "conversations", str(file), "--add", *text)
    with pytest.raises(InputError, match="has no place 'turn 9'; it has text, turn 1, turn 2"):
        run(workspace, "conversations", str(file), "--add", "--mask", f"{query_id}:turn 9=x")
    with pytest.raises(InputError, match="write ID=TEXT"):
        run(workspace, "conversations", str(file), "--add", "--mask", query_id)
    turn = ("--mask", f"{query_id}:turn 1=my mail is [email]")
    said = run(workspace, "conversations", str(file), "--add", *text, *turn)
    assert said == "1 query added, 1 of them masked.\n"
    found = queries.in_state(workspace, QueryState.ACCEPTED)
    [query] = [one for one in found if one.source is QuerySource.CONVERSATION]
    assert query.text == "and how do I reset it?"
    assert [turn.text for turn in query.turns] == ["my mail is [email]", "Thanks."]


def test_file_that_is_held_as_a_whole_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused by its size, before it is read."""
    monkeypatch.setattr(columns, "LARGEST", 100)
    workspace, file = small.build(tmp_path / "w"), tmp_path / "misses.csv"
    file.write_text("text\n" + "a b c\n" * 50, encoding="utf-8")
    for command in ("misses", "conversations"):
        with pytest.raises(InputError, match="split the file"):
            run(workspace, command, str(file))
