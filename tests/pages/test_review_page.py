"""The Review page: one draft at a time, accepted as it is or edited, or rejected with a cause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import drafting
from labelkit.model import QueryState
from labelkit.store import Workspace, pairs, queries

Open = Callable[[Workspace, str, str | None], AppTest]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Three drafts."""
    return measured.drafted(tmp_path / "workspace")


@pytest.fixture
def review(workspace: Workspace, open_page: Open, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The Review page with its first draft; a test is faster than any reader."""
    monkeypatch.setattr("labelkit.ui.reviewing.QUICKEST", 0.0)
    return open_page(workspace, "pages/review.py", "bo-rater")


def held(workspace: Workspace, query_id: str) -> queries.Query:
    """A query as the store has it."""
    with workspace.reading() as db:
        found = queries.get(db, query_id)
    assert found is not None
    return found


def test_accepted_draft_is_pooled_and_the_next_one_shows(
    review: AppTest, workspace: Workspace
) -> None:
    """Accept: the query counts, its document is in the pool, the next draft is on screen."""
    assert review.text_area[0].value == measured.DRAFTS["d1.natural"]
    press(review, "Accept")
    assert "Accepted d1.natural" in said(review)
    assert held(workspace, "d1.natural").state is QueryState.ACCEPTED
    with workspace.reading() as db:
        assert pairs.find(db, "d1.natural", measured.SOURCE) is not None
    assert review.text_area[0].value == measured.DRAFTS["d2.lifted"]
    assert "acceptance rate, 95 % 100%" in words(review)


def test_edited_draft_keeps_both_wordings(review: AppTest, workspace: Workspace) -> None:
    """The button says that the edit is accepted; what was drafted stays on record."""
    review.text_area[0].set_value("header row is missing").run()
    press(review, "Accept as edited")
    query = held(workspace, "d1.natural")
    assert (query.text, query.drafted_text) == (
        "header row is missing",
        measured.DRAFTS["d1.natural"],
    )
    assert "accepted 1 (1 edited)" in words(review)


def test_rejection_needs_a_cause(review: AppTest, workspace: Workspace) -> None:
    """Reject opens the causes; pressing one rejects, and "other" asks for a note first."""
    press(review, "Reject")
    assert held(workspace, "d1.natural").state is QueryState.DRAFT
    press(review, "another reason (write it down)")
    assert "Write the reason down" in said(review)
    press(review, "nobody would type this")
    query = held(workspace, "d1.natural")
    assert (query.state, query.note) == (QueryState.REJECTED, "nobody would type this")
    assert review.text_area[0].value == measured.DRAFTS["d2.lifted"]
    assert not any(button.label == "nobody would type this" for button in review.button)


def test_warnings_stand_beside_the_draft_with_their_evidence(review: AppTest) -> None:
    """A lifted draft shows the words it copied."""
    press(review, "Next")
    assert "lifted verbatim" in words(review)
    assert "write a row with the field names as given in the constructor" in words(review)


def test_next_goes_through_all_drafts_and_begins_again(review: AppTest) -> None:
    """Next decides nothing; behind the last draft comes the first."""
    for wording in (*list(measured.DRAFTS.values())[1:], measured.DRAFTS["d1.natural"]):
        press(review, "Next")
        assert review.text_area[0].value == wording


def test_decision_right_after_the_draft_came_up_is_refused(
    workspace: Workspace, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A held or doubled key cannot accept what nobody has read."""
    monkeypatch.setattr("labelkit.ui.reviewing.QUICKEST", 60.0)
    app = open_page(workspace, "pages/review.py", "bo-rater")
    press(app, "Accept")
    assert "too quick" in said(app)
    assert drafting.reviewed(workspace).accepted == 0


def test_somebody_else_was_faster(review: AppTest, workspace: Workspace) -> None:
    """A draft decided on elsewhere meanwhile: a plain message, and nothing is overwritten."""
    drafting.reject(workspace, "ann-lead", "d1.natural", cause="duplicate")
    press(review, "Accept")
    assert "Somebody else decided on d1.natural" in said(review)
    assert held(workspace, "d1.natural").state is QueryState.REJECTED


def test_no_draft_says_where_drafts_come_from(review: AppTest) -> None:
    """When everything is decided the page says so and points on."""
    for _ in measured.DRAFTS:
        press(review, "Accept")
    assert "Every draft is decided on" in words(review)
