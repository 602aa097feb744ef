"""The sample for second labels: drawn by the tool, repeatable, spread, and given to others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import small_project as small
from hypothesis import given
from hypothesis import strategies as st

from labelkit import judging
from labelkit.errors import InputError, NotAllowed, NotReady
from labelkit.judging import EmptyQueue, Task
from labelkit.judging.second_labels import allocate
from labelkit.store import Workspace


def rare_two(task: Task) -> int:
    """Mostly 0, one 1 per query, and a single 2 in the project."""
    if (task.query.query_id, task.document.doc_id) == ("q1", "d1"):
        return 2
    return 1 if task.document.doc_id == "d2" else 0


@pytest.fixture
def judged(tmp_path: Path) -> Workspace:
    """Six queries with six documents each, all judged by Ann."""
    workspace = small.build(tmp_path / "w", query_count=6, document_count=6)
    small.work_through(workspace, small.ANN, rare_two)
    return workspace


def test_the_same_seed_draws_the_same_pairs_and_another_seed_others(tmp_path: Path) -> None:
    drawn = []
    for number, seed in enumerate((7, 7, 8)):
        workspace = small.build(tmp_path / str(number), query_count=6, document_count=6)
        small.work_through(workspace, small.ANN, rare_two)
        drawn.append(judging.draw_second_sample(workspace, small.LEAD, size=12, seed=seed).pairs)
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("size", [3, 12, 40, 500])
def test_every_level_is_present_however_small_the_sample(judged: Workspace, size: int) -> None:
    sample = judging.draw_second_sample(judged, small.LEAD, size=size)
    assert set(sample.drawn) == {0, 1, 2}
    assert sum(sample.drawn.values()) == len(sample.pairs) == min(size, 36)
    assert dict(sample.available) == {0: 29, 1: 6, 2: 1}


def test_the_sample_is_spread_over_the_queries(judged: Workspace) -> None:
    sample = judging.draw_second_sample(judged, small.LEAD, size=12)
    assert set(Counter(query_id for query_id, _ in sample.pairs).values()) == {2}


def test_the_sample_comes_before_pairs_that_nobody_has_judged(tmp_path: Path) -> None:
    """A sample in a project with much left to judge is done first, not some time at the end."""
    workspace = small.build(tmp_path / "w", query_count=30, document_count=2)
    first = [small.claim(workspace, small.ANN)]
    while len(first) < 8:
        small.say(workspace, small.ANN, first[-1], 1)
        first.append(small.claim(workspace, small.ANN))
    sample = judging.draw_second_sample(workspace, small.LEAD, size=3)
    seen = []
    for _ in sample.pairs:
        seen.append(small.claim(workspace, small.BO))
        small.say(workspace, small.BO, seen[-1], 0)
    assert sorted(small.keys(seen)) == sorted(sample.pairs)
    assert isinstance(judging.claim(workspace, small.BO), Task)


def test_only_drawn_pairs_are_given_out_and_never_to_the_person_who_judged_them(
    judged: Workspace,
) -> None:
    sample = judging.draw_second_sample(judged, small.LEAD, size=12)
    assert isinstance(judging.claim(judged, small.ANN), EmptyQueue)
    seen = small.work_through(judged, small.BO)
    assert sorted(small.keys(seen)) == sorted(sample.pairs)
    assert isinstance(judging.claim(judged, small.CY), EmptyQueue)
    state = judging.load(judged)
    assert {j.round for j in state.judgments if j.person_id == small.BO} == {"second"}
    assert judging.count(state).pairs_second_labelled == 12
    assert judging.agreement_report(judged).pairable_units == 12


def test_a_further_draw_asks_for_other_pairs(judged: Workspace) -> None:
    first = judging.draw_second_sample(judged, small.LEAD, size=12)
    second = judging.draw_second_sample(judged, small.LEAD, size=12)
    assert not set(first.pairs) & set(second.pairs)


def test_a_pair_with_two_levels_or_only_a_check_label_is_not_drawn(judged: Workspace) -> None:
    first = judging.draw_second_sample(judged, small.LEAD, size=500)
    small.work_through(judged, small.BO)
    assert len(first.pairs) == 36
    with pytest.raises(NotReady):
        judging.draw_second_sample(judged, small.LEAD)


def test_a_draw_needs_a_lead_a_size_and_something_to_draw_from(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with pytest.raises(NotAllowed):
        judging.draw_second_sample(workspace, small.ANN)
    with pytest.raises(InputError, match="at least one"):
        judging.draw_second_sample(workspace, small.LEAD, size=0)
    with pytest.raises(NotReady, match="exactly one level"):
        judging.draw_second_sample(workspace, small.LEAD)


@given(
    available=st.dictionaries(st.sampled_from([0, 1, 2]), st.integers(1, 300), min_size=1),
    size=st.integers(1, 400),
)
def test_allocation_sums_to_the_size_takes_no_more_than_there_is_and_leaves_no_level_out(
    available: dict[int, int], size: int
) -> None:
    wanted = allocate(available, size)
    assert sum(wanted.values()) == min(size, sum(available.values()))
    assert all(0 <= wanted[level] <= available[level] for level in wanted)
    if size >= len(available):
        assert all(wanted[level] for level in available)
