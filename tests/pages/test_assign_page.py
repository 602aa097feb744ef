"""The Assign page: a batch made, changed and closed; the order; third labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import reading
import samples
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.judging import assigning, ordering, third_labels
from labelkit.judging.assigning import Wish
from labelkit.store import Workspace

Open = Callable[[Workspace, str, str | None], AppTest]
LEAD, RATER = "ann-lead", "bo-rater"
PAGE = "pages/assign.py"


def test_a_batch_is_made_with_people_and_a_due_day(tmp_path: Path, open_page: Open) -> None:
    workspace = samples.judged_from_scratch(tmp_path / "w", documents_per_query=2)
    app = open_page(workspace, PAGE, LEAD)
    assert "None yet" in reading.words(app)
    app.text_input(key="lk_batch_name").set_value("<b>Week 1</b>")
    app.multiselect(key="lk_batch_people").set_value([RATER])
    app.text_area(key="lk_batch_ids").set_value("q1\nq2")
    reading.press(app, "Make the batch")
    assert not app.exception
    held = assigning.standing(workspace, LEAD)[0]
    assert (held.pairs, held.people, held.name) == (4, (RATER,), "<b>Week 1</b>")
    assert "holds 4 pairs, 4 of them waiting" in reading.said(app)
    assert "&lt;b&gt;Week 1" in reading.markup(app)
    reading.press(app, "Close this batch")
    assert "4 pairs wait for anyone" in reading.said(app)


def test_what_could_never_be_finished_is_said(tmp_path: Path, open_page: Open) -> None:
    workspace = samples.judged_from_scratch(tmp_path / "w", documents_per_query=2)
    app = open_page(workspace, PAGE, LEAD)
    app.text_input(key="lk_batch_name").set_value("Too few")
    app.multiselect(key="lk_batch_people").set_value([RATER])
    app.selectbox(key="lk_batch_raters").set_value(2)
    reading.press(app, "Make the batch")
    assert "could never be finished" in reading.said(app)
    assert app.text_input(key="lk_batch_name").value == "Too few"


def test_a_stuck_batch_warns(tmp_path: Path, open_page: Open) -> None:
    workspace = samples.judged_from_scratch(tmp_path / "w", documents_per_query=2)
    assigning.make(workspace, LEAD, Wish("Alone", people=(RATER,), query_ids=("q1",)))
    judging.deactivate(workspace, LEAD, RATER)
    app = open_page(workspace, PAGE, LEAD)
    assert "cannot finish 2 pairs" in reading.said(app)


def test_order_and_share_are_set(tmp_path: Path, open_page: Open) -> None:
    workspace = samples.judged_from_scratch(tmp_path / "w", documents_per_query=2)
    app = open_page(workspace, PAGE, LEAD)
    app.radio(key="lk_order").set_value("random").run()
    assert ordering.order(workspace) == "random"
    app.number_input(key="lk_thirds_share").set_value(35)
    reading.press(app, "Set the share")
    assert third_labels.standing(workspace, LEAD).share == 0.35


def test_a_rater_does_not_open_it_and_sees_the_due_day_while_judging(
    tmp_path: Path, open_page: Open
) -> None:
    workspace = samples.judged_from_scratch(tmp_path / "w", documents_per_query=2)
    assigning.make(workspace, LEAD, Wish("b", people=(RATER,), due="2099-01-31"))
    assert "stays closed" in reading.said(open_page(workspace, PAGE, RATER))
    app = open_page(workspace, "pages/label.py", RATER)
    assert any("due 2099-01-31" in one.value.replace("\\", "") for one in app.caption)
