"""Bringing queries in: all or nothing, decided by a person, and no click becomes a judgment."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small
from logs_of_people import LOG, talk_csv, talk_jsonl

from labelkit import judging
from labelkit.errors import InputError, NotAllowed
from labelkit.intake import (
    Decision,
    Settings,
    bring_in,
    by_hand,
    flagged,
    from_conversations,
    from_log,
    history,
    pasted,
    propose,
    read_conversations,
    read_log,
    read_misses,
)
from labelkit.model import Document, QuerySource, QueryState, Turn
from labelkit.store import Workspace, documents, intake, pairs, queries

Everything = Settings(size=100)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Three documents, no queries."""
    return small.build(tmp_path / "w", query_count=0, pooled=False)


def all_of(workspace: Workspace) -> dict[str, queries.Query]:
    """Accepted queries by their text."""
    return {query.text: query for query in queries.in_state(workspace, QueryState.ACCEPTED)}


def drawn_log(settings: Settings = Everything):  # type: ignore[no-untyped-def]
    """What a draw from the small log would bring in."""
    _, items, source = from_log(read_log("log.csv", LOG.encode()), settings)
    return items, source


LEAVE = Decision("leave_out")


def decisions(items, decision: Decision = LEAVE):  # type: ignore[no-untyped-def]
    """The same decision for every flagged query."""
    return {one.query.query_id: decision for one in flagged(items)}


def test_a_draw_comes_in_verbatim_with_where_it_came_from(workspace: Workspace) -> None:
    items, source = drawn_log()
    done = bring_in(workspace, small.LEAD, items, decisions(items), source=source)
    assert (len(done.added), done.left_out, done.here) == (3, 1, 0)
    found = all_of(workspace)
    assert set(found) == {"RESET PASSWORD", "printer offline", "ORA-00942 after update"}
    query = found["RESET PASSWORD"]
    assert (query.source, query.types, query.types_by) == (QuerySource.LOG, ("keyword",), "rule")
    with workspace.reading() as db:
        origin = intake.origin(db, query.query_id)
        [row] = intake.draws(db)
    assert origin["count"] == 5
    assert origin["forms"] == {"RESET PASSWORD": 3, "Reset Password": 1, "reset  password": 1}
    assert row.settings == {"method": "frequency", "size": 100, "seed": 0, "strata": None}
    assert (row.detail["searches"], row.detail["without_text"]) == (9, 1)
    assert (row.detail["added"], row.detail["left_out"]) == (3, 1)
    [event] = history(workspace, query.query_id)
    assert (event.person, event.action, event.detail) == ("Lee Lead", "added", "log, 5 searches")


def test_the_same_draw_again_changes_nothing_and_a_larger_one_adds_the_rest(
    workspace: Workspace,
) -> None:
    few, source = drawn_log(Settings(size=2))
    bring_in(workspace, small.LEAD, few, decisions(few), source=source)
    again = bring_in(workspace, small.LEAD, few, decisions(few), source=source)
    assert (again.added, again.sentence[:15]) == ((), "Nothing changed")
    more, source = drawn_log()
    done = bring_in(workspace, small.LEAD, more, decisions(more), source=source)
    assert len(done.added) + len(few) - len(flagged(few)) == 3
    with workspace.reading() as db:
        assert len(intake.draws(db)) == 2, "a draw that brings nothing in is not recorded"


def test_nothing_comes_in_while_personal_data_waits_for_a_decision(workspace: Workspace) -> None:
    items, source = drawn_log()
    with pytest.raises(InputError, match=r"log-\w+ holds what looks like personal data \(e-mail"):
        bring_in(workspace, small.LEAD, items, source=source)
    assert all_of(workspace) == {}
    with workspace.reading() as db:
        assert intake.draws(db) == []


def test_what_is_left_out_leaves_no_trace_in_the_workspace(workspace: Workspace) -> None:
    items, source = drawn_log()
    bring_in(workspace, small.LEAD, items, decisions(items), source=source)
    assert "jane" not in _bytes(workspace)


def test_a_masked_query_holds_the_edited_words_alone(workspace: Workspace) -> None:
    """Neither its text nor its id nor its history tells what was masked."""
    items, source = drawn_log()
    [one] = flagged(items)
    mask = Decision("mask", {"text": "printer offline for [name]"})
    done = bring_in(workspace, small.LEAD, items, {one.query.query_id: mask}, source=source)
    assert done.masked == 1
    query = all_of(workspace)["printer offline for [name]"]
    assert query.query_id != one.query.query_id
    assert [e.action for e in history(workspace, query.query_id)] == ["added", "masked by hand"]
    assert "jane" not in _bytes(workspace)
    assert one.query.query_id not in _bytes(workspace)


