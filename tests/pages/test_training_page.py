"""Warm-up, quiz and repeats as pages: what a new rater meets, and what a lead sets up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import reading
import samples
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.judging import quiz, repeats, warm_up
from labelkit.judging.quiz import QuizRule
from labelkit.model import Role, Span
from labelkit.rubric import STARTER
from labelkit.store import Workspace, people, rubrics

Open = Callable[[Workspace, str, str | None], AppTest]
LEAD, NEW = "ann-lead", "nora-new"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Thirty pairs on which two people agree, levels mixed; a new rater."""
    monkeypatch.setattr("labelkit.judging.recording.SHORTEST_LOOK", 0.0)
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=6)
    with workspace.writing() as db:
        db.execute("update pairs set quota = 2 where pair_id <= 30")
    for name in ("Cy Rater", "Di Rater"):
        judge_agreed(workspace, people.add(workspace, name, [Role.RATER]).person_id)
    people.add(workspace, "Nora New", [Role.RATER])
    return workspace


def judge_agreed(workspace: Workspace, person: str) -> None:
    """Give the first thirty pairs the level that everyone agrees on."""
    while isinstance(task := judging.claim(workspace, person), judging.Task):
        if task.pair_id > 30:
            judging.judge_later(workspace, person, task.pair_id)
            continue
        judging.record(
            workspace,
            person,
            task.pair_id,
            level=task.pair_id % 3,
            reason="It says so.",
            seconds_on_screen=2.0,
        )


def said(app: AppTest) -> str:
    """Everything on the page that is not a widget."""
    captions = " ".join(caption.value for caption in app.caption)
    titles = " ".join(title.value for title in [*app.title, *app.subheader])
    return " ".join([titles, captions, reading.words(app), reading.said(app)])


def answer(app: AppTest, level: int) -> AppTest:
    """Choose a level, write a reason, save."""
    item = app.session_state["lk_practice_open"].pair_id
    app.button(key=f"lk_choice_level_{level}_training_{item}").click().run()
    app.text_area(key=f"lk_reason_training_{item}").set_value("It says so in words.")
    return app.button(key=f"lk_save_training_{item}").click().run()


def level_of(workspace: Workspace, app: AppTest) -> int:
    """The agreed level of the pair on screen."""
    item = app.session_state["lk_practice_open"].pair_id
    with workspace.reading() as db:
        row = db.execute("select level from training_items where item_id = ?", (item,)).fetchone()
    return int(row[0])


def test_a_new_rater_warms_up_and_then_meets_real_pairs(
    workspace: Workspace, open_page: Open
) -> None:
    warm_up.set_up(workspace, LEAD)
    app = open_page(workspace, "pages/label.py", NEW)
    assert "First a few pairs to warm up" in said(app)
    app.button(key="lk_warm_up_begin").click().run()
    for number in range(6):
        assert f"pair {number + 1} of 6" in said(app)
        answer(app, 1)
        assert "Agreed: " in said(app)
        assert "because: It says so." in said(app)
        app.button(key="lk_next").click().run()
    assert "Warm-up done" in said(app)
    app.button(key="lk_warm_up_done").click().run()
    assert "lk_open_pair" in app.session_state
    assert judging.recent(workspace, NEW) == []
    assert not app.exception


def test_a_warm_up_without_level_or_reason_says_what_is_missing(
    workspace: Workspace, open_page: Open
) -> None:
    warm_up.set_up(workspace, LEAD)
    app = open_page(workspace, "pages/label.py", NEW)
    app.button(key="lk_warm_up_begin").click().run()
    item = app.session_state["lk_practice_open"].pair_id
    app.button(key=f"lk_save_training_{item}").click().run()
    assert "Choose a level first" in said(app)


def test_level_and_save_in_one_run_save_nothing(workspace: Workspace, open_page: Open) -> None:
    warm_up.set_up(workspace, LEAD)
    app = open_page(workspace, "pages/label.py", NEW)
    app.button(key="lk_warm_up_begin").click().run()
    item = app.session_state["lk_practice_open"].pair_id
    app.text_area(key=f"lk_reason_training_{item}").set_value("It says so.")
    app.button(key=f"lk_choice_level_2_training_{item}").click()
    app.button(key=f"lk_save_training_{item}").click().run()
    assert "the level changed at that moment" in said(app)
    assert warm_up.standing(workspace, NEW).told == ()


def test_a_quiz_is_failed_explained_and_passed(workspace: Workspace, open_page: Open) -> None:
    quiz.require(workspace, LEAD, QuizRule(size=6), trusted=["cy-rater", "di-rater"])
    app = open_page(workspace, "pages/label.py", NEW)
    app.button(key="lk_quiz_begin").click().run()
    for _ in range(6):
        assert "Agreed" not in said(app)
        answer(app, (level_of(workspace, app) + 1) % 3)
    assert "Not passed yet" in said(app)
    assert "Attempt 1: 0%, pass mark 80%; 0 of 6 pairs exactly as agreed." in said(app)
    assert said(app).count("because: It says so.") == 6
    app.button(key="lk_quiz_begin").click().run()
    for _ in range(6):
        answer(app, level_of(workspace, app))
    assert "Quiz passed" in said(app)
    assert "Your labels count from now on." in said(app)
    app.button(key="lk_quiz_done").click().run()
    assert "lk_open_pair" in app.session_state
    assert not app.exception


