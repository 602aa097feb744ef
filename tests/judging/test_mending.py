"""Pairs that could not be judged: their queues, and the decisions that end their waiting."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import Conflict, InputError, NotAllowed
from labelkit.judging import EmptyQueue, mending, stopped
from labelkit.model import Cause, Judgment, Role
from labelkit.store import Workspace, documents, judgments, pairs, people, queries

WHY = "The sentence breaks off."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One query with two documents, one level each."""
    return small.build(tmp_path / "workspace", query_count=1, document_count=2)


def stop(workspace: Workspace, person_id: str, cause: Cause) -> int:
    """Say of the next pair that it cannot be judged; returns the pair."""
    task = small.claim(workspace, person_id)
    judging.record(
        workspace, person_id, task.pair_id, cause=cause, reason=WHY, seconds_on_screen=small.LOOKED
    )
    return task.pair_id


def chain(workspace: Workspace, person_id: str, pair_id: int) -> list[Judgment]:
    """Everything a person said of a pair."""
    with workspace.reading() as db:
        return judgments.chain_of(db, person_id, pair_id)


def queue(workspace: Workspace) -> list[tuple[int, Cause]]:
    """What waits for the lead."""
    return [(one.pair_id, one.cause) for one in stopped.stopped(workspace, small.LEAD)]


def given(workspace: Workspace, person_id: str) -> set[int]:
    """The pairs that a person is given when they judge everything."""
    return {task.pair_id for task in small.work_through(workspace, person_id)}


@pytest.mark.parametrize(
    "cause", [Cause.QUERY_UNCLEAR, Cause.DOCUMENT_UNREADABLE, Cause.RUBRIC_GAP]
)
def test_a_stopped_pair_is_listed_with_its_reason_and_given_to_nobody(
    workspace: Workspace, cause: Cause
) -> None:
    """The lead sees who could not judge it and why; no rater is given it meanwhile."""
    pair_id = stop(workspace, small.ANN, cause)
    (one,) = stopped.stopped(workspace, small.LEAD)
    assert (one.pair_id, one.cause, one.levels) == (pair_id, cause, 0)
    assert [(g.person_id, g.reason) for g in one.given] == [(small.ANN, WHY)]
    assert pair_id not in given(workspace, small.BO)


def test_only_leads_see_and_mend(workspace: Workspace) -> None:
    """A rater is refused every verb of mending."""
    pair_id = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    with pytest.raises(NotAllowed):
        stopped.stopped(workspace, small.BO)
    with pytest.raises(NotAllowed):
        mending.judge_anyway(workspace, small.BO, [pair_id], note="Go on.")


def test_a_decision_needs_its_reason(workspace: Workspace) -> None:
    """Nothing is written without a note."""
    pair_id = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    with pytest.raises(InputError, match="Write why"):
        mending.judge_anyway(workspace, small.LEAD, [pair_id], note=" ")
    assert queue(workspace) == [(pair_id, Cause.RUBRIC_GAP)]


def test_judge_anyway_brings_the_pair_back_to_who_stopped_it(workspace: Workspace) -> None:
    """The cause is superseded, not lost; the rater may grade the pair now and reads the note."""
    pair_id = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    mending.judge_anyway(workspace, small.LEAD, [pair_id], note="Read glue as any adhesive.")
    assert stopped.notes_for_rater(workspace, pair_id) == ["Read glue as any adhesive."]
    assert pair_id in given(workspace, small.ANN)
    assert [(j.kind, j.cause, j.level) for j in chain(workspace, small.ANN, pair_id)] == [
        ("judgment", Cause.RUBRIC_GAP, None),
        ("withdrawal", None, None),
        ("correction", None, 1),
    ]
    assert queue(workspace) == []


