"""The Adjudicate page: the lead's last word on what raters differ on or could not judge."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import measured
import pytest
import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.judging import Task, causes
from labelkit.model import Cause, Role, Span
from labelkit.store import Workspace, people, rubrics
from labelkit.ui import evidence_marks

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/adjudicate.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """18 pairs judged, 9 of them twice, two with different levels."""
    return measured.judged(tmp_path / "workspace")


@pytest.fixture
def adjudicate(workspace: Workspace, open_page: Open) -> AppTest:
    """The page as the lead sees it."""
    return open_page(workspace, PAGE, measured.LEAD)


def settle(app: AppTest, level: int, reason: str) -> AppTest:
    """Choose a final level, write why, and save."""
    button = next(b for b in app.button if b.label.startswith(f"**{level} "))
    button.click().run()
    app.text_area[0].set_value(reason)
    return press(app, "Settle")


def test_zero_against_two_comes_first_with_both_reasons(adjudicate: AppTest) -> None:
    """Both raters, their levels, their reasons, and how many disadjudicates are open."""
    shown = words(adjudicate)
    assert "2 open, 1 of them 0 against 2; 0 settled." in shown
    assert "Bo Rater 2 answers bo-rater read" in shown
    assert "Cy Rater 0 does not help cy-rater read" in shown


def test_settling_needs_level_and_reason(adjudicate: AppTest, workspace: Workspace) -> None:
    """Settle without a level, then without a reason: refused in words, nothing written."""
    adjudicate.text_area[0].set_value("Because.")
    press(adjudicate, "Settle")
    assert "Choose the final level" in said(adjudicate)
    settle(adjudicate, 0, " ")
    assert "Write why this level is right" in said(adjudicate)
    assert judging.load(workspace).adjudications == ()


def test_settled_pair_makes_room_for_the_next(adjudicate: AppTest, workspace: Workspace) -> None:
    """Level 0 with a reason is written; the raters' judgments stay; the next pair shows."""
    before = len(judging.load(workspace).judgments)
    settle(adjudicate, 0, "It names the call and does not say how to keep the header.")
    assert "Settled" in said(adjudicate)
    state = judging.load(workspace)
    assert [(a.level, a.query_id) for a in state.adjudications] == [(0, "q1")]
    assert len(state.judgments) == before
    assert "1 open, 0 of them 0 against 2; 1 settled." in words(adjudicate)
    assert adjudicate.text_area[0].value == ""


def test_the_slower_of_two_leads_reads_what_the_faster_said_first(
    adjudicate: AppTest, workspace: Workspace, open_page: Open
) -> None:
    """Both have the pair open; the second word is not written over the first unseen."""
    second = people.add(workspace, "Lee Lead", [Role.LEAD]).person_id
    slower = open_page(workspace, PAGE, second)
    next(b for b in slower.button if b.label.startswith("**2 ")).click().run()
    settle(adjudicate, 0, "It only names the call.")
    slower.text_area[0].set_value("It answers.")
    press(slower, "Settle")
    assert "Ann Lead settled this pair at level 0 meanwhile" in said(slower)
    assert [one.level for one in judging.load(workspace).adjudications] == [0]
    assert "It only names the call." in words(slower)
    press(slower, "Settle")
    assert [one.level for one in judging.load(workspace).adjudications] == [2]


def test_next_and_previous_go_round(adjudicate: AppTest) -> None:
    """The address names the pair on screen."""
    first = words(adjudicate)
    press(adjudicate, "Next")
    assert adjudicate.query_params["pair"].startswith("q2 ")
    press(adjudicate, "Next")
    assert words(adjudicate) == first


def test_names_can_be_hidden(adjudicate: AppTest) -> None:
    """Letters stand in their place; levels and reasons stay."""
    adjudicate.checkbox[0].check().run()
    shown = words(adjudicate)
    assert "Rater A 2 answers" in shown
    assert "Bo Rater" not in shown


def test_cause_is_recorded_and_counted(adjudicate: AppTest, workspace: Workspace) -> None:
    """What is chosen is kept at once, with what helps against it."""
    cause = next(one for one in adjudicate.selectbox if one.label == "Why they differ")
    cause.set_value("rubric_gap").run()
    assert causes.count_causes(workspace) == {"rubric_gap": 1}
    assert "the rubric has a gap 1 add a rule or a boundary example" in words(adjudicate)
    press(adjudicate, "Next")
    again = next(one for one in adjudicate.selectbox if one.label == "Why they differ")
    assert again.value is None
    again.set_value("misread").run()
    assert causes.count_causes(workspace) == {"rubric_gap": 1, "misread": 1}


def test_one_click_settles_and_makes_a_boundary_example(
    adjudicate: AppTest, workspace: Workspace
) -> None:
    """A 0 against 2 settled as 0 stands at 0/1; the new version voids alpha, and that is said."""
    next(b for b in adjudicate.button if b.label.startswith("**0 ")).click().run()
    adjudicate.text_area[0].set_value("It names the call only.").run()
    press(adjudicate, "Settle, and make it a boundary example")
    assert "A boundary example 0/1" in said(adjudicate)
    assert "Alpha is void" in said(adjudicate)
    (example,) = rubrics.read_current(workspace).examples
    assert (example.boundary, example.level, example.why) == ("0/1", 0, "It names the call only.")


