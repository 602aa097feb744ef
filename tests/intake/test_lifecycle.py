"""Retired, restored, typed, rewritten: nothing is deleted, and the history tells all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small

from labelkit import judging, releases
from labelkit.errors import Conflict, InputError, NotAllowed
from labelkit.intake import (
    bring_in,
    by_hand,
    history,
    pasted,
    restore,
    retire,
    set_rewritten,
    set_types,
    suggest_missing,
    to_rewrite,
)
from labelkit.model import Query, QuerySource, QueryState
from labelkit.releases import content
from labelkit.retrieval import Candidate, query_text
from labelkit.store import Workspace, queries, query_list
from labelkit.store.query_list import QueryFilter


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries with three documents each in the pool."""
    return small.build(tmp_path / "w")


@pytest.fixture
def talk(tmp_path: Path) -> Workspace:
    """A follow-up, another one, and a query that stands alone."""
    return small.talk(tmp_path / "t")


def test_a_retired_query_leaves_queue_and_release_and_comes_back_whole(
    workspace: Workspace,
) -> None:
    small.work_through(workspace, small.ANN)
    before = judging.load(workspace)
    assert retire(workspace, small.LEAD, ["q1"], cause="duplicate", note="of q2") == 1
    query = small.held(workspace, "q1")
    assert (query.state, query.note) == (
        QueryState.RETIRED,
        "asks what another query asks: of q2",
    )
    now = judging.load(workspace)
    assert set(now.queries) == {"q2"}
    assert {judgment.query_id for judgment in now.judgments} == {"q2"}
    seen = small.work_through(workspace, small.BO)
    assert "q1" not in {task.query.query_id for task in seen}
    frozen = releases.freeze(workspace, "v1", small.LEAD)
    release = releases.load(frozen.folder, workspace)
    assert [one.query_id for one in release.queries] == ["q2"]
    assert "q1" not in release.qrels
    assert restore(workspace, small.LEAD, ["q1"]) == 1
    assert judging.load(workspace).judgments == before.judgments


def test_a_pair_on_screen_when_its_query_is_retired_is_not_judged(workspace: Workspace) -> None:
    task = small.claim(workspace, small.ANN)
    retire(workspace, small.LEAD, [task.query.query_id], cause="ambiguous")
    with pytest.raises(Conflict):
        small.say(workspace, small.ANN, task)
    assert judging.load(workspace).judgments == ()


def test_the_history_tells_who_did_what(workspace: Workspace) -> None:
    retire(workspace, small.LEAD, ["q1"], cause="other", note="typed by a test robot")
    restore(workspace, small.LEAD, ["q1"], note="it was a person")
    set_types(workspace, small.LEAD, "q1", ["question"])
    told = [(e.person, e.action, e.detail) for e in history(workspace, "q1")]
    assert told == [
        ("", "added", "log"),
        ("Lee Lead", "accepted to retired", "another reason: typed by a test robot"),
        ("Lee Lead", "retired to accepted", "it was a person"),
        ("Lee Lead", "types set by person", "none to question"),
    ]
    times = [event.at for event in history(workspace, "q1")]
    assert times == sorted(times)


def test_all_of_a_list_are_retired_or_none(workspace: Workspace) -> None:
    retire(workspace, small.LEAD, ["q2"], cause="document_gone")
    with pytest.raises(Conflict, match="'q2' is retired by now"):
        retire(workspace, small.LEAD, ["q1", "q2"], cause="document_gone")
    assert small.held(workspace, "q1").state is QueryState.ACCEPTED


