"""The Label page without a browser: what it saves, what it refuses, what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import samples
from labeling import BO, pair_of, press, write
from reading import said, unfold
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.model import Document, Query, QuerySource, Span
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents, pairs, rubrics

Open = Callable[[Workspace, str, str | None], AppTest]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_each_level_is_saved_as_chosen(label: AppTest, workspace: Workspace, level: int) -> None:
    """Level 0 is a judgment like any other."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_{level}_{pair}")
    write(label, "Because of its second line.")
    press(label, f"lk_save_{pair}")
    [judgment] = judging.recent(workspace, BO)
    assert (judgment.pair_id, judgment.level) == (pair, level)
    assert pair_of(label) != pair


def test_no_level_is_chosen_by_default(label: AppTest, workspace: Workspace) -> None:
    """Saving an untouched pair says what is missing and writes nothing."""
    pair = pair_of(label)
    write(label, "A reason.")
    press(label, f"lk_save_{pair}")
    assert "Choose a level first" in said(label)
    assert judging.recent(workspace, BO) == []


def test_reason_is_required_and_the_level_stays(label: AppTest, workspace: Workspace) -> None:
    """Without a reason nothing is saved and the level is still chosen."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_0_{pair}")
    press(label, f"lk_save_{pair}")
    assert "Write a reason first" in said(label)
    assert (pair_of(label), label.session_state["lk_open_pair"].level) == (pair, 0)
    assert judging.recent(workspace, BO) == []


def test_level_and_save_in_one_run_ask_again(label: AppTest, workspace: Workspace) -> None:
    """Keys faster than the screen: the level is taken, the save is not."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_1_{pair}")
    write(label, "A reason.")
    press(label, f"lk_choice_level_2_{pair}", f"lk_save_{pair}")
    assert "Not saved" in said(label)
    assert label.session_state["lk_open_pair"].level == 2
    assert judging.recent(workspace, BO) == []


def test_two_levels_in_one_run_choose_none(label: AppTest) -> None:
    """Which of two came last is not known, so the page asks."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_0_{pair}", f"lk_choice_level_2_{pair}")
    assert "Two keys came at once" in said(label)
    assert label.session_state["lk_open_pair"].level is None


def test_faster_than_reading_is_refused(workspace: Workspace, open_page: Open) -> None:
    """A save within the shortest look is a key too many; level and reason stay."""
    app = open_page(workspace, "pages/label.py", BO)
    pair = pair_of(app)
    press(app, f"lk_choice_level_2_{pair}")
    write(app, "Quick.")
    app.session_state["lk_open_pair"].shown_at = float("inf")
    press(app, f"lk_save_{pair}")
    assert "faster than the document can be read" in said(app)
    assert (pair_of(app), judging.recent(workspace, BO)) == (pair, [])


def test_a_rubric_edited_while_a_pair_is_open_asks_for_the_level_again(
    label: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """A level chosen by other words is neither saved nor found again; the reason is."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_2_{pair}")
    write(label, "Because of its second line.")
    label.run()
    with workspace.writing() as db:
        rubrics.save(db, replace(STARTER, title="Is this of use?"), "ann-lead")
    again = open_page(workspace, "pages/label.py", BO)
    press(label, f"lk_save_{pair}")
    assert "the rubric changed (it is v2 now) while this pair was open" in said(label)
    for app in (label, again):
        assert (pair_of(app), app.session_state["lk_open_pair"].level) == (pair, None)
        assert app.text_area(key=f"lk_reason_{pair}").value == "Because of its second line."
    press(label, f"lk_save_{pair}")
    assert "Choose a level first" in said(label)
    assert judging.recent(workspace, BO) == []
    press(label, f"lk_choice_level_1_{pair}")
    press(label, f"lk_save_{pair}")
    assert [one.level for one in judging.recent(workspace, BO)] == [1]


