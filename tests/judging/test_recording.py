"""What a person says of a pair: saved once, corrected by a further event, never lost."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import Conflict, InputError, NotAllowed
from labelkit.judging import Task
from labelkit.model import Cause, Judgment, Role, Span
from labelkit.store import Workspace, judgments, people


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries, three documents, everything wanted once."""
    return small.build(tmp_path / "w")


def history(workspace: Workspace) -> list[Judgment]:
    with workspace.reading() as db:
        return judgments.history(db)


def record(workspace: Workspace, task: Task, **changes: object) -> Judgment:
    """Save Ann's judgment of a pair, sound but for the changes."""
    said = {"level": 1, "reason": "It helps.", "seconds_on_screen": small.LOOKED} | changes
    return judging.record(workspace, small.ANN, task.pair_id, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_every_level_is_saved_as_itself_and_0_is_one_of_them(
    workspace: Workspace, level: int
) -> None:
    saved = record(workspace, small.claim(workspace, small.ANN), level=level)
    assert saved.level == level
    assert judging.recent(workspace, small.ANN)[0].level == level
    judging.undo(workspace, small.ANN)
    draft = small.claim(workspace, small.ANN).draft
    assert draft is not None
    assert draft.level == level


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"level": None}, "Choose a level first"),
        ({"level": 3}, "is not a level"),
        ({"level": -1}, "is not a level"),
        ({"level": True}, "is not a level"),
        ({"level": "1"}, "is not a level"),
        ({"level": 1.0}, "is not a level"),
        ({"level": np.int64(1)}, "is not a level"),
        ({"cause": Cause.RUBRIC_GAP}, "not both"),
        ({"reason": ""}, "Write a reason first"),
        ({"reason": " \n\u00a0 "}, "Write a reason first"),
        ({"reason": "x" * 2001}, "one sentence"),
        ({"seconds_on_screen": 0.39}, "faster than the document can be read"),
        ({"seconds_on_screen": float("nan")}, "faster than the document can be read"),
        ({"evidence": [Span(0, 5, "Other")]}, "does not stand at"),
        ({"evidence": [Span(-1, 5, "Thing")]}, "does not stand at"),
        ({"evidence": [Span(3, 3, "")]}, "does not stand at"),
    ],
)
def test_a_judgment_that_lacks_something_is_refused_and_nothing_is_written(
    workspace: Workspace, changes: dict[str, object], says: str
) -> None:
    task = small.claim(workspace, small.ANN)
    with pytest.raises(InputError, match=says):
        record(workspace, task, **changes)
    assert history(workspace) == []
    assert small.claim(workspace, small.ANN).pair_id == task.pair_id


def test_evidence_that_stands_in_the_document_is_kept(workspace: Workspace) -> None:
    span = Span(0, 5, "Thing")
    saved = record(workspace, small.claim(workspace, small.ANN), evidence=[span])
    assert saved.evidence == (span,)


def test_a_second_tab_gets_a_conflict_and_one_judgment_stands(workspace: Workspace) -> None:
    in_both_tabs = small.claim(workspace, small.ANN)
    record(workspace, in_both_tabs, level=2)
    with pytest.raises(Conflict, match="another tab"):
        record(workspace, in_both_tabs, level=0)
    small.claim(workspace, small.ANN)
    with pytest.raises(Conflict, match="another tab"):
        record(workspace, in_both_tabs, level=0)
    assert [event.level for event in history(workspace)] == [2]


