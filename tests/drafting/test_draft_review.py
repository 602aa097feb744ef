"""Reviewing drafts: accepted, edited or rejected once, with both texts and every reason kept."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small

from labelkit import drafting
from labelkit.errors import Conflict, InputError, NotAllowed
from labelkit.model import Document, Query, QuerySource, QueryState, Role, Turn
from labelkit.store import Workspace, pairs, people, queries


def draft(number: int, text: str = "mend thing one with glue quickly") -> Query:
    """A synthetic draft, made from the first document."""
    return Query(
        f"s{number}", text, QuerySource.SYNTHETIC, state=QueryState.DRAFT, source_doc_id="d1"
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Three drafts beside two accepted queries and three documents."""
    workspace = small.build(tmp_path / "w", pooled=False)
    with workspace.writing() as db:
        queries.save(db, [draft(number) for number in (1, 2, 3)])
    return workspace


def held(workspace: Workspace, query_id: str) -> Query:
    with workspace.reading() as db:
        found = queries.get(db, query_id)
    assert found is not None
    return found


def events(workspace: Workspace) -> list[tuple[str, str, str]]:
    with workspace.reading() as db:
        rows = db.execute("select query_id, person_id, action from query_events order by event_id")
        return [tuple(row) for row in rows]


def test_accepting_makes_a_query_with_its_source_and_pools_its_document(
    workspace: Workspace,
) -> None:
    drafting.accept(workspace, small.ANN, "s1")
    query = held(workspace, "s1")
    assert (query.state, query.source, query.drafted_text) == ("accepted", "synthetic", None)
    with workspace.reading() as db:
        assert pairs.keys(db) == [("s1", "d1")]
    assert events(workspace) == [("s1", small.ANN, "draft to accepted")]


def test_an_edit_keeps_both_texts(workspace: Workspace) -> None:
    drafting.accept(workspace, small.ANN, "s1", text="how to glue thing one")
    query = held(workspace, "s1")
    assert query.text == "how to glue thing one"
    assert query.drafted_text == draft(1).text
    counts = drafting.reviewed(workspace)
    assert (counts.waiting, counts.accepted, counts.edited, counts.rejected) == (2, 1, 1, 0)


def test_saving_the_text_unchanged_is_no_edit(workspace: Workspace) -> None:
    drafting.accept(workspace, small.ANN, "s1", text=f" {draft(1).text}\n")
    assert held(workspace, "s1").drafted_text is None
    assert held(workspace, "s1").text == draft(1).text
    assert drafting.reviewed(workspace).edited == 0


def test_a_second_reviewer_gets_a_conflict_and_the_first_decision_stands(
    workspace: Workspace,
) -> None:
    drafting.accept(workspace, small.ANN, "s1", text="how to glue thing one")
    with pytest.raises(Conflict, match="is accepted by now"):
        drafting.accept(workspace, small.BO, "s1", text="mine")
    with pytest.raises(Conflict, match="is accepted by now"):
        drafting.reject(workspace, small.BO, "s1", cause="duplicate")
    assert held(workspace, "s1").text == "how to glue thing one"
    assert len(events(workspace)) == 1


def test_a_draft_that_is_not_there_is_a_conflict(workspace: Workspace) -> None:
    with pytest.raises(Conflict, match="is gone by now"):
        drafting.accept(workspace, small.ANN, "s99")


def test_a_rejection_keeps_its_cause_and_note(workspace: Workspace) -> None:
    drafting.reject(workspace, small.ANN, "s1", cause="other", note=" It is two questions. ")
    query = held(workspace, "s1")
    assert query.state == "rejected"
    assert query.note.endswith(": It is two questions.")
    with workspace.reading() as db:
        assert pairs.keys(db) == []