def test_a_document_revised_while_its_pair_is_open_is_read_again(
    label: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """A level given to the old text is not filed under the new one, nor are its passages."""
    pair = pair_of(label)
    with workspace.reading() as db:
        held = pairs.get(db, pair)
        assert held is not None
        before = documents.get(db, held.doc_id)
        assert before is not None
    label.session_state["lk_open_pair"].evidence = (Span(0, 9, before.text[:9]),)
    press(label, f"lk_choice_level_2_{pair}")
    write(label, "Because of its second line.")
    with workspace.writing() as db:
        documents.save(db, [Document(held.doc_id, "Another", "Nothing of the kind.")])
    again = open_page(workspace, "pages/label.py", BO)
    assert again.session_state["lk_open_pair"].evidence == ()
    press(label, f"lk_save_{pair}")
    assert "the document's text changed while this pair was open" in said(label)
    assert label.session_state["lk_open_pair"].evidence == ()
    assert judging.recent(workspace, BO) == []
    press(label, f"lk_choice_level_0_{pair}")
    press(label, f"lk_save_{pair}")
    assert [one.level for one in judging.recent(workspace, BO)] == [0]


def test_draft_is_there_in_a_new_session(
    label: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """Level and reason not yet saved come back after the session is gone."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_0_{pair}")
    write(label, "Half a sen")
    label.run()
    again = open_page(workspace, "pages/label.py", BO)
    assert again.session_state["lk_open_pair"].level == 0
    assert again.text_area(key=f"lk_reason_{pair}").value == "Half a sen"


def test_a_choice_and_a_save_take_one_run_each(
    label: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run in which a button is pressed shows what comes of it."""
    runs, claim = [], judging.claim
    monkeypatch.setattr(judging, "claim", lambda *given: runs.append(given) or claim(*given))
    pair = pair_of(label)
    press(label, f"lk_choice_level_0_{pair}")
    assert label.button(key=f"lk_choice_level_0_{pair}").icon.endswith("_checked:")
    write(label, "Another topic.")
    press(label, f"lk_save_{pair}")
    assert pair_of(label) != pair
    assert len(runs) == 2


def test_undo_of_nothing_keeps_what_was_just_typed(label: AppTest) -> None:
    """Words that come with the click are kept, and the pair stays."""
    pair = pair_of(label)
    write(label, "Half a sen")
    press(label, f"lk_undo_{pair}")
    assert "nothing to undo" in said(label)
    assert pair_of(label) == pair
    assert label.text_area(key=f"lk_reason_{pair}").value == "Half a sen"


def test_correction_supersedes(label: AppTest, workspace: Workspace) -> None:
    """A judgment in the list can be corrected; the list then shows the new one."""
    pair = pair_of(label)
    press(label, f"lk_choice_level_2_{pair}")
    write(label, "Answers it.")
    press(label, f"lk_save_{pair}")
    [judgment] = judging.recent(workspace, BO)
    unfold(label, "lk_recent")
    press(label, f"lk_correct_{judgment.judgment_id}")
    label.radio[0].set_value(0)
    label.text_input[0].set_value("Only the same topic.")
    next(button for button in label.button if button.label == "Save the correction").click()
    label.run()
    [corrected] = judging.recent(workspace, BO)
    assert (corrected.level, corrected.reason) == (0, "Only the same topic.")
    assert "Corrected" in said(label)


def test_set_aside_pair_can_be_opened(label: AppTest, workspace: Workspace) -> None:
    """Judge later puts the pair on the person's list, from where it opens again."""
    pair = pair_of(label)
    press(label, f"lk_later_{pair}")
    assert pair_of(label) != pair
    press(label, f"lk_open_{pair}")
    assert pair_of(label) == pair
    assert "another tab" not in said(label)


def test_empty_queue_says_why_and_what_next(tmp_path: Path, open_page: Open) -> None:
    """Before pooling the page says so, and who does what."""
    from labelkit.store import people

    workspace = Workspace.create(tmp_path / "empty", "Empty")
    people.add(workspace, "Bo Rater", ["rater"])
    app = open_page(workspace, "pages/label.py", BO)
    shown = " ".join(element.proto.body for element in app.get("html"))
    assert app.title[0].value == "Nothing to judge now"
    assert "No pairs have been pooled yet" in shown


def test_last_pair_leaves_a_reason_and_an_undo(
    tmp_path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When all is judged the page says so and the last judgment can still be undone."""
    monkeypatch.setattr("labelkit.judging.recording.SHORTEST_LOOK", 0.0)
    query = Query("q1", "copy list", QuerySource.MANUAL)
    workspace = samples.one_pair(tmp_path / "one", query, Document("d1", "copy", "Shallow."))
    app = open_page(workspace, "pages/label.py", BO)
    pair = pair_of(app)
    press(app, f"lk_choice_level_1_{pair}")
    write(app, "Names the shallow one.")
    press(app, f"lk_save_{pair}")
    assert app.title[0].value == "Nothing to judge now"
    press(app, "lk_undo_last")
    assert pair_of(app) == pair
    assert app.text_area(key=f"lk_reason_{pair}").value == "Names the shallow one."


def test_nothing_on_the_page_tells_where_the_pair_comes_from(
    label: AppTest, workspace: Workspace
) -> None:
    """No retriever, rank, origin or other rater is in anything the page sends."""
    with workspace.writing() as db:
        db.execute("insert into pair_sources select pair_id, 'secretbm25', 7 from pairs")
    label.run()
    sent = " ".join(str(element.proto) for element in label if hasattr(element, "proto"))
    assert "Your level" in sent
    assert "lk-pane" in sent
    for word in ("secretbm25", "pool", "Ann Lead", "origin"):
        assert word not in sent