def test_refusals_say_what_to_do(workspace: Workspace) -> None:
    for act, says in [
        (lambda: retire(workspace, small.LEAD, ["q1"], cause="bored"), "Choose why: document_gone"),
        (lambda: retire(workspace, small.LEAD, ["q1"], cause="other"), "Write the reason down"),
        (lambda: retire(workspace, small.LEAD, ["q9"], cause="duplicate"), "no query 'q9'"),
        (lambda: restore(workspace, small.LEAD, ["q1"]), "is accepted: only a retired"),
        (lambda: set_types(workspace, small.LEAD, "q1", ["rude"]), "'rude' is no type"),
        (lambda: history(workspace, "q9"), "no query 'q9'"),
    ]:
        with pytest.raises(InputError, match=says):
            act()
    for act in (
        lambda: retire(workspace, small.ANN, ["q1"], cause="duplicate"),
        lambda: restore(workspace, small.ANN, ["q1"]),
        lambda: set_types(workspace, small.ANN, "q1", []),
        lambda: suggest_missing(workspace, small.ANN),
        lambda: set_rewritten(workspace, small.ANN, "q1", "x"),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_a_rejected_draft_is_restored_as_a_draft(workspace: Workspace) -> None:
    with workspace.writing() as db:
        queries.save(db, [Query("d1", "mend", QuerySource.SYNTHETIC, QueryState.REJECTED)])
    restore(workspace, small.LEAD, ["d1"])
    assert small.held(workspace, "d1").state is QueryState.DRAFT


def test_rules_fill_in_types_and_never_overwrite_a_persons(workspace: Workspace) -> None:
    set_types(workspace, small.LEAD, "q1", [])
    assert suggest_missing(workspace, small.LEAD) == 1
    assert (small.held(workspace, "q1").types, small.held(workspace, "q1").types_by) == (
        (),
        "person",
    )
    query = small.held(workspace, "q2")
    assert (query.types, query.types_by) == (("question",), "rule")
    said = history(workspace, "q2")[-1].detail
    assert said == "question, because of the question word it begins with: “how”"
    assert suggest_missing(workspace, small.LEAD) == 0
    set_types(workspace, small.LEAD, "q2", ["keyword", "date-bound"])
    assert small.held(workspace, "q2").types == ("keyword", "date-bound")


def test_both_versions_of_a_follow_up_are_kept_and_searched_with(talk: Workspace) -> None:
    """What the user typed stays, and the candidate's option chooses."""
    assert [query.query_id for query in to_rewrite(talk)] == ["c1", "c2"]
    set_rewritten(
        talk, small.LEAD, "c1", " write a csv file:\nand with a header? ", by="tiny-model"
    )
    query = small.held(talk, "c1")
    assert query.text == "and with a header?"
    assert (query.rewritten_text, query.rewritten_by) == (
        "write a csv file: and with a header?",
        "tiny-model",
    )
    assert [query.query_id for query in to_rewrite(talk)] == ["c2"]
    texts = {turns: query_text(query, turns) for turns in ("ignore", "prepend", "rewritten")}
    assert texts == {
        "ignore": "and with a header?",
        "prepend": "how do I write a csv file\nUse csv.writer.\nand with a header?",
        "rewritten": "write a csv file: and with a header?",
    }
    assert query_text(small.held(talk, "c3"), "rewritten") == "sort the rows of a table"
    Candidate("r", "bm25", turns="rewritten")


def test_what_is_no_rewritten_form_is_refused(talk: Workspace) -> None:
    with pytest.raises(InputError, match="the answer of tiny-model is empty"):
        set_rewritten(talk, small.LEAD, "c1", " ", by="tiny-model")
    with pytest.raises(InputError, match="are no query"):
        set_rewritten(talk, small.LEAD, "c1", "x" * 2000, by="tiny-model")
    with pytest.raises(InputError, match="no earlier turns"):
        set_rewritten(talk, small.LEAD, "q1", "mend thing one")


def test_a_person_edits_a_rewritten_form_and_its_history_keeps_the_earlier_one(
    talk: Workspace,
) -> None:
    set_rewritten(talk, small.LEAD, "c1", "csv file header", by="tiny-model")
    set_rewritten(talk, small.LEAD, "c1", "write a csv file with a header row")
    set_rewritten(talk, small.LEAD, "c1", "write a csv file with a header row")
    assert small.held(talk, "c1").rewritten_by == "Lee Lead"
    set_rewritten(talk, small.LEAD, "c1", " ")
    assert small.held(talk, "c1").rewritten_text is None
    assert [(e.action, e.detail) for e in history(talk, "c1")][1:] == [
        ("rewritten by tiny-model", "csv file header"),
        ("rewritten by Lee Lead", "write a csv file with a header row"),
        ("rewritten form taken away", ""),
    ]


def test_a_release_carries_types_and_rewriting_and_keeps_old_hashes_without(
    workspace: Workspace,
) -> None:
    """A query with neither gives the very line that it gave before there were any."""
    assert content.canonical(content.query_row(small.query(1))) == (
        '{"drafted_text":null,"information_need":"","language":"","provenance":"","query_id":"q1",'
        '"source":"log","source_doc_id":null,"tags":[],"text":"how do I mend thing 1","turns":[]}'
    )
    with workspace.writing() as db:
        queries.save(
            db, [Query("c1", "and thing 2?", QuerySource.CONVERSATION, turns=small.EARLIER)]
        )
    small.pool(workspace, [("c1", "d2")])
    set_types(workspace, small.LEAD, "c1", ["follow-up"])
    set_rewritten(workspace, small.LEAD, "c1", "mend thing 2", by="tiny-model")
    small.work_through(workspace, small.ANN)
    frozen = releases.freeze(workspace, "v1", small.LEAD)
    held = {query.query_id: query for query in releases.load(frozen.folder, workspace).queries}
    one = held["c1"]
    assert (one.types, one.types_by) == (("follow-up",), "person")
    assert (one.rewritten_text, one.rewritten_by) == ("mend thing 2", "tiny-model")
    assert held["q1"].rewritten_text is None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (QueryFilter(), ["man", "miss", "q1", "q2"]),
        (QueryFilter(states=["retired"]), ["q2"]),
        (QueryFilter(states=["accepted", "retired"], sources=["log"]), ["q1", "q2"]),
        (QueryFilter(sources=["failure"]), ["miss"]),
        (QueryFilter(types=["date-bound"]), ["man"]),
        (QueryFilter(types=[""]), ["q1", "q2"]),
        (QueryFilter(types=["", "date-bound"]), ["man", "q1", "q2"]),
        (QueryFilter(languages=["de"]), ["man"]),
        (QueryFilter(languages=["", "de"], words="ÄRGER 2025"), ["man"]),
        (QueryFilter(words="q1"), ["q1"]),
        (QueryFilter(words="100%"), []),
        (QueryFilter(words="' or 1=1 --"), []),
    ],
)
def test_the_list_is_filtered_by_the_store(
    workspace: Workspace, wanted: QueryFilter, found: list[str]
) -> None:
    retire(workspace, small.LEAD, ["q2"], cause="duplicate")
    bring_in(workspace, small.LEAD, [by_hand("ärger 2025", language="de"), *pasted("vpn drops")])
    with workspace.reading() as db:
        page = query_list.find(db, wanted)
        first = query_list.find(db, wanted, limit=1, offset=1)
        assert query_list.languages(db) == ["", "de"]
    assert [query.query_id.split("-")[0] for query in page.queries] == found
    assert page.total == first.total == len(found)
    assert list(first.queries) == list(page.queries[1:2])
