"""What must hold for any labels: order plays no part, levels are symmetric, one label is little."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.agreement import Label, report

RAGGED = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from((0, 1, 2)), min_size=1, max_size=4),
    min_size=2,
    max_size=30,
)
Units = list[dict[str, int]]


def labels_of(units: Units) -> list[Label]:
    return [
        Label(number, rater, level)
        for number, given_levels in enumerate(units)
        for rater, level in given_levels.items()
    ]


def alpha(labels: list[Label]) -> float | None:
    return report(labels, resamples=20).alpha


def skilled(count: int, skill: float, seed: int = 0) -> list[Label]:
    mix = random.Random(seed)
    return [
        Label(unit, rater, true if mix.random() < skill else mix.choice((0, 1, 2)))
        for unit in range(count)
        for true in [mix.choice((0, 0, 1, 2))]
        for rater in "ab"
    ]


@settings(max_examples=60, deadline=None)
@given(RAGGED, st.randoms(use_true_random=False))
def test_the_order_of_units_and_raters_plays_no_part(units: Units, mix: random.Random) -> None:
    labels = labels_of(units)
    names = dict(zip("abcd", mix.sample("wxyz", 4), strict=True))
    other = [Label(one.unit, names[str(one.rater)], one.value) for one in labels]
    mix.shuffle(other)
    assert alpha(other) == pytest.approx(alpha(labels), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(RAGGED)
def test_turning_the_levels_round_changes_nothing(units: Units) -> None:
    turned = [{rater: 2 - level for rater, level in given_levels.items()} for given_levels in units]
    assert alpha(labels_of(turned)) == pytest.approx(alpha(labels_of(units)), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(RAGGED)
def test_a_unit_with_one_label_adds_nothing(units: Units) -> None:
    held = alpha(labels_of(units))
    more = [*labels_of(units), Label("alone", "a", 2)]
    assert alpha(more) == pytest.approx(held, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from((0, 1, 2)), min_size=2, max_size=30))
def test_perfect_agreement_is_1_unless_nothing_varies(levels: list[int]) -> None:
    told = report(labels_of([{"a": level, "b": level} for level in levels]), resamples=20)
    if len(set(levels)) == 1:
        assert (told.alpha, told.undefined) == (None, "no_variation")
    else:
        assert told.alpha == pytest.approx(1, abs=1e-12)


def test_random_labels_are_near_0() -> None:
    assert alpha(skilled(4_000, 0.0)) == pytest.approx(0, abs=0.05)


def test_a_third_rater_on_one_item_changes_little() -> None:
    labels = skilled(100, 0.85)
    held = alpha(labels)
    for level in (0, 1, 2):
        assert alpha([*labels, Label(0, "c", level)]) == pytest.approx(held, abs=0.04)