def _bytes(workspace: Workspace) -> str:
    files = [workspace.database, workspace.database.with_name(workspace.database.name + "-wal")]
    return "".join(path.read_bytes().decode("latin-1") for path in files if path.exists())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("printer offline for bob@example.org", "as edited still holds “bob@example.org”"),
        (" ", "the masked query is empty"),
    ],
)
def test_a_mask_that_masks_nothing_is_refused(workspace: Workspace, text: str, says: str) -> None:
    items, source = drawn_log()
    mask = Decision("mask", {"text": text})
    with pytest.raises(InputError, match=says):
        bring_in(workspace, small.LEAD, items, decisions(items, mask), source=source)
    assert all_of(workspace) == {}


def test_what_a_person_keeps_is_kept_and_that_is_written_down(workspace: Workspace) -> None:
    items, source = drawn_log()
    bring_in(workspace, small.LEAD, items, decisions(items, Decision("keep")), source=source)
    query = all_of(workspace)["printer offline for jane@example.org"]
    assert history(workspace, query.query_id)[1].detail == "e-mail address"


def test_forms_and_filters_are_looked_through_as_well(workspace: Workspace) -> None:
    """A clean query whose filter names a person is flagged; the mask drops what was counted."""
    data = b"query,filters\nmy orders,user=jane@example.org\n"
    _, items, source = from_log(read_log("log.csv", data), Everything)
    [one] = flagged(items)
    assert list(one.findings) == ["counted with it"]
    bring_in(workspace, small.LEAD, items, {one.query.query_id: Decision("mask")}, source=source)
    assert "jane" not in _bytes(workspace)
    assert set(all_of(workspace)) == {"my orders"}


def test_clicks_propose_pairs_and_are_never_a_judgment(workspace: Workspace) -> None:
    """What was clicked waits in the queue like any other pair: no level, no trace on screen."""
    items, source = drawn_log()
    done = bring_in(workspace, small.LEAD, items, decisions(items), source=source)
    found = all_of(workspace)
    reset, printer = found["RESET PASSWORD"].query_id, found["printer offline"].query_id
    with workspace.reading() as db:
        assert pairs.keys(db) == sorted([(reset, "d1"), (reset, "d2"), (printer, "d3")])
        assert intake.count_clicked(db, reset) == (2, 2)
    assert done.pairs == 3
    state = judging.load(workspace)
    assert (state.judgments, state.adjudications, state.judged_queries) == ((), (), [])
    small.pool(workspace, [(printer, "d1")])
    seen = small.work_through(workspace, small.ANN)
    tasks = {(task.query.query_id, task.document.doc_id): task for task in seen}
    clicked, pooled = tasks[printer, "d3"], tasks[printer, "d1"]
    for shown in (clicked, pooled):
        said = f"{shown.query!r} {shown.document.metadata!r}"
        assert "click" not in said
        assert "import" not in said
    assert {name for name in dir(clicked) if name[0] != "_"} == {
        name for name in dir(pooled) if name[0] != "_"
    }


def test_clicked_documents_that_come_later_are_proposed_later(workspace: Workspace) -> None:
    items, source = drawn_log()
    bring_in(workspace, small.LEAD, items, decisions(items), source=source)
    assert propose(workspace, small.LEAD) == 0
    with workspace.writing() as db:
        documents.save(db, [Document("gone", "Back", "ORA-00942 means that a table is missing.")])
    assert propose(workspace, small.LEAD, at_least=2) == 0, "it was clicked once"
    assert propose(workspace, small.LEAD) == 1
    assert propose(workspace, small.LEAD) == 0
    assert judging.load(workspace).judgments == ()


@pytest.mark.parametrize(("name", "data"), [("t.csv", talk_csv()), ("t.jsonl", talk_jsonl())])
def test_a_conversation_gives_the_users_turns_with_those_before(name: str, data: bytes) -> None:
    """Both forms of file say the same; a follow-up says which rule saw it."""
    read = read_conversations(name, data)
    assert (read.conversations, read.turns, len(read.user_turns)) == (2, 6, 4)
    [follow_up], _ = from_conversations(read, "follow-ups")
    assert follow_up.query.text == "and with a header?"
    assert follow_up.query.turns == (
        Turn("user", "how do I write a csv file"),
        Turn("assistant", "Use csv.writer."),
    )
    assert "follow-up" in follow_up.query.types
    assert follow_up.detail["follow_up"] == "how it begins: “and”"
    last, _ = from_conversations(read, "last")
    assert [one.query.text[:6] for one in last] == ["and wi", "thanks"]
    every, _ = from_conversations(read, "all")
    assert [len(one.query.turns) for one in every] == [0, 2, 0, 2]