@pytest.mark.parametrize(
    ("decide", "says"),
    [
        (lambda w: drafting.accept(w, small.ANN, "s1", text="  "), "The query is empty"),
        (lambda w: drafting.reject(w, small.ANN, "s1", cause="dull"), "Choose why"),
        (lambda w: drafting.reject(w, small.ANN, "s1", cause="other"), "Write the reason down"),
    ],
)
def test_a_decision_that_lacks_something_is_refused_and_the_draft_waits(
    workspace: Workspace, decide: object, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        decide(workspace)  # type: ignore[operator]
    assert held(workspace, "s1").state == "draft"


def test_who_may_not_judge_may_not_decide_on_drafts(workspace: Workspace) -> None:
    people.add(workspace, "Rev", [Role.REVIEWER])
    with pytest.raises(NotAllowed):
        drafting.accept(workspace, "rev", "s1")
    with pytest.raises(NotAllowed):
        drafting.reject(workspace, "rev", "s1", cause="duplicate")


def test_drafts_come_one_after_the_other_and_begin_again_at_the_end(workspace: Workspace) -> None:
    seen, at = [], None
    for _ in range(4):
        shown = drafting.draft_at(workspace, at)
        assert shown is not None
        seen.append((shown.query.query_id, shown.position, shown.of))
        at = shown.following
    assert seen == [("s1", 1, 3), ("s2", 2, 3), ("s3", 3, 3), ("s1", 1, 3)]
    assert shown.source == small.document(1)
    assert (shown.before, shown.following, shown.far) == ("s3", "s2", "s2")
    for number in (1, 2, 3):
        drafting.reject(workspace, small.ANN, f"s{number}", cause="duplicate")
    assert drafting.draft_at(workspace) is None


DOCUMENT = Document(
    "d", "csv.DictWriter", "Create an object which operates like a regular writer but maps rows."
)


def names(text: str, source: Document | None = DOCUMENT, *accepted: str) -> list[str]:
    """The warnings about a draft, by name."""
    asked = Query("s", text, QuerySource.SYNTHETIC, source_doc_id="d")
    known = [Query(f"q{n}", other, QuerySource.LOG) for n, other in enumerate(accepted)]
    return [warning.name for warning in drafting.check(asked, source, known)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("write a list of dicts to a spreadsheet file", []),
        ("what operates like a regular writer but maps", ["lifted verbatim"]),
        ("object writer rows maps regular", ["lifted verbatim"]),
        ("write rows", ["too generic"]),
        ("can csv.dictwriter skip unknown keys somehow", ["names the document"]),
        ("does my csv dictwriter's header repeat itself", ["names the document"]),
    ],
)
def test_a_draft_is_warned_about_what_is_wrong_with_it_and_nothing_else(
    text: str, wanted: list[str]
) -> None:
    assert names(text) == wanted


@pytest.mark.parametrize("title", ["", " ", "…", "re"])
def test_a_document_is_named_only_by_whole_words(title: str) -> None:
    assert names("where are unread reports stored", Document("d", title, "Nothing of it.")) == []


def test_a_near_duplicate_and_a_missing_source_are_warned_about() -> None:
    text = "write a list of dicts to a spreadsheet file"
    assert names(text, DOCUMENT, "Write a list of dicts to a spreadsheet FILE?") == [
        "near-duplicate"
    ]
    assert names(text, None) == ["source missing"]


def test_a_follow_up_may_be_short() -> None:
    turns = (Turn("user", "how do I list a folder"),)
    follow_up = Query("s", "and in windows", QuerySource.CONVERSATION, turns=turns)
    assert drafting.check(follow_up, None) == ()


def test_white_space_at_the_ends_of_a_draft_is_no_edit(workspace: Workspace) -> None:
    with workspace.writing() as db:
        queries.save(db, [draft(9, "mend thing nine with glue \n")])
    drafting.accept(workspace, small.ANN, "s9", text="mend thing nine with glue")
    assert held(workspace, "s9").drafted_text is None
    assert drafting.reviewed(workspace).edited == 0