def test_settled_pair_is_collected_for_the_next_edit(
    adjudicate: AppTest, workspace: Workspace
) -> None:
    """Several examples go into one edit; nothing is in force before it is saved."""
    settle(adjudicate, 1, "It holds a part.")
    press(adjudicate, "Next")
    press(adjudicate, "Add it to my edit of the rubric")
    assert "Added to your edit, which now has 1 boundary example." in said(adjudicate)
    assert rubrics.read_current(workspace).examples == ()
    adjudicate.switch_page("pages/rubric.py").run()
    adjudicate.radio(key="lk_rubric_part").set_value("Edit").run()
    assert "example 1/2 added" in words(adjudicate)


def test_what_each_marked_is_lettered_in_the_document() -> None:
    """Overlapping passages are cut where one begins or ends; a moved quote is found again."""
    places = {"A": [(0, 5)], "B": [evidence_marks.place("abcdefgh", Span(90, 94, "defg"))]}
    shown = "".join(map(str, evidence_marks.marked("abcdefgh", places)))
    assert re.sub(r' class="[^"]*"', "", shown) == (
        "<b>A</b><mark>abc</mark><b>A B</b><mark>de</mark><b>B</b><mark>fg</mark>h"
    )


def stopped_by_bo(path: Path, *causes: Cause) -> Workspace:
    """A fresh project in which Bo could not judge one pair for each cause."""
    workspace = samples.judged_from_scratch(path, documents_per_query=2)
    people.set_roles(workspace, measured.LEAD, ["lead"])
    for cause in causes:
        task = judging.claim(workspace, measured.FIRST)
        assert isinstance(task, Task)
        judging.record(
            workspace, measured.FIRST, task.pair_id, cause=cause,
            reason="The end is missing here.", seconds_on_screen=3,
        )  # fmt: skip
    return workspace


def queues(app: AppTest) -> AppTest:
    """Go to the part with the pairs that could not be judged."""
    return app.radio(key="lk_adjudicate_part").set_value("Cannot judge").run()


def test_each_queue_has_its_count_and_the_reason(tmp_path: Path, open_page: Open) -> None:
    """All four are named, with how many wait in each."""
    workspace = stopped_by_bo(tmp_path / "w", Cause.RUBRIC_GAP, Cause.DOCUMENT_UNREADABLE)
    app = queues(open_page(workspace, PAGE, measured.LEAD))
    assert app.radio(key="lk_queue").options == [
        "Query unclear (0)", "Document unreadable (1)", "Needs an expert (0)", "Rubric gap (1)",
    ]  # fmt: skip
    assert "The end is missing here." in words(app)
    assert "Bo Rater" in words(app)


@pytest.mark.parametrize(
    ("cause", "choice", "button", "told"),
    [
        (Cause.QUERY_UNCLEAR, "Retire the query", "Retire the query", "Retired"),
        (Cause.DOCUMENT_UNREADABLE, "Declare it unreadable", "Declare it unreadable", "unjudged"),
        (Cause.RUBRIC_GAP, "The rubric is clarified", "The rubric covers it now", "in the queue"),
        (Cause.NEEDS_EXPERT, "Judge it anyway", "Have it judged anyway", "in the queue"),
    ],
)
def test_a_decision_is_asked_for_its_reason_and_told(
    tmp_path: Path, open_page: Open, cause: Cause, choice: str, button: str, told: str
) -> None:
    """Refused without a note; with one it is written, and the queue is empty."""
    workspace = stopped_by_bo(tmp_path / "w", cause)
    app = queues(open_page(workspace, PAGE, measured.LEAD))
    decisions = next(radio for radio in app.radio if radio.label == "Decision")
    decisions.set_value(choice).run()
    press(app, button)
    assert "Write why" in said(app)
    note = next(field for field in app.text_area if field.key.startswith("lk_note_"))
    note.set_value("It cannot be read by anyone.")
    press(app, button)
    assert told in said(app)
    assert "No pair waits here" in words(app)
    assert "It cannot be read by anyone." in words(app)


def test_a_reworded_query_names_its_judged_pairs(tmp_path: Path, open_page: Open) -> None:
    """The lead chooses which of them are judged anew; the new text is what raters see next."""
    workspace = samples.judged_from_scratch(tmp_path / "w", documents_per_query=2)
    first = judging.claim(workspace, measured.FIRST)
    assert isinstance(first, Task)
    judging.record(
        workspace, measured.FIRST, first.pair_id, level=0, reason="It is about files.",
        seconds_on_screen=3,
    )  # fmt: skip
    second = judging.claim(workspace, measured.FIRST)
    assert isinstance(second, Task)
    judging.record(
        workspace, measured.FIRST, second.pair_id, cause=Cause.QUERY_UNCLEAR,
        reason="Which one is meant?", seconds_on_screen=3,
    )  # fmt: skip
    app = queues(open_page(workspace, PAGE, measured.LEAD))
    (again,) = app.multiselect
    again.set_value([first.pair_id])
    app.text_area[0].set_value("a better query")
    next(f for f in app.text_area if f.key.startswith("lk_note_")).set_value("Clearer.")
    press(app, "Save the new text")
    assert "2 pairs are in the queue again" in said(app)
    task = judging.claim(workspace, measured.FIRST)
    assert isinstance(task, Task)
    assert task.query.text == "a better query"
