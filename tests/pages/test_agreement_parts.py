"""The Agreement page of a project to doubt: parts, questions to raters, the plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import doubted
import measured
import pytest
import small_project as small
from reading import markup, press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.judging.trust import trust
from labelkit.store import Workspace

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/agreement.py"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """72 pairs with two labels of three raters each; nothing here writes to it."""
    return doubted.build(tmp_path_factory.mktemp("doubted") / "workspace")


@pytest.fixture
def page(workspace: Workspace, open_page: Open) -> AppTest:
    """The page as the lead sees it."""
    return open_page(workspace, PAGE, doubted.LEAD)


def test_every_part_has_n_and_interval_and_is_grey_when_too_few(
    page: AppTest, workspace: Workspace
) -> None:
    """Pairs of raters have under 30 pairs each, document types 36: only the first are grey."""
    told = trust(workspace, doubted.LEAD)
    shown = words(page)
    for part in told.document_types:
        assert part.low is not None
        assert f"{part.name} 36" in shown
        assert f"{part.alpha:.2f} {part.low:.2f} to {part.high:.2f}" in shown
    assert '<span class="lk-few"><span class="lk-keep">Bo Rater and Cy Rater' in markup(page)
    assert '<span class="lk-few"><span class="lk-keep">howto' not in markup(page)
    assert "first half 2026-11-02 to 2026-11-03 36" in shown
    assert "part 4 2026-11-05" in shown
    assert "No model has graded a pair under this rubric" in shown


def test_raters_stand_in_order_of_name_with_questions(page: AppTest) -> None:
    """Who is quick and gives one reason is asked, not judged; who leads sees it all."""
    shown = words(page)
    row = shown.index("ask before you conclude")
    assert shown.index("Ada Rater", row) < shown.index("Bo Rater", row)
    assert "47 pairs share their reason word for word" in shown
    assert "do you know this material well" in shown
    assert "47 of 47" in shown
    assert "rank" not in shown[row:]


def test_sentence_to_paste_stands_alone(page: AppTest, workspace: Workspace) -> None:
    """The figure, interval, n, raters, mix, how the interval was made, the rubric's version."""
    (sentence,) = [one.value for one in page.code]
    report = judging.agreement_report(workspace)
    assert sentence.startswith(report.sentence)
    assert "BCa bootstrap over queries, 10,000 resamples. Rubric version 1." in sentence


def test_plan_draws_what_a_target_needs(tmp_path: Path, open_page: Open) -> None:
    """Nine pairs are left to draw; more were asked for, and that is said."""
    workspace = measured.judged(tmp_path / "w")
    app = open_page(workspace, PAGE, measured.LEAD)
    (button, *_) = [one for one in app.button if one.label.endswith("more for ±0.15")]
    press(app, button.label)
    assert "Drew 9 pairs" in said(app)
    assert "no other has exactly one level: judge more first" in said(app)
    assert judging.progress(workspace, measured.SECOND).open_for_me == 9


def test_copied_labels_and_a_lopsided_mix_are_warned_of(tmp_path: Path, open_page: Open) -> None:
    """40 pairs, both raters the same each time, nine of ten a 0."""
    workspace = small.build(tmp_path / "w", query_count=8, document_count=5, quota=2)
    for rater in (small.ANN, small.BO):
        small.work_through(workspace, rater, lambda task: 2 * (task.pair_id % 10 == 0))
    shown = words(open_page(workspace, PAGE, small.LEAD))
    assert "alpha, ordinal 1.000" in shown
    assert "perfect agreement looks like copied labels" in shown
    assert "90% of the labels are level 0: two raters who are each right 85% of the time" in shown


def test_project_without_second_labels_offers_the_plan(tmp_path: Path, open_page: Open) -> None:
    """No figure, the reason for it, and how many pairs to draw."""
    workspace = small.build(tmp_path / "w", query_count=8, document_count=5)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    app = open_page(workspace, PAGE, small.LEAD)
    shown = words(app)
    assert "draw a second-label sample first" in shown or "only one rater has labeled" in shown
    assert "the plan assumes 0.63" in shown
    assert any(button.label.endswith("more for ±0.15") for button in app.button)
