"""A second look: a lead asks for one more label, and nobody is told more than before."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import NotAllowed
from labelkit.judging.second_looks import Look, ask_second_look, second_looks
from labelkit.judging.trust import trust, trust_text
from labelkit.model import Role
from labelkit.store import Workspace, pairs, people

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
import measured


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Every pair judged by Bo, every second one by Cy too; two disagreements settled."""
    return measured.frozen(tmp_path / "workspace")


def split(workspace: Workspace) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The pairs with two levels and those with one."""
    with workspace.reading() as db:
        keys = pairs.keys(db)
    return keys[::2], keys[1::2]


def test_one_more_label_is_asked_for_once(workspace: Workspace) -> None:
    """Asked twice is asked once; another rater is given the pair and none is told of it."""
    _, once = split(workspace)
    key = once[0]
    assert second_looks(workspace, measured.LEAD, [key])[key].look == Look.POSSIBLE
    assert ask_second_look(workspace, measured.LEAD, [key, key]) == 1
    assert ask_second_look(workspace, measured.LEAD, [key]) == 0
    assert second_looks(workspace, measured.LEAD, [key])[key].look == Look.ASKED
    task = judging.claim(workspace, measured.SECOND)
    assert isinstance(task, judging.Task)
    assert (task.query.query_id, task.document.doc_id) == key


def test_what_is_settled_judged_by_all_or_gone_is_left_alone(workspace: Workspace) -> None:
    """Nothing is asked where it would change nothing, and each state says why."""
    twice, _ = split(workspace)
    state = judging.load(workspace)
    settled = [key for key, one in state.resolutions.items() if one.how == "adjudicated"]
    agreed = next(key for key in twice if key not in settled)
    nowhere = ("q1", "nowhere")
    found = second_looks(workspace, measured.LEAD, [settled[0], agreed, nowhere])
    assert found[settled[0]].look == Look.SETTLED
    assert found[nowhere].look == Look.GONE
    # A third label on an agreed pair: the lead of this project rates, too.
    third = found[agreed].look
    assert third in (Look.POSSIBLE, Look.NOBODY)
    asked = ask_second_look(workspace, measured.LEAD, [settled[0], agreed, nowhere])
    assert asked == (third == Look.POSSIBLE)


def test_only_a_lead_asks(workspace: Workspace) -> None:
    """The verb checks the role itself."""
    _, once = split(workspace)
    with pytest.raises(NotAllowed, match="is not a lead"):
        ask_second_look(workspace, measured.SECOND, once)
    with workspace.reading() as db:
        assert pairs.find(db, *once[0]).quota == 1


def test_levels_stay_hidden_from_who_could_be_given_the_pair(workspace: Workspace) -> None:
    """Someone who rates and has not judged the pair is not told its released level."""
    _, once = split(workspace)
    rev = people.add(workspace, "Rea Viewer", [Role.REVIEWER]).person_id
    for person, hidden in ((measured.FIRST, False), (measured.SECOND, True), (rev, False)):
        assert second_looks(workspace, person, once[:1])[once[0]].hidden is hidden


def test_a_label_asked_for_because_of_earlier_ones_is_left_out_of_alpha(
    workspace: Workspace,
) -> None:
    """It counts for the level; alpha stays that of the pairs drawn without regard to labels."""
    _, once = split(workspace)
    before = judging.agreement_report(workspace)
    ask_second_look(workspace, measured.LEAD, once[:1])
    small.say(workspace, measured.SECOND, small.claim(workspace, measured.SECOND), 0)
    after = judging.agreement_report(workspace)
    assert (after.pairable_units, after.alpha) == (before.pairable_units, before.alpha)
    state = judging.load(workspace)
    assert sum((j.query_id, j.doc_id) == once[0] for j in state.judgments) == 2
    told = trust(workspace, measured.LEAD)
    assert told.chosen == 1
    assert "1 label was asked for because of earlier ones" in trust_text(told)


def test_a_third_label_on_a_conflict_is_left_out_of_alpha(tmp_path: Path) -> None:
    """It is asked for because two people gave 0 and 2, so it is not of the first round."""
    workspace = small.build(tmp_path / "w", query_count=2, document_count=4, quota=2)
    cy = people.add(workspace, "Cy", [Role.RATER]).person_id
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    small.work_through(
        workspace, small.BO, lambda task: 2 if task.pair_id == 3 else task.pair_id % 3
    )
    before = judging.agreement_report(workspace)
    small.work_through(workspace, cy, lambda task: 2)
    after = judging.agreement_report(workspace)
    assert trust(workspace, small.LEAD).chosen == 1
    assert (after.pairable, after.alpha) == (before.pairable, before.alpha)
