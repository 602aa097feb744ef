"""Overview: what waits for somebody is said there with its count and a link."""

from __future__ import annotations

from collections.abc import Callable

import reading
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.model import Cause, Role
from labelkit.store import Workspace, people

Open = Callable[[Workspace, str, str | None], AppTest]
BO, CY, LEAD = "bo-rater", "cy-rater", "kim-lead"


def cannot_judge(workspace: Workspace, person: str, cause: Cause) -> None:
    """Say of the pair that comes next why it cannot be judged."""
    task = judging.claim(workspace, person)
    assert isinstance(task, judging.Task)
    judging.record(
        workspace, person, task.pair_id, cause=cause, reason="Which one?", seconds_on_screen=2.0
    )


def links(app: AppTest) -> list[tuple[str, str]]:
    """The links on the page with what they ask of theirs."""
    return [(one.proto.label, one.proto.query_string) for one in app.get("page_link")]


def test_a_lead_reads_first_what_nobody_could_judge(workspace: Workspace, open_page: Open) -> None:
    """As the next step, with the way to its part of the page; raters read nothing of it."""
    people.add(workspace, "Kim Lead", [Role.LEAD])
    people.add(workspace, "Cy Rater", [Role.RATER])
    assert "could not be judged" not in reading.words(open_page(workspace, "app.py", LEAD))
    cannot_judge(workspace, BO, Cause.QUERY_UNCLEAR)
    shown = open_page(workspace, "app.py", LEAD)
    assert "Next: 1 pair could not be judged and waits for your decision." in reading.words(shown)
    assert ("Decide on them", "part=cannot") in links(shown)
    assert "could not be judged and" not in reading.words(open_page(workspace, "app.py", BO))


def test_it_stands_beside_another_next_step(workspace: Workspace, open_page: Open) -> None:
    """Disagreements come first; the pairs that stopped are said below them."""
    people.add(workspace, "Kim Lead", [Role.LEAD])
    people.add(workspace, "Cy Rater", [Role.RATER])
    with workspace.writing() as db:
        db.execute("update pairs set quota = 2")
    for person, level in ((BO, 0), (CY, 2)):
        judging.claim_pair(workspace, person, 1)
        judging.record(workspace, person, 1, level=level, reason="So.", seconds_on_screen=2.0)
    cannot_judge(workspace, BO, Cause.RUBRIC_GAP)
    shown = reading.words(open_page(workspace, "app.py", LEAD))
    assert "Next: 1 disagreement waits for you." in shown
    assert "levels 2 / 1 / 0" in shown
    assert "1 pair could not be judged and waits for your decision." in shown


def test_a_rater_does_not_read_on_the_overview_whether_the_other_agreed(
    workspace: Workspace, open_page: Open
) -> None:
    """Counts that move with the second label, by whether it is the first one's, would tell it."""
    people.add(workspace, "Cy Rater", [Role.RATER])
    with workspace.writing() as db:
        db.execute("update pairs set quota = 2")
    judging.claim_pair(workspace, BO, 1)
    judging.record(workspace, BO, 1, level=0, reason="So.", seconds_on_screen=2.0)
    shown = []
    for level in (0, 2):
        judging.claim_pair(workspace, CY, 1)
        judging.record(workspace, CY, 1, level=level, reason="So.", seconds_on_screen=2.0)
        shown.append(reading.words(open_page(workspace, "app.py", CY)))
        judging.undo(workspace, CY)
    assert "pairs judged 1 of 12" in shown[0]
    assert shown[0] == shown[1]
