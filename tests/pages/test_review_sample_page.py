"""The Review page around the draft: the sample, the lead's choice, undo, the rival beside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import markup, press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import drafting
from labelkit.model import Query, QuerySource, QueryState
from labelkit.store import Workspace, drafts, queries

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/review.py"
LEAD, RATER = measured.LEAD, "bo-rater"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Three drafts; a test is faster than any reader."""
    monkeypatch.setattr("labelkit.ui.reviewing.QUICKEST", 0.0)
    return measured.drafted(tmp_path / "workspace")


def more_drafts(workspace: Workspace, count: int) -> None:
    with workspace.writing() as db:
        queries.save(
            db,
            [
                Query(
                    f"e{number:02}",
                    f"how should pump {number} be mended by hand",
                    QuerySource.SYNTHETIC,
                    QueryState.DRAFT,
                    source_doc_id=measured.SOURCE,
                )
                for number in range(count)
            ],
        )


def accept_all_drawn(app: AppTest, workspace: Workspace) -> None:
    """Accept until the sample is read."""
    while not drafting.sample_standing(workspace).done:  # type: ignore[union-attr]
        press(app, "Accept")


def test_a_lead_draws_a_sample_and_only_its_drafts_come(
    workspace: Workspace, open_page: Open
) -> None:
    more_drafts(workspace, 17)
    app = open_page(workspace, PAGE, LEAD)
    app.selectbox(key="lk_share").set_value(10)
    app.number_input(key="lk_seed").set_value(5)
    press(app, "Draw")
    assert "2 drafts drawn" in said(app)
    assert "sample 0 of 2 done" in words(app)
    assert "10 % of 20 drafts, seed 5, drawn by Ann Lead" in words(app)
    press(app, "Accept")
    assert "sample 1 of 2 done" in words(app)
    assert "n 1: too few" in words(app)


def test_the_rest_is_accepted_unread_with_a_reason(workspace: Workspace, open_page: Open) -> None:
    """Without one it is refused; afterwards the choice stands below with its rate."""
    more_drafts(workspace, 7)
    drafting.draw(workspace, LEAD, 20, seed=5)
    app = open_page(workspace, PAGE, LEAD)
    accept_all_drawn(app, workspace)
    assert "The sample is read" in " ".join(one.value for one in app.subheader)
    press(app, "Accept 8 drafts unread")
    assert "Write down why" in said(app)
    app.text_input(key="lk_outside_note").set_value("Both were natural.")
    press(app, "Accept 8 drafts unread")
    assert "8 drafts accepted unread" in said(app)
    assert "accepted 10 (8 unread)" in words(app)
    assert "100% (16% to 100%), n 2 Both were natural." in words(app)


def test_held_drafts_are_let_go(workspace: Workspace, open_page: Open) -> None:
    more_drafts(workspace, 7)
    drafting.draw(workspace, LEAD, 20, seed=5)
    app = open_page(workspace, PAGE, LEAD)
    accept_all_drawn(app, workspace)
    app.text_input(key="lk_outside_note").set_value("Another day.")
    press(app, "Hold 8 drafts")
    assert "held 8" in words(app)
    assert "No draft waits; those that are held" in words(app)
    press(app, "Let 8 held drafts go")
    assert drafting.reviewed(workspace).waiting == 8


def test_a_rater_reads_on_where_the_choice_is_a_leads(
    workspace: Workspace, open_page: Open
) -> None:
    more_drafts(workspace, 7)
    drafting.draw(workspace, LEAD, 20, seed=5)
    app = open_page(workspace, PAGE, RATER)
    accept_all_drawn(app, workspace)
    assert "A lead decides on the 8 drafts outside the sample" in words(app)
    assert not [button for button in app.button if "unread" in button.label]
    press(app, "Read on, one by one")
    press(app, "Accept")
    assert drafting.reviewed(workspace).accepted == 3


def test_undo_brings_the_draft_back_on_screen(workspace: Workspace, open_page: Open) -> None:
    """Once: afterwards there is nothing to take back."""
    app = open_page(workspace, PAGE, RATER)
    app.text_area[0].set_value("header row is missing").run()
    press(app, "Accept as edited")
    press(app, "Undo d1\\.natural")
    assert "Taken back: d1.natural waits again" in said(app)
    assert "Your wording was “header row is missing”" in said(app)
    assert app.text_area[0].value == measured.DRAFTS["d1.natural"]
    assert [button.disabled for button in app.button if button.label == "Undo"] == [True]


def test_undo_works_where_no_draft_is_left(workspace: Workspace, open_page: Open) -> None:
    app = open_page(workspace, PAGE, RATER)
    for _ in measured.DRAFTS:
        press(app, "Accept")
    press(app, "Undo d3\\.generic")
    assert app.text_area[0].value == measured.DRAFTS["d3.generic"]


def test_previous_goes_back_and_the_address_names_the_draft(
    workspace: Workspace, open_page: Open
) -> None:
    app = open_page(workspace, PAGE, RATER)
    press(app, "Previous")
    assert app.text_area[0].value == measured.DRAFTS["d3.generic"]
    assert app.query_params["draft"] == "d3.generic"


def test_the_copied_words_are_marked_and_an_edit_takes_the_warning_away(
    workspace: Workspace, open_page: Open
) -> None:
    app = open_page(workspace, PAGE, RATER)
    press(app, "Next")
    assert '<mark class="lk-copied' in markup(app)
    app.text_area[0].set_value("why is the first line of my csv file gone").run()
    assert "As edited" in words(app)
    assert '<mark class="lk-copied' not in markup(app)
    assert f"As drafted: {measured.DRAFTS['d2.lifted']}" in words(app)


def test_the_rival_is_shown_beside_on_request(workspace: Workspace, open_page: Open) -> None:
    """A document that the corpus check named; its text is text, whatever it holds."""
    with workspace.writing() as db:
        found = db.execute("select doc_id from documents where doc_id <> ?", (measured.SOURCE,))
        rival = found.fetchone()[0]
        finding = {"name": "answered elsewhere", "evidence": f"{rival} as well", "doc_id": rival}
        drafts.save_findings(db, [("d1.natural", measured.DRAFTS["d1.natural"], [finding])])
    app = open_page(workspace, PAGE, RATER)
    assert "answered elsewhere" in words(app)
    assert f"answers it as well? {rival}" not in words(app)
    press(app, "Show the other document beside it")
    assert f"answers it as well? {rival}" in words(app)
    press(app, "Hide the other document")
    assert f"answers it as well? {rival}" not in words(app)


def test_unchecked_drafts_say_so_and_only_a_lead_starts_the_check(
    workspace: Workspace, open_page: Open
) -> None:
    assert "Not checked against the corpus yet" in words(open_page(workspace, PAGE, RATER))
    labels = [button.label for button in open_page(workspace, PAGE, LEAD).button]
    assert "Check all drafts" in labels
    labels = [button.label for button in open_page(workspace, PAGE, RATER).button]
    assert "Check all drafts" not in labels
