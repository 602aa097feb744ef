"""The Agreement page: the figure with what it stands on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import measured
import pytest
import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.store import Workspace, rubrics

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/agreement.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """18 pairs judged, 9 of them twice, two with different levels."""
    return measured.judged(tmp_path / "workspace")


@pytest.fixture
def agreement(workspace: Workspace, open_page: Open) -> AppTest:
    """The page as the lead sees it."""
    return open_page(workspace, PAGE, measured.LEAD)


def test_alpha_stands_with_everything_beside_it(agreement: AppTest, workspace: Workspace) -> None:
    """Interval, units, raters, raw agreement, mix, rubric, band, the table, pairs and hot spots."""
    report = judging.agreement_report(workspace)
    shown = words(agreement)
    assert f"alpha, ordinal {report.alpha:.3f}" in shown
    assert "pairs labeled twice or more 9" in shown
    assert "raters 2" in shown
    assert "raw agreement 78%" in shown
    assert "rubric v" in shown
    assert report.sentence in shown
    assert "below 30 the interval says more than the value" in shown
    assert "Levels given together 0 1 2" in shown
    assert "Bo Rater and Cy Rater 9 78%" in shown
    assert "csv header lost when i write dicts" in shown


def test_sample_is_drawn_for_somebody_else(agreement: AppTest, workspace: Workspace) -> None:
    """Nine pairs have one level only; a drawn sample asks for a second on each."""
    agreement.number_input[0].set_value(4)
    press(agreement, "Draw a sample")
    assert "Drew 4 pairs" in said(agreement)
    assert "samples of 4 pairs were drawn" in words(agreement)
    assert judging.progress(workspace, measured.SECOND).open_for_me == 4


def test_edited_rubric_voids_alpha(workspace: Workspace, open_page: Open) -> None:
    """A new version has no labels of its own: the page says so and offers a fresh sample."""
    with workspace.writing() as db:
        rubrics.save(db, replace(samples.STARTER, title="Does it help, strictly?"), None)
    app = open_page(workspace, PAGE, measured.LEAD)
    assert "Alpha is void: its labels were given under v1" in said(app)
    assert "Agreement cannot be computed" in words(app)
    assert any(button.label == "Draw a fresh sample" for button in app.button)


def test_one_rater_alone_is_named_as_the_reason(tmp_path: Path, open_page: Open) -> None:
    """Undefined has a name and an explanation; no NaN, 0 or 1 in its place."""
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)
    app = open_page(workspace, PAGE, measured.LEAD)
    assert "Nobody has judged yet" in words(app)
    with workspace.writing() as db:
        version = rubrics.ensure(db)
        measured.judge(db, "q2", "zipfile.ZipFile.open#2.0", measured.FIRST, 2, version, "first")
    app.run()
    assert "alpha, ordinal –" in words(app)
    assert "only one rater has labeled: have someone else label a sample" in words(app)


def test_rater_does_not_see_names(workspace: Workspace, open_page: Open) -> None:
    """Only leads open the page."""
    app = open_page(workspace, PAGE, "bo-rater")
    assert "is not a lead" in said(app)
    assert "Cy Rater" not in words(app)
