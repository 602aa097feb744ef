"""What a counting rule would do is told before it is chosen; a re-check compares what can be."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small

from labelkit.judging import rechecking, rubric_versions
from labelkit.store import Workspace


@pytest.fixture
def edited(tmp_path: Path) -> Workspace:
    """24 pairs labeled by two people, then two examples added one by one."""
    workspace = small.build(tmp_path / "w", query_count=6, document_count=4, quota=2)
    small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
    small.work_through(workspace, small.BO, lambda task: (task.pair_id + task.pair_id % 2) % 3)
    for doc_id in ("d1", "d2"):
        rubric_versions.add_boundary_example(
            workspace, small.LEAD, "q1", doc_id, boundary="0/1", level=0, why="Glue is named only."
        )
    return workspace


@pytest.mark.parametrize("rule", rubric_versions.COUNTING)
def test_what_is_told_is_what_happens(edited: Workspace, rule: str) -> None:
    """The pairs sent back and the labels left are those that were promised."""
    told = {one.rule: one for one in rubric_versions.counting_effects(edited)}[rule]
    assert told.kept + told.dropped == 48
    choice = rubric_versions.choose_counting(edited, small.LEAD, rule)
    assert choice.requeued == told.requeued
    after = {one.rule: one for one in rubric_versions.counting_effects(edited)}
    assert (after["carried"].kept if after else 0) == told.kept


def test_nothing_is_told_while_the_rubric_has_had_one_meaning(tmp_path: Path) -> None:
    """No earlier labels, no rule to choose."""
    assert rubric_versions.counting_effects(small.build(tmp_path / "w")) == []


def test_before_is_the_last_meaning_that_pairs_were_compared_under(edited: Workspace) -> None:
    """Version 2 stood for a moment only: version 1 is what alpha was of."""
    told = rechecking.recheck(edited)
    assert (told.old_version, told.new_version) == (1, 3)
    assert told.before.pairable_units == 24


def test_a_recheck_leaves_boundary_examples_out(edited: Workspace) -> None:
    """Their level stands in the rubric: a label of them would be copied."""
    drawn = rechecking.draw_recheck(edited, small.LEAD, size=24).pairs
    assert drawn
    assert not {("q1", "d1"), ("q1", "d2")} & set(drawn)