def test_ten_saves_at_the_same_moment_make_one_judgment(workspace: Workspace) -> None:
    task, barrier = small.claim(workspace, small.ANN), Barrier(10)
    refused: list[Conflict] = []

    def save() -> None:
        barrier.wait()
        try:
            record(workspace, task)
        except Conflict as conflict:
            refused.append(conflict)

    threads = [Thread(target=save) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 9
    assert len(history(workspace)) == 1


def test_a_pair_that_was_never_opened_cannot_be_judged(workspace: Workspace) -> None:
    task = small.claim(workspace, small.ANN)
    with pytest.raises(Conflict):
        small.say(workspace, small.BO, task)
    assert history(workspace) == []


def test_undo_withdraws_by_an_event_and_opens_the_pair_with_what_was_said(
    workspace: Workspace,
) -> None:
    task = small.claim(workspace, small.ANN)
    record(workspace, task, level=0, reason="Glue is missing.")
    small.claim(workspace, small.ANN)
    withdrawn = judging.undo(workspace, small.ANN)
    assert withdrawn is not None
    assert withdrawn.level == 0
    assert [event.kind for event in history(workspace)] == ["judgment", "withdrawal"]
    assert judging.recent(workspace, small.ANN) == []
    again = small.claim(workspace, small.ANN)
    assert again.pair_id == task.pair_id
    assert again.draft is not None
    assert (again.draft.level, again.draft.reason) == (0, "Glue is missing.")
    assert record(workspace, again, level=2).supersedes == 2
    assert [j.level for j in judging.load(workspace).judgments] == [2]


def test_undo_of_a_cause_keeps_its_reason(workspace: Workspace) -> None:
    task = small.claim(workspace, small.ANN)
    record(workspace, task, level=None, cause=Cause.NEEDS_EXPERT, reason="It is in Greek.")
    judging.undo(workspace, small.ANN)
    draft = small.claim(workspace, small.ANN).draft
    assert draft is not None
    assert (draft.level, draft.reason) == (None, "It is in Greek.")


def test_undo_with_nothing_to_undo_does_nothing(workspace: Workspace) -> None:
    assert judging.undo(workspace, small.ANN) is None
    assert history(workspace) == []


def test_undo_does_not_take_a_pair_from_the_person_who_was_given_it_since(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "one", query_count=1, document_count=1)
    task = small.claim(workspace, small.ANN)
    record(workspace, task, level=None, cause=Cause.NEEDS_EXPERT)
    held = small.claim(workspace, small.BO)
    judging.undo(workspace, small.ANN)
    assert not isinstance(judging.claim(workspace, small.ANN), Task)
    assert small.say(workspace, small.BO, held).level == 1


def test_a_correction_supersedes_and_the_history_stays(workspace: Workspace) -> None:
    first = record(workspace, small.claim(workspace, small.ANN), level=0)
    second = judging.correct(
        workspace, small.ANN, first.judgment_id, level=2, reason="I missed the last line."
    )
    assert [(event.kind, event.level) for event in history(workspace)] == [
        ("judgment", 0),
        ("correction", 2),
    ]
    assert second.supersedes == first.judgment_id
    assert [j.level for j in judging.load(workspace).judgments] == [2]


def test_a_correction_of_what_no_longer_stands_or_is_anothers_is_a_conflict(
    workspace: Workspace,
) -> None:
    first = record(workspace, small.claim(workspace, small.ANN), level=0)
    judging.correct(workspace, small.ANN, first.judgment_id, level=2, reason="Better.")
    for person in (small.ANN, small.BO):
        with pytest.raises(Conflict):
            judging.correct(workspace, person, first.judgment_id, level=1, reason="Hm.")
    assert len(history(workspace)) == 2


def test_a_correction_from_a_cause_to_a_level_passes_no_quota(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "one", query_count=1, document_count=1)
    cause = record(
        workspace, small.claim(workspace, small.ANN), level=None, cause=Cause.NEEDS_EXPERT
    )
    small.say(workspace, small.BO, small.claim(workspace, small.BO))
    with pytest.raises(Conflict, match="Others judge this pair"):
        judging.correct(workspace, small.ANN, cause.judgment_id, level=2, reason="I asked.")
    assert judging.count(judging.load(workspace)).pairs_second_labelled == 0


def test_what_was_typed_is_kept_for_the_open_pair_and_for_no_other(workspace: Workspace) -> None:
    task = small.claim(workspace, small.ANN)
    judging.save_draft(workspace, small.ANN, task.pair_id, level=0, reason="half a sen")
    judging.save_draft(workspace, small.BO, task.pair_id, level=2, reason="not mine")
    draft = small.claim(workspace, small.ANN).draft
    assert draft is not None
    assert (draft.level, draft.reason) == (0, "half a sen")
    record(workspace, task)
    judging.save_draft(workspace, small.ANN, task.pair_id, level=2, reason="too late")
    judging.undo(workspace, small.ANN)
    again = small.claim(workspace, small.ANN).draft
    assert again is not None
    assert again.reason == "It helps."


def test_the_last_judgments_are_ones_own_newest_first(workspace: Workspace) -> None:
    mine = [small.claim(workspace, small.ANN)]
    record(workspace, mine[0])
    small.say(workspace, small.BO, small.claim(workspace, small.BO))
    mine.append(small.claim(workspace, small.ANN))
    record(workspace, mine[1])
    listed = judging.recent(workspace, small.ANN)
    assert [one.pair_id for one in listed] == [mine[1].pair_id, mine[0].pair_id]


def test_progress_counts_what_stands_what_is_open_and_what_is_set_aside(
    workspace: Workspace,
) -> None:
    record(workspace, small.claim(workspace, small.ANN))
    judging.judge_later(workspace, small.ANN, small.claim(workspace, small.ANN).pair_id)
    judging.skip(workspace, small.ANN, small.claim(workspace, small.ANN).pair_id)
    small.say(workspace, small.BO, small.claim(workspace, small.BO))
    mine = judging.progress(workspace, small.ANN)
    assert (mine.today, mine.mine) == (1, 1)
    assert mine.open_for_me + mine.parked == 4
    assert mine.last_saved == history(workspace)[0].created_at


class TestALeadWhoRates:
    """A lead is as blind to a pair as any rater until having judged it."""

    @pytest.fixture
    def differing(self, tmp_path: Path) -> Workspace:
        """One pair on which Ann and Bo differ, and which wants a third level."""
        workspace = small.build(tmp_path / "d", query_count=1, document_count=1, quota=3)
        for person, level in ((small.ANN, 0), (small.BO, 2)):
            small.say(workspace, person, small.claim(workspace, person), level)
        return workspace

    def test_does_not_see_the_labels_of_a_pair_that_still_waits_for_one(
        self, differing: Workspace
    ) -> None:
        people.add(differing, "Lee Lead", [Role.RATER])
        assert judging.disagreements(differing, small.LEAD) == []
        small.say(differing, small.LEAD, small.claim(differing, small.LEAD), 1)
        found = judging.disagreements(differing, small.LEAD)
        assert [judgment.level for judgment in found[0].judgments] == [0, 2, 1]
        assert found[0].distance == 2

    def test_stays_blind_while_another_holds_the_last_place(self, differing: Workspace) -> None:
        people.add(differing, "Lee Lead", [Role.RATER])
        small.claim(differing, small.CY)
        assert judging.disagreements(differing, small.LEAD) == []

    def test_sees_them_if_no_rater(self, differing: Workspace) -> None:
        assert len(judging.disagreements(differing, small.LEAD)) == 1

    def test_does_not_see_them_while_the_pair_is_open_on_the_own_screen(
        self, differing: Workspace
    ) -> None:
        small.claim(differing, small.LEAD)
        assert judging.disagreements(differing, small.LEAD) == []

    def test_no_one_else_may_look(self, differing: Workspace) -> None:
        with pytest.raises(NotAllowed):
            judging.disagreements(differing, small.ANN)
