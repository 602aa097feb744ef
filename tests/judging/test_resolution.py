"""From several judgments to one level, and which of them count as independent."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import Conflict, InputError, NotAllowed
from labelkit.judging import Resolution, State, resolve
from labelkit.judging.agreeing import independent_labels
from labelkit.model import Adjudication, Cause, Judgment

PAIR = ("q1", "d1")


def said(
    number: int,
    person: str,
    level: int | None,
    *,
    cause: Cause | None = None,
    round: str = "first",
    version: int = 1,
    kind: str = "judgment",
    at: str = "",
) -> Judgment:
    """One event on the pair."""
    return Judgment(
        number, *PAIR, person, version, level, cause, "Because.", kind=kind, round=round,
        created_at=at or f"2026-01-{number:02d}",
    )  # fmt: skip


def outcome(*judgments: Judgment, rule: str | None = None, final: int | None = None) -> Resolution:
    settled = [] if final is None else [Adjudication(*PAIR, "lee", final, "So.")]
    return resolve([PAIR], judgments, settled, rule)[PAIR]


@pytest.mark.parametrize(
    ("levels", "rule", "wanted"),
    [
        ([0], None, Resolution(State.RESOLVED, 0, "single")),
        ([0, 0], None, Resolution(State.RESOLVED, 0, "agreed")),
        ([0, 0], "max", Resolution(State.RESOLVED, 0, "agreed")),
        ([0, 2], None, Resolution(State.UNRESOLVED)),
        ([0, 2], "min", Resolution(State.RESOLVED, 0, "min")),
        ([0, 2], "max", Resolution(State.RESOLVED, 2, "max")),
        ([0, 2], "median", Resolution(State.RESOLVED, 0, "median")),
        ([2, 0, 1], "median", Resolution(State.RESOLVED, 1, "median")),
        ([2, 2, 0], "median", Resolution(State.RESOLVED, 2, "median")),
    ],
)
def test_levels_resolve_to_the_common_one_or_by_the_chosen_rule(
    levels: list[int], rule: str | None, wanted: Resolution
) -> None:
    events = [said(n, f"rater-{n}", level) for n, level in enumerate(levels, 1)]
    assert outcome(*events, rule=rule) == wanted


def test_an_adjudicated_level_stands_over_everything() -> None:
    assert outcome(said(1, "a", 2), said(2, "b", 2), final=0) == Resolution(
        State.RESOLVED, 0, "adjudicated"
    )


def test_a_pair_with_only_causes_cannot_be_judged_and_one_with_nothing_is_unjudged() -> None:
    assert outcome(said(1, "a", None, cause=Cause.RUBRIC_GAP)).state is State.CANNOT_JUDGE
    assert outcome().state is State.UNJUDGED


def test_a_level_beside_a_cause_counts_alone() -> None:
    events = [said(1, "a", None, cause=Cause.NEEDS_EXPERT), said(2, "b", 0)]
    assert outcome(*events) == Resolution(State.RESOLVED, 0, "single")


def test_a_check_label_changes_nothing() -> None:
    assert outcome(said(1, "a", 0), said(2, "c", 2, round="check")).level == 0


def test_of_one_person_the_newest_rubrics_judgment_counts_whichever_was_written_last() -> None:
    old_corrected_late = [said(2, "a", 2, version=2), said(3, "a", 0, version=1)]
    assert outcome(*old_corrected_late) == Resolution(State.RESOLVED, 2, "single")


def test_an_unknown_rule_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="min, median, max"):
        outcome(said(1, "a", 0), rule="mean")


def labels(*events: Judgment, settled: str | None = None) -> dict[str, int]:
    times = {} if settled is None else {PAIR: settled}
    found = independent_labels(events, times, rubric_versions={1})
    return {str(label.rater): label.value for label in found}


def test_agreement_uses_the_last_thing_each_said_before_the_pair_was_settled() -> None:
    events = [
        said(1, "a", 0),
        said(2, "b", 2),
        said(3, "a", 1, kind="correction"),
        said(5, "a", 2, kind="correction"),
    ]
    assert labels(*events, settled="2026-01-04") == {"a": 1, "b": 2}
    assert labels(*events) == {"a": 2, "b": 2}


def test_a_label_first_given_after_the_adjudication_is_not_independent() -> None:
    assert labels(said(1, "a", 0), said(5, "b", 0), settled="2026-01-04") == {"a": 0}


def test_check_labels_other_rubrics_causes_and_withdrawals_are_no_independent_labels() -> None:
    events = [
        said(1, "a", 0),
        said(2, "b", 1, round="second"),
        said(3, "c", 1, round="check"),
        said(4, "d", 1, version=2),
        said(5, "e", None, cause=Cause.RUBRIC_GAP),
        said(6, "f", 1),
        said(7, "f", None, kind="withdrawal"),
    ]
    assert labels(*events) == {"a": 0, "b": 1}


def test_an_undo_after_the_adjudication_does_not_change_the_agreement() -> None:
    events = [said(1, "a", 0), said(2, "b", 2), said(5, "b", None, kind="withdrawal")]
    assert labels(*events, settled="2026-01-04") == {"a": 0, "b": 2}


def test_adjudicating_settles_a_disagreement_and_the_newest_word_counts(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1, quota=2)
    for person, level in ((small.ANN, 0), (small.BO, 2)):
        small.say(workspace, person, small.claim(workspace, person), level)
    assert judging.count(judging.load(workspace)).pairs_unresolved == 1
    for level in (2, 1):
        judging.adjudicate(workspace, small.LEAD, *PAIR, level=level, reason="It names glue.")
    state = judging.load(workspace)
    assert state.resolutions[PAIR] == Resolution(State.RESOLVED, 1, "adjudicated")
    assert [j.level for j in state.judgments] == [0, 2]
    assert judging.count(state).pairs_adjudicated == 1
    listed = judging.disagreements(workspace, small.LEAD)
    assert listed[0].adjudication is not None


def test_an_adjudication_needs_a_lead_a_level_a_reason_and_a_judged_pair(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2, quota=2)
    task = small.claim(workspace, small.ANN)
    small.say(workspace, small.ANN, task)
    judged = (task.query.query_id, task.document.doc_id)
    other = ("q1", "d2" if judged[1] == "d1" else "d1")
    with pytest.raises(NotAllowed):
        judging.adjudicate(workspace, small.ANN, *judged, level=1, reason="x")
    for level in (True, 3, "1", 1.0):
        with pytest.raises(InputError, match="final level"):
            judging.adjudicate(workspace, small.LEAD, *judged, level=level, reason="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="why this level"):
        judging.adjudicate(workspace, small.LEAD, *judged, level=1, reason="  ")
    with pytest.raises(Conflict, match="Nobody has judged"):
        judging.adjudicate(workspace, small.LEAD, *other, level=1, reason="x")