def test_somebody_with_labels_already_is_not_stopped_by_a_warm_up(
    workspace: Workspace, open_page: Open
) -> None:
    warm_up.set_up(workspace, LEAD)
    app = open_page(workspace, "pages/label.py", "cy-rater")
    assert "warm up" not in said(app)


def test_a_warm_up_can_be_repeated_on_wish(workspace: Workspace, open_page: Open) -> None:
    warm_up.set_up(workspace, LEAD)
    app = open_page(workspace, "pages/training.py", "cy-rater")
    app.button(key="lk_warm_up_repeat").click().run()
    app.switch_page("pages/label.py").run()
    assert "pair 1 of 6" in said(app)


def test_a_lead_switches_everything_on_and_off(workspace: Workspace, open_page: Open) -> None:
    app = open_page(workspace, "pages/training.py", LEAD)
    assert "Off: new raters begin with real pairs." in said(app)
    assert "Not required: everyone's labels count." in said(app)
    app.button(key="lk_warm_up_on").click().run()
    assert "The warm-up is on, with 6 pairs." in said(app)
    reading.press(app, "Require the quiz")
    assert "Required: 10 pairs, pass mark 80%" in said(app)
    assert "guessing scores 33% on average" in said(app)
    assert quiz.left_out_if_required(workspace) == {}
    app.button(key="lk_quiz_off").click().run()
    assert quiz.rule_now(workspace) is None
    app.button(key="lk_warm_up_off").click().run()
    assert not warm_up.standing(workspace, NEW).on
    app.checkbox[0].uncheck()
    reading.press(app, "Set")
    assert not repeats.repeat_rule(workspace).on
    assert not app.exception


def test_a_lead_vouches_for_a_rater(workspace: Workspace, open_page: Open) -> None:
    quiz.require(workspace, LEAD, QuizRule(size=6), trusted=["cy-rater", "di-rater"])
    app = open_page(workspace, "pages/training.py", LEAD)
    app.selectbox[0].set_value(NEW)
    app.text_input[0].set_value("Worked on the first project.")
    reading.press(app, "Vouch")
    assert "Nora New's labels count from now on" in said(app)
    assert not quiz.standing(workspace, NEW).required


def test_too_few_pairs_are_said_and_nothing_is_switched_on(tmp_path: Path, open_page: Open) -> None:
    workspace = samples.judged_from_scratch(tmp_path / "empty", documents_per_query=2)
    app = open_page(workspace, "pages/training.py", LEAD)
    app.button(key="lk_warm_up_on").click().run()
    assert "No warm-up yet: 6 pairs are needed and 0 pairs can be drawn" in said(app)
    reading.press(app, "Require the quiz")
    assert "No quiz yet" in said(app)
    assert quiz.rule_now(workspace) is None


def test_a_rater_sees_nothing_of_the_leads_part_nor_of_others(
    workspace: Workspace, open_page: Open
) -> None:
    app = open_page(workspace, "pages/training.py", NEW)
    assert "Qualification quiz" not in said(app)
    assert "Cy Rater" not in said(app)
    assert "Once some have, you read here" in said(app)


def test_ones_own_figure_stands_on_the_overview_with_n_and_interval(
    workspace: Workspace, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = repeats.Consistency("cy-rater", 7, 8, 0, 0.473, 0.997)
    monkeypatch.setattr(repeats, "own_consistency", lambda workspace, person: figure)
    app = open_page(workspace, "app.py", "cy-rater")
    assert "Of 8 pairs that came twice, you gave 7 the same level: 88%" in said(app)
    assert "95 % interval 47% to 100%" in said(app)


def test_a_rubric_that_requires_evidence_asks_for_it_in_the_warm_up_as_well(
    workspace: Workspace, open_page: Open
) -> None:
    """A level above 0 without a passage is refused as on a real pair; level and reason stay."""
    warm_up.set_up(workspace, LEAD)
    with workspace.writing() as db:
        rubrics.save(db, replace(STARTER, evidence_required=True), LEAD)
    app = open_page(workspace, "pages/label.py", NEW)
    reading.press(app, "Begin the warm-up")
    answer(app, 1)
    assert "This rubric wants evidence for level 1" in said(app)
    state = app.session_state["lk_practice_open"]
    item = state.pair_id
    assert (state.level, app.text_area(key=f"lk_reason_training_{item}").value) == (
        1,
        "It says so in words.",
    )
    state.evidence = (Span(0, 3, "not"),)
    app.button(key=f"lk_save_training_{item}").click().run()
    assert "does not stand at characters" in said(app)
    state.evidence = ()
    answer(app, 0)
    assert "what is agreed" in said(app)
