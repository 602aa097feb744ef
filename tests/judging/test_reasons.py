"""Reasons: in words, offered again, marked where reused."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import InputError
from labelkit.model import Cause, Judgment, Span
from labelkit.rubric import STARTER, Rubric
from labelkit.store import Workspace, judgments, rubrics


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries, three documents, everything wanted twice."""
    return small.build(tmp_path / "w", quota=2)


def judge(workspace: Workspace, reason: str, person: str = small.ANN, level: int = 0) -> Judgment:
    """Judge the next pair with this reason."""
    task = small.claim(workspace, person)
    return judging.record(
        workspace, person, task.pair_id, level=level, reason=reason, seconds_on_screen=small.LOOKED
    )


@pytest.mark.parametrize("reason", ["1", "2 0 1", "…!?", "12.5 %", "😀"])
def test_a_reason_without_a_letter_is_refused(workspace: Workspace, reason: str) -> None:
    """Digits typed into the wrong field are no reason."""
    with pytest.raises(InputError, match="is no reason"):
        judge(workspace, reason)


@pytest.mark.parametrize("reason", ["هذا يكفي", "不够", "ना", "step 2"])
def test_a_reason_in_any_script_is_one(workspace: Workspace, reason: str) -> None:
    """A letter of any script will do."""
    assert judge(workspace, reason).reason == reason


def test_a_reason_used_again_for_another_pair_is_marked(workspace: Workspace) -> None:
    """Word for word and by the same person; the first and another person's are not."""
    assert not judge(workspace, "Other topic.").reason_reused
    assert judge(workspace, " Other topic. ").reason_reused
    assert not judge(workspace, "Other topic, though close.").reason_reused
    assert not judge(workspace, "Other topic.", small.BO).reason_reused


def test_saving_a_pair_again_after_undo_is_no_reuse(workspace: Workspace) -> None:
    """The same words of the same pair are the same reason."""
    judge(workspace, "Other topic.")
    judging.undo(workspace, small.ANN)
    assert not judge(workspace, "Other topic.").reason_reused


def test_last_reasons_are_offered_newest_first_and_once(workspace: Workspace) -> None:
    """Only the person's own."""
    for reason in ("First.", "Second.", "first. "):
        judge(workspace, reason)
    judge(workspace, "Of someone else.", small.BO)
    offered = judging.recent_reasons(workspace, small.ANN)
    assert [reason.lower() for reason in offered] == ["first.", "second."]
    assert judging.recent_reasons(workspace, small.ANN, 1) == offered[:1]


class TestEvidence:
    """A rubric may ask for it; a correction keeps it or changes it."""

    @pytest.fixture
    def strict(self, workspace: Workspace) -> Workspace:
        """The same project under a rubric that wants evidence."""
        with workspace.writing() as db:
            wanted = Rubric(2, "Strict", STARTER.levels, evidence_required=True)
            rubrics.save(db, wanted, None)
        return workspace

    @pytest.mark.parametrize("level", [1, 2])
    def test_is_required_above_0_where_the_rubric_says_so(
        self, strict: Workspace, level: int
    ) -> None:
        with pytest.raises(InputError, match="wants evidence"):
            judge(strict, "It helps.", level=level)

    def test_is_not_required_for_0_or_a_cause(self, strict: Workspace) -> None:
        assert judge(strict, "Nothing there.").level == 0
        task = small.claim(strict, small.ANN)
        judging.record(
            strict,
            small.ANN,
            task.pair_id,
            cause=Cause.RUBRIC_GAP,
            reason="Not covered.",
            seconds_on_screen=small.LOOKED,
        )

    def test_a_correction_keeps_it_changes_it_and_may_not_drop_it(self, strict: Workspace) -> None:
        task = small.claim(strict, small.ANN)
        span, other = Span(0, 5, "Thing"), Span(0, 7, task.document.text[:7])
        saved = judging.record(
            strict,
            small.ANN,
            task.pair_id,
            level=2,
            reason="It says so.",
            evidence=[span],
            seconds_on_screen=small.LOOKED,
        )

        def correct(held: Judgment, **changes: object) -> Judgment:
            said = {"level": 1, "reason": "A part."} | changes
            return judging.correct(strict, small.ANN, held.judgment_id, **said)  # type: ignore[arg-type]

        kept = correct(saved)
        assert kept.evidence == (span,)
        changed = correct(kept, evidence=[other])
        assert changed.evidence == (other,)
        with pytest.raises(InputError, match="wants evidence"):
            correct(changed, evidence=[])
        with pytest.raises(InputError, match="does not stand at"):
            correct(changed, evidence=[Span(0, 5, "Other")])
        history = judging.to_correct(strict, small.ANN, changed.judgment_id).history
        assert [event.level for event in history] == [2, 1, 1]


def test_active_time_is_never_more_than_what_passed_here(workspace: Workspace) -> None:
    """What the browser says is capped; nonsense is not kept."""
    for said, kept in ((2.0, 2.0), (9e9, small.LOOKED), (float("nan"), None), (-1.0, None)):
        task = small.claim(workspace, small.ANN)
        saved = judging.record(
            workspace,
            small.ANN,
            task.pair_id,
            level=1,
            reason="It helps.",
            seconds_on_screen=small.LOOKED,
            active_seconds=said,
        )
        assert saved.active_seconds == kept


def test_a_draft_keeps_cause_and_evidence_and_when_the_pair_was_opened(
    workspace: Workspace,
) -> None:
    """Everything a person did comes back; evidence that does not stand is refused."""
    task = small.claim(workspace, small.ANN)

    def save(evidence: list[Span]) -> None:
        judging.save_draft(
            workspace,
            small.ANN,
            task.pair_id,
            level=None,
            cause=Cause.NEEDS_EXPERT,
            reason="Greek",
            evidence=evidence,
            seconds_on_screen=60,
        )

    save([Span(0, 5, "Thing")])
    first = small.claim(workspace, small.ANN).draft
    assert first is not None
    assert (first.cause, first.evidence) == (Cause.NEEDS_EXPERT, (Span(0, 5, "Thing"),))
    with pytest.raises(InputError, match="does not stand at"):
        save([Span(1, 6, "Thing")])
    save([])
    again = small.claim(workspace, small.ANN).draft
    assert again is not None
    assert (again.evidence, again.opened_at) == ((), first.opened_at)
    judging.record(
        workspace,
        small.ANN,
        task.pair_id,
        cause=Cause.NEEDS_EXPERT,
        reason="Greek",
        seconds_on_screen=small.LOOKED,
        active_seconds=50.0,
    )
    with workspace.reading() as db:
        assert judgments.recent_of(db, small.ANN, 1)[0].active_seconds == 50.0
