"""The Label page's own memory: reused reasons, the pinned rubric, causes, corrections."""

from __future__ import annotations

from collections.abc import Callable

from labeling import BO, judge, pair_of, press
from reading import said, unfold, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.drafting import llm_judge
from labelkit.model import Cause
from labelkit.store import Workspace, judgments

Open = Callable[[Workspace, str, str | None], AppTest]


def test_a_reused_reason_is_written_by_a_click_and_marked(
    label: AppTest, workspace: Workspace
) -> None:
    """The click fills the field and nothing more; the judgment says that it was reused."""
    judge(label, 0, "Other topic.")
    pair = pair_of(label)
    unfold(label, "lk_reuse")
    press(label, f"lk_reuse_0_{pair}")
    assert label.text_area(key=f"lk_reason_{pair}").value == "Other topic."
    assert len(judging.recent(workspace, BO)) == 1
    press(label, f"lk_choice_level_0_{pair}")
    press(label, f"lk_save_{pair}")
    assert [one.reason_reused for one in judging.recent(workspace, BO)] == [True, False]
    assert "reason reused" in words(unfold(label, "lk_recent"))


def test_the_rubric_stays_where_the_person_put_it(
    label: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """Unpinned it is gone from the page's side, in a new session as well; pinned it is back."""
    press(label, "lk_unpin")
    again = open_page(workspace, "pages/label.py", BO)
    for app in (label.run(), again):
        assert not [button for button in app.button if button.key == "lk_unpin"]
    unfold(again, "lk_rubric")
    press(again, "lk_pin")
    assert open_page(workspace, "pages/label.py", BO).button(key="lk_unpin")


def test_a_cause_comes_back_in_a_new_session(
    label: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """Also one whose reason is not written yet, and the level under it."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_0_{pair}")
    press(label, f"lk_cannot_{pair}")
    press(label, f"lk_choice_cause_needs_expert_{pair}")
    state = open_page(workspace, "pages/label.py", BO).session_state["lk_open_pair"]
    assert (state.chosen_level, state.chosen_cause) == (None, Cause.NEEDS_EXPERT)
    assert state.level == 0


def test_a_cleared_level_is_not_mistaken_for_0(label: AppTest, workspace: Workspace) -> None:
    """Known from another tool, which hid its "clear" button at level 0.

    0 is chosen like any level, is undone like any level, and is there again after the undo.
    """
    pair = judge(label, 0, "Other topic.")
    press(label, f"lk_undo_{pair_of(label)}")
    assert pair_of(label) == pair
    assert "Your level: 0 does not help" in [c.value.replace("\\", "") for c in label.caption]
    assert judging.recent(workspace, BO) == []
    press(label, f"lk_cannot_{pair}")
    press(label, f"lk_save_{pair}")
    assert "Choose a level first" in said(label)


def test_a_skipped_pair_is_not_done(label: AppTest, workspace: Workspace) -> None:
    """Known from another tool, which marked a skipped item complete.

    It counts as open, has no judgment, and comes back at the end.
    """
    skipped = pair_of(label)
    press(label, f"lk_skip_{skipped}")
    with workspace.reading() as db:
        assert judgments.history(db) == []
    progress = judging.progress(workspace, BO)
    assert (progress.today, progress.parked) == (0, 1)
    while pair_of(label) != skipped:
        judge(label, 1, "It helps a little.")
    assert len(judging.recent(workspace, BO, 50)) == 11
    judge(label, 0, "Other topic.")
    assert label.title[0].value == "Nothing to judge now"


def test_history_of_a_corrected_judgment_is_shown(label: AppTest, workspace: Workspace) -> None:
    """Each event with its level and reason, oldest first."""
    judge(label, 2, "Answers it.")
    [first] = judging.recent(workspace, BO)
    corrected = judging.correct(
        workspace, BO, first.judgment_id, level=0, reason="Only the same topic."
    )
    unfold(label, "lk_recent")
    press(label, f"lk_correct_{corrected.judgment_id}")
    shown = words(label)
    assert "History, oldest first" in shown
    assert shown.index("2 answers: Answers it.") < shown.index("0 does not help: Only the same")


def test_the_models_grade_is_offered_only_where_the_project_shows_it_to_raters(
    label: AppTest, workspace: Workspace
) -> None:
    """On request and after judging; nothing is looked at before the person asks."""
    judge(label, 1, "A part of it.")
    assert not [button for button in label.button if button.label == "What the model says"]
    llm_judge.show_to_raters(workspace, "ann-lead", allowed=True)
    unfold(label, "lk_recent")
    next(one for one in label.button if one.label == "What the model says").click().run()
    assert "No model has graded this pair." in [caption.value for caption in label.caption]