def test_a_reworded_query_opens_its_pairs_and_asks_chosen_ones_again(workspace: Workspace) -> None:
    """Both texts are kept; of its judged pairs those chosen are judged anew, the others stay."""
    judged = small.claim(workspace, small.BO)
    small.say(workspace, small.BO, judged, level=0)
    pair_id = stop(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    (other,) = stopped.judged_of_query(workspace, small.LEAD, "q1")
    assert (other.pair_id, other.levels, other.settled) == (judged.pair_id, 1, False)
    opened = mending.edit_query(
        workspace, small.LEAD, "q1", text="which glue mends thing 1", note="It lacked the glue.",
        requeue=[judged.pair_id],
    )  # fmt: skip
    assert opened == 2
    (decision,) = stopped.mendings(workspace, small.LEAD)
    assert (decision.before, decision.after) == (
        "how do I mend thing 1",
        "which glue mends thing 1",
    )
    assert small.claim(workspace, small.ANN).query.text == "which glue mends thing 1"
    assert given(workspace, small.BO) | given(workspace, small.ANN) == {pair_id, judged.pair_id}


def test_kept_levels_stand_under_the_new_text(workspace: Workspace) -> None:
    """Without a choice to ask again, nothing but the stopped pair comes back."""
    judged = small.claim(workspace, small.BO)
    small.say(workspace, small.BO, judged, level=0)
    pair_id = stop(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    mending.edit_query(workspace, small.LEAD, "q1", text="which glue", note="Clearer.")
    assert given(workspace, small.ANN) == {pair_id}
    with workspace.reading() as db:
        outcomes = dict(db.execute("select pair_id, outcome from mended_pairs").fetchall())
    assert outcomes == {pair_id: "reopened", judged.pair_id: "kept"}


def test_who_reads_the_old_text_is_not_believed(workspace: Workspace) -> None:
    """A pair open while its query is reworded is given out afresh; the typed draft is kept."""
    stop(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    task = small.claim(workspace, small.BO)
    judging.save_draft(workspace, small.BO, task.pair_id, level=2, reason="It names glue.")
    mending.edit_query(workspace, small.LEAD, "q1", text="which glue", note="Clearer.")
    with pytest.raises(Conflict):
        small.say(workspace, small.BO, task)
    again = judging.claim_pair(workspace, small.BO, task.pair_id)
    assert again.query.text == "which glue"
    assert again.draft is not None
    assert again.draft.reason == "It names glue."


def test_a_file_with_the_first_text_still_fits(workspace: Workspace) -> None:
    """The import of the query's own file changes nothing after the query was reworded."""
    stop(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    mending.edit_query(workspace, small.LEAD, "q1", text="which glue", note="Clearer.")
    with workspace.writing() as db:
        assert queries.save(db, [small.query(1)]).unchanged == 1


def test_a_settled_pair_is_not_asked_again(workspace: Workspace) -> None:
    """A lead's level is settled again by hand, never undone by rewording."""
    judged = small.claim(workspace, small.BO)
    small.say(workspace, small.BO, judged)
    judging.adjudicate(
        workspace, small.LEAD, "q1", judged.document.doc_id, level=2, reason="It says so."
    )
    stop(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    with pytest.raises(InputError, match="settled"):
        mending.edit_query(
            workspace, small.LEAD, "q1", text="which glue", note="So.", requeue=[judged.pair_id]
        )
    with workspace.reading() as db:
        query = queries.get(db, "q1")
    assert query is not None
    assert query.text == "how do I mend thing 1"


def test_a_retired_query_leaves_every_queue(workspace: Workspace) -> None:
    """Neither raters nor the lead have its pairs any more."""
    stop(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    assert mending.retire_query(workspace, small.LEAD, "q1", note="Nobody knows.") == 1
    assert queue(workspace) == []
    assert isinstance(judging.claim(workspace, small.BO), EmptyQueue)


def test_a_corrected_document_is_a_new_revision_and_comes_back(workspace: Workspace) -> None:
    """The text before it stays on record."""
    pair_id = stop(workspace, small.ANN, Cause.DOCUMENT_UNREADABLE)
    (one,) = stopped.stopped(workspace, small.LEAD)
    opened = mending.correct_document(
        workspace, small.LEAD, one.document.doc_id, title="", text="Whole again.", note="Cut off."
    )
    assert opened == 1
    with workspace.reading() as db:
        row = db.execute("select text from document_revisions").fetchone()
        now = documents.get(db, one.document.doc_id)
    assert row[0] == one.document.text
    assert now is not None
    assert (now.title, now.text) == (one.document.title, "Whole again.")
    assert pair_id in given(workspace, small.ANN)


def test_a_document_declared_unreadable_stays_unjudged(workspace: Workspace) -> None:
    """The cause stands, nobody is given the pair, and nobody is waited for."""
    pair_id = stop(workspace, small.ANN, Cause.DOCUMENT_UNREADABLE)
    (one,) = stopped.stopped(workspace, small.LEAD)
    mending.declare_unreadable(workspace, small.LEAD, one.document.doc_id, note="A scan.")
    assert queue(workspace) == []
    assert pair_id not in given(workspace, small.BO)
    resolution = judging.load(workspace).resolutions["q1", one.document.doc_id]
    assert resolution.state is judging.State.CANNOT_JUDGE
    with workspace.reading() as db:
        assert pairs.count_blocked_by_cause(db) == 0


def test_a_clarified_rubric_opens_the_chosen_pairs(workspace: Workspace) -> None:
    """The others wait on."""
    first = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    second = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    note = "Level 1 where glue is named only."
    assert mending.clarify_rubric(workspace, small.LEAD, [first], note=note) == 1
    assert queue(workspace) == [(second, Cause.RUBRIC_GAP)]
    assert given(workspace, small.ANN) == {first}


def test_only_named_experts_are_given_the_pair(workspace: Workspace) -> None:
    """Bo could have had it; Cy is named, so Cy has it and Bo does not."""
    pair_id = stop(workspace, small.ANN, Cause.NEEDS_EXPERT)
    mending.name_experts(workspace, small.LEAD, [pair_id], [small.CY], note="Cy reads Danish.")
    assert queue(workspace) == []
    assert pair_id not in given(workspace, small.BO)
    assert given(workspace, small.CY) == {pair_id}


def test_a_named_expert_who_cannot_either_brings_the_pair_back_to_the_lead(
    workspace: Workspace,
) -> None:
    """Then "judge anyway" opens it for everyone."""
    pair_id = stop(workspace, small.ANN, Cause.NEEDS_EXPERT)
    mending.name_experts(workspace, small.LEAD, [pair_id], [small.CY], note="Cy reads Danish.")
    task = judging.claim_pair(workspace, small.CY, pair_id)
    judging.record(
        workspace, small.CY, task.pair_id, cause=Cause.NEEDS_EXPERT, reason="It is Faroese.",
        seconds_on_screen=small.LOOKED,
    )  # fmt: skip
    assert queue(workspace) == [(pair_id, Cause.NEEDS_EXPERT)]
    mending.judge_anyway(workspace, small.LEAD, [pair_id], note="A dictionary will do.")
    assert pair_id in given(workspace, small.BO)


def test_an_expert_who_left_blocks_nothing(workspace: Workspace) -> None:
    """With nobody left of those named, the pair is everyone's again and the lead's to see."""
    pair_id = stop(workspace, small.ANN, Cause.NEEDS_EXPERT)
    mending.name_experts(workspace, small.LEAD, [pair_id], [small.CY], note="Cy reads Danish.")
    judging.deactivate(workspace, small.LEAD, small.CY)
    assert queue(workspace) == [(pair_id, Cause.NEEDS_EXPERT)]
    assert pair_id in given(workspace, small.BO)


def test_two_leads_mend_once(workspace: Workspace) -> None:
    """The second is told, and nothing is recorded twice."""
    pair_id = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    mending.clarify_rubric(workspace, small.LEAD, [pair_id], note="It is clear now.")
    with pytest.raises(Conflict, match="another lead"):
        mending.clarify_rubric(workspace, small.LEAD, [pair_id], note="It is clear now.")
    assert len(stopped.mendings(workspace, small.LEAD)) == 1


def test_a_lead_who_rates_is_not_shown_what_she_may_still_judge(workspace: Workspace) -> None:
    """A pair that needs an expert is in her own queue: first she judges, then she sees."""
    stop(workspace, small.ANN, Cause.NEEDS_EXPERT)
    people.set_roles(workspace, small.LEAD, [Role.RATER, Role.LEAD])
    assert queue(workspace) == []


def test_decisions_are_never_changed(workspace: Workspace) -> None:
    """SQLite refuses to update or delete one."""
    pair_id = stop(workspace, small.ANN, Cause.RUBRIC_GAP)
    mending.judge_anyway(workspace, small.LEAD, [pair_id], note="Go on.")
    for statement in ("update mendings set note = 'x'", "delete from mended_pairs"):
        with pytest.raises(sqlite3.IntegrityError, match="never"), workspace.writing() as db:
            db.execute(statement)
