"""The Rubric page: read by raters, edited by leads, with its versions and what an edit means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import markup, press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.judging import rubric_versions
from labelkit.store import Workspace, rubrics

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/rubric.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """18 pairs judged, 9 of them twice, two with different levels."""
    return measured.judged(tmp_path / "workspace")


@pytest.fixture
def rubric(workspace: Workspace, open_page: Open) -> AppTest:
    """The page as the lead sees it, at its edit."""
    return part(open_page(workspace, PAGE, measured.LEAD), "Edit")


def part(app: AppTest, name: str) -> AppTest:
    """Go to a part of the page."""
    return app.radio(key="lk_rubric_part").set_value(name).run()


def write(app: AppTest, label: str, text: str) -> AppTest:
    """Write into the field of that label."""
    fields = [*app.text_area, *app.text_input]
    return next(one for one in fields if one.label == label).set_value(text).run()


RULES = "Rules, one a line"
PAGES = "Judge what the page says, not what you know."
NOTE = "Why it changes (kept with the version)"


def test_rater_reads_and_cannot_edit(workspace: Workspace, open_page: Open) -> None:
    """The levels and rules stand there; no part of the page writes."""
    app = open_page(workspace, PAGE, measured.FIRST)
    assert "2 answers The reader can act on this document alone" in words(app)
    assert app.radio(key="lk_rubric_part").options == ["Read", "Versions"]
    part(app, "Versions")
    assert not [button for button in app.button if button.key != "lk_sign_out"]


def test_edit_is_kept_shown_word_by_word_and_voids_alpha(
    rubric: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """A fresh session finds the unsaved edit; saved as a meaning it voids alpha and says so."""
    write(rubric, RULES, PAGES)
    assert "You have an unsaved edit" in words(rubric)
    again = part(open_page(workspace, PAGE, measured.LEAD), "Edit")
    shown = markup(again)
    assert "<del>document</del>" in shown
    assert "<ins>page</ins>" in shown
    press(again, "Save as a new meaning")
    assert "Say in a few words why" in said(again)
    write(again, NOTE, "Pages, not documents.")
    press(again, "Save as a new meaning")
    assert "Alpha is void" in said(again)
    assert rubrics.read_current(workspace).rules == (
        "Judge what the page says, not what you know.",
    )
    assert again.radio(key="lk_rubric_part").value == "Old and new labels"
    assert "Why: Pages, not documents." in words(again)
    assert "unsaved edit" not in words(part(again, "Edit"))


def test_wording_fix_is_recorded_with_who_vouched(rubric: AppTest, workspace: Workspace) -> None:
    """Alpha stays; the version says whose word that was."""
    before = judging.agreement_report(workspace).alpha
    write(rubric, "Level 0, name", "no help")
    write(rubric, NOTE, "Shorter.")
    kind = next(one for one in rubric.radio if one.label == "What kind of change is it?")
    kind.set_value("wording").run()
    press(rubric, "Save as a wording fix")
    assert "a wording fix" in said(rubric)
    assert judging.agreement_report(workspace).alpha == before
    part(rubric, "Versions")
    assert "wording of v1, says Ann Lead Shorter." in words(rubric)


def test_counting_is_shown_with_counts_before_it_is_chosen(
    workspace: Workspace, open_page: Open
) -> None:
    """27 labels, 18 pairs: what each rule would do, then the one that is chosen."""
    held = rubrics.read_current(workspace)
    one = judging.disagreements(workspace, measured.LEAD)[0]
    rubric_versions.add_boundary_example(
        workspace, measured.LEAD, one.query.query_id, one.document.doc_id,
        boundary="0/1", level=0, why="It names the call only.",
    )  # fmt: skip
    app = part(open_page(workspace, PAGE, measured.LEAD), "Old and new labels")
    shown = words(app)
    assert "All still count 27 0 0" in shown
    assert "Only what is labeled anew 0 27 18" in shown
    near = next(e for e in rubric_versions.counting_effects(workspace) if e.rule == "near_examples")
    assert 0 < near.requeued < 18
    app.radio(key="lk_counting_rule").set_value("near_examples").run()
    app.button(key="lk_count").click().run()
    assert f"{near.requeued} pairs go back to the raters" in said(app)
    assert len(judging.load(workspace).judgments) == 27 - near.dropped
    assert held.version == 1


def test_example_is_added_from_a_disagreement_and_taken_out(
    rubric: AppTest, workspace: Workspace
) -> None:
    """Levels and reasons of both stand beside the fields; without a reason it is refused."""
    press(rubric, "Add it to the edit")
    assert "Write why the pair is this level" in said(rubric)
    write(rubric, "Why this level and not its neighbour", "It only names the call.")
    press(rubric, "Add it to the edit")
    assert "Added to the edit" in said(rubric)
    assert "example 0/1 added" in words(rubric)
    assert rubrics.read_current(workspace).examples == ()
    press(rubric, "Take it out")
    assert "example 0/1 added" not in words(rubric)


def test_starter_fills_the_edit_only(rubric: AppTest, workspace: Workspace) -> None:
    """Texts for support articles; the version in force stays until Save."""
    next(one for one in rubric.selectbox if one.label == "For").set_value("support").run()
    press(rubric, "Take its texts into the edit")
    assert rubric.text_input[0].value == "Does this article solve the customer's problem?"
    assert rubrics.read_current(workspace).version == 1
    press(rubric, "Give the edit up")
    assert rubric.text_input[0].value == rubrics.read_current(workspace).title


def test_edit_that_another_lead_overtook_says_so(rubric: AppTest, workspace: Workspace) -> None:
    """The other version is not lost silently."""
    write(rubric, NOTE, "Mine.")
    one = judging.disagreements(workspace, measured.LEAD)[0]
    rubric_versions.add_boundary_example(
        workspace, measured.LEAD, one.query.query_id, one.document.doc_id,
        boundary="0/1", level=0, why="It names the call only.",
    )  # fmt: skip
    rubric.run()
    assert "Version 2 was saved since you began from version 1" in said(rubric)
    assert "example 0/1 removed" in words(rubric)