def test_personal_data_in_an_earlier_turn_is_flagged_and_masked_there(
    workspace: Workspace,
) -> None:
    read = read_conversations("t.csv", talk_csv())
    items, source = from_conversations(read, "last")
    [one] = flagged(items)
    assert list(one.findings) == ["turn 1"]
    mask = Decision("mask", {"turn 1": "reset the password of [email]"})
    bring_in(workspace, small.LEAD, items, {one.query.query_id: mask}, source=source)
    assert "bob@" not in _bytes(workspace)
    again = bring_in(workspace, small.LEAD, items, {one.query.query_id: mask}, source=source)
    assert again.added == ()


def test_rows_of_conversations_may_be_mixed_where_turns_are_numbered() -> None:
    rows = "b,user,2,and then?\na,user,1,hello there\nb,user,1,how do i begin\nb,bot,3,So.\n"
    read = read_conversations("t.csv", f"session,role,turn,text\n{rows}".encode())
    [one], _ = from_conversations(read, "follow-ups")
    assert one.query.turns == (Turn("user", "how do i begin"),)


def test_a_file_without_a_users_turn_asks_which_role_it_is() -> None:
    data = b"conversation,role,text\na,klant,hoe reset ik dit\na,medewerker,zo\n"
    with pytest.raises(InputError, match="the roles are 'klant', 'medewerker'"):
        read_conversations("t.csv", data)
    read = read_conversations("t.csv", data, user_role="klant")
    assert [turn.text for turn in read.user_turns] == ["hoe reset ik dit"]


def test_turns_drawn_by_a_seed_are_the_same_again() -> None:
    rows = "".join(f"c{n},user,question number {n}\n" for n in range(40))
    read = read_conversations("t.csv", f"conversation,role,text\n{rows}".encode())
    ids = {
        seed: [o.query.query_id for o in from_conversations(read, "all", size=9, seed=seed)[0]]
        for seed in (1, 1, 2)
    }
    assert len(ids[1]) == 9
    assert ids[1] != ids[2]
    again, _ = from_conversations(read, "all", size=9, seed=1)
    assert [one.query.query_id for one in again] == ids[1]


def test_misses_are_pasted_with_note_and_link(workspace: Workspace) -> None:
    items = pasted("vpn drops\n\n VPN  drops \nmail stuck", note="empty page", link="run-7")
    done = bring_in(workspace, small.LEAD, items)
    assert len(done.added) == 2, "the second line is the first in other words"
    query = all_of(workspace)["vpn drops"]
    assert query.source is QuerySource.FAILURE
    with workspace.reading() as db:
        assert intake.origin(db, query.query_id) == {"note": "empty page", "link": "run-7"}
    assert history(workspace, query.query_id)[0].detail == "failure: empty page"
    with pytest.raises(InputError, match="one a line"):
        pasted(" \n")


def test_misses_from_a_file_pool_the_document_that_was_wanted(workspace: Workspace) -> None:
    data = b"query,comment,url,expected\nvpn drops,old page,https://example.org/e/7,d2\n,x,,\n"
    items, problems = read_misses("misses.csv", data)
    assert [(p.line, p.message) for p in problems] == [(3, "the query is empty")]
    done = bring_in(workspace, small.LEAD, items)
    assert done.pairs == 1
    with workspace.reading() as db:
        assert pairs.keys(db) == [(done.added[0], "d2")]
    assert judging.load(workspace).judgments == ()


def test_by_hand_a_person_chooses_the_types(workspace: Workspace) -> None:
    one = by_hand(" budget 2025 ", need="the newest sheet", language="en", types=["keyword"])
    [query_id] = bring_in(workspace, small.LEAD, [one]).added
    query = all_of(workspace)["budget 2025"]
    assert (query.query_id, query.types, query.types_by) == (query_id, ("keyword",), "person")
    assert by_hand("budget 2025").query.types == ("keyword", "date-bound")
    with pytest.raises(InputError, match="The query is empty"):
        by_hand("  ")


def test_only_a_lead_brings_queries_in(workspace: Workspace) -> None:
    with pytest.raises(NotAllowed):
        bring_in(workspace, small.ANN, pasted("vpn drops"))
    with pytest.raises(NotAllowed):
        propose(workspace, small.ANN)
