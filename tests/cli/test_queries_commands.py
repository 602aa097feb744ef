"""labelkit queries: the same verbs as the page, on the same workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_project as small
from click.testing import CliRunner, Result

from labelkit.cli import cli
from labelkit.errors import InputError
from labelkit.model import QueryState
from labelkit.store import Workspace, people, queries

LOG = """\
query,count,clicked
Reset Password,3,d1
reset password,2,
printer offline for jane@example.org,1,
printer offline,2,d2
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries, three documents."""
    return small.build(tmp_path / "w")


def call(workspace: Workspace, *arguments: str | Path) -> Result:
    """Run a command as the lead; its refusal is raised."""
    name, *rest = map(str, arguments)
    command = ["queries", name, "--workspace", str(workspace.path), *rest]
    return CliRunner().invoke(cli, command, catch_exceptions=False, standalone_mode=False)


def run(workspace: Workspace, *arguments: str | Path) -> str:
    """What a command that succeeds prints."""
    result = call(workspace, *arguments)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_queries_are_listed_with_their_number_and_whether_that_is_enough(
    workspace: Workspace,
) -> None:
    said = run(workspace, "list")
    assert "q1  accepted  log  -  'how do I mend thing 1'" in said
    assert "2 queries. 2 accepted queries: too few to decide on" in said
    found = json.loads(run(workspace, "list", "--words", "THING 2", "--json"))
    assert [one["query_id"] for one in found["queries"]] == ["q2"]
    assert found["size"]["needed"] == 199


def test_retire_restore_and_history(workspace: Workspace) -> None:
    lead = ("--person", "Lee Lead")
    said = run(workspace, "retire", *lead, "--cause", "duplicate", "--note", "of q2", "q1")
    assert "Retired 1. Bring back: labelkit queries restore q1" in said
    assert "q1  retired" in run(workspace, "list", "--state", "retired")
    assert "Restored 1" in run(workspace, "restore", *lead, "q1")
    lines = run(workspace, "history", "q1").splitlines()
    assert [line.split("  ")[2] for line in lines] == [
        "added",
        "accepted to retired",
        "retired to accepted",
    ]
    assert "Lee Lead" in lines[1]


@pytest.mark.parametrize("said", ["lee-lead", "LEE LEAD"])
def test_a_person_is_named_by_id_or_in_any_case(workspace: Workspace, said: str) -> None:
    """Nobody is added: it is Lee Lead who did it."""
    before = people.all(workspace)
    run(workspace, "retire", "--person", said, "--cause", "duplicate", "--note", "of q2", "q1")
    assert "Lee Lead" in run(workspace, "history", "q1")
    assert people.all(workspace) == before


def test_how_a_log_is_read_can_be_said(workspace: Workspace, tmp_path: Path) -> None:
    """The same options as for an import."""
    log = tmp_path / "log.csv"
    log.write_text("made by a robot\n'query';'count'\n'sort a list';3\n")
    said = ("--delimiter", "semicolon", "--quote", "'", "--header-row", "2")
    assert "1 row with 3 searches for 1 distinct query" in run(workspace, "sample-log", log, *said)


def test_types_are_counted_suggested_and_set(workspace: Workspace) -> None:
    assert "     2  none set" in run(workspace, "types")
    assert "     2  question" in run(workspace, "types", "--suggest", "--person", "Lee Lead")
    said = run(workspace, "types", "q1", "--set", "keyword", "--person", "Lee Lead")
    assert said.startswith("keyword (by person). The rules say: question, because of the question")
    said = run(workspace, "types", "q1", "--none", "--person", "Lee Lead")
    assert said.startswith("none (by person)")
    assert json.loads(run(workspace, "types", "--json"))["question"] == 1


def test_a_log_is_looked_at_and_comes_in_once_every_flag_is_decided(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Looking writes nothing; adding refuses until decided; clicks propose pairs."""
    log = tmp_path / "log.csv"
    log.write_text(LOG, encoding="utf-8")
    said = run(workspace, "sample-log", str(log))
    assert "4 rows with 8 searches for 3 distinct queries" in said
    assert "(text: jane@example.org)" in said
    assert "Nothing was brought in: say --add." in said
    with pytest.raises(InputError, match="decide whether to keep it"):
        run(workspace, "sample-log", log, "--add", "--person", "Lee Lead")
    flagged = said.split("flagged: ")[1].split(" ")[0]
    with pytest.raises(InputError, match="'q1' is not flagged"):
        run(workspace, "sample-log", log, "--add", "--keep", "q1")
    mask = f"{flagged}=printer offline for me"
    said = run(workspace, "sample-log", log, "--add", "--mask", mask, "--person", "Lee Lead")
    assert said == "3 queries added, 1 of them masked, 2 pairs proposed for judging.\n"
    said = run(workspace, "sample-log", log, "--add", "--leave-out-flagged", "--person", "Lee Lead")
    assert said == "Nothing changed: 2 queries here already, 1 left out.\n"
    texts = {query.text for query in queries.in_state(workspace, QueryState.ACCEPTED)}
    assert {"Reset Password", "printer offline", "printer offline for me"} <= texts


def test_conversations_and_misses_come_in(workspace: Workspace, tmp_path: Path) -> None:
    talk = tmp_path / "talk.csv"
    talk.write_text(
        "conversation,role,text\na,user,how do i mend it\na,bot,Glue.\na,user,and thing 2?\n",
        encoding="utf-8",
    )
    lead = ("--add", "--person", "Lee Lead")
    assert "1 query added." in run(workspace, "conversations", talk, *lead)
    misses = tmp_path / "misses.csv"
    misses.write_text("query,note\nglue does not hold,empty page\n", encoding="utf-8")
    assert "1 query added." in run(workspace, "misses", misses, *lead)
    listed = run(workspace, "list", "--source", "conversation", "--source", "failure")
    assert "2 queries." in listed
    assert "follow-up" in listed
