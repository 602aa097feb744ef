"""A rater who leaves gives everything back; their judgments stay, under a pseudonym."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import InputError, NotAllowed
from labelkit.store import Workspace, people


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One query with three documents, one level each."""
    return small.build(tmp_path / "workspace", query_count=1)


def test_all_that_was_held_is_given_to_others_at_once(workspace: Workspace) -> None:
    """One judged, one set aside, one open with a draft: Bo is given the last two."""
    done = small.claim(workspace, small.ANN)
    small.say(workspace, small.ANN, done)
    aside = small.claim(workspace, small.ANN)
    judging.judge_later(workspace, small.ANN, aside.pair_id)
    task = small.claim(workspace, small.ANN)
    judging.save_draft(workspace, small.ANN, task.pair_id, level=0, reason="It names")
    held = judging.deactivate(workspace, small.LEAD, small.ANN)
    assert (held.claims, held.set_aside, held.drafts, held.judgments) == (1, 1, 1, 1)
    seen = {one.pair_id for one in small.work_through(workspace, small.BO)}
    assert seen == {aside.pair_id, task.pair_id}
    with pytest.raises(NotAllowed):
        judging.claim(workspace, small.ANN)


def test_judgments_stay_under_a_pseudonym_until_the_person_is_back(workspace: Workspace) -> None:
    """The same pseudonym whoever else comes or goes."""
    small.say(workspace, small.ANN, small.claim(workspace, small.ANN))
    judging.deactivate(workspace, small.LEAD, small.ANN)
    shown = people.shown_names(workspace)[small.ANN]
    assert shown.startswith("Former person ")
    people.add(workspace, "Aaron", ["rater"])
    assert people.shown_names(workspace)[small.ANN] == shown
    assert [j.person_id for j in judging.load(workspace).judgments] == [small.ANN]
    judging.reactivate(workspace, small.LEAD, small.ANN)
    assert people.shown_names(workspace)[small.ANN] == "Ann Rater"
    assert small.claim(workspace, small.ANN)


def test_the_last_lead_stays(workspace: Workspace) -> None:
    """A project without a lead could not be mended by anyone."""
    with pytest.raises(InputError, match="at least one lead"):
        judging.deactivate(workspace, small.LEAD, small.LEAD)
    assert judging.holdings(workspace, small.LEAD, small.LEAD).judgments == 0


def test_raters_send_nobody_away(workspace: Workspace) -> None:
    """Nor do they learn what others hold."""
    for verb in (judging.deactivate, judging.reactivate, judging.holdings):
        with pytest.raises(NotAllowed):
            verb(workspace, small.BO, small.ANN)
