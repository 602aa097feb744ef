"""Agreement in parts, notes on raters, prevalence and the sample planner."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import numpy as np
import pytest

from labelkit.agreement import Label, report
from labelkit.agreement.labels import tabulate
from labelkit.agreement.pairing import Pairing, pair_up
from labelkit.agreement.planner import half_width, plan_sample
from labelkit.agreement.prevalence import joint_table, prevalence_warning, skilled_alpha
from labelkit.agreement.raters import Marks, rater_notes
from labelkit.agreement.slices import (
    by_group,
    by_kind,
    by_rater_pair,
    over_time,
    second_moments,
)
from labelkit.model import LEVELS


def labels_of(
    count: int, raters: tuple[str, ...] = ("a", "b"), *, seed: int = 0, skill: float = 0.85
) -> list[Label]:
    mix = random.Random(seed)
    found = []
    for unit in range(count):
        true = mix.choices((0, 1, 2), (60, 25, 15))[0]
        for rater in raters:
            value = true if mix.random() < skill else mix.choice((0, 1, 2))
            found.append(Label(unit, rater, value, f"q{unit // 4}"))
    return found


def paired(labels: list[Label]) -> Pairing:
    return pair_up(tabulate(labels, LEVELS, "ordinal"))


def test_a_part_has_the_alpha_that_its_labels_alone_would_have() -> None:
    labels = labels_of(80)
    table = tabulate(labels, LEVELS, "ordinal")
    parts = by_group(table, [["log", "all"] if unit < 50 else ["all"] for unit in range(80)])
    assert [(part.name, part.units) for part in parts] == [("all", 80), ("log", 50)]
    alone = report([one for one in labels if one.unit < 50])  # type: ignore[operator]
    assert parts[1].alpha == pytest.approx(alone.alpha, abs=1e-12)
    assert parts[1].low is not None
    assert not parts[1].too_few
    assert by_group(table, [["one"], *[[]] * 79])[0].too_few


def test_rater_pairs_have_intervals_and_only_their_own_units() -> None:
    labels = labels_of(60, ("a", "b", "c"))
    labels = [one for one in labels if one.rater != "c" or one.unit < 10]  # type: ignore[operator]
    found = by_rater_pair(paired(labels))
    assert {pair: part.units for pair, part in found.items()} == {
        ("a", "b"): 60, ("a", "c"): 10, ("b", "c"): 10,
    }  # fmt: skip
    assert found["a", "b"].low is not None


def test_halves_follow_the_time_of_the_second_label() -> None:
    first, second = labels_of(40, skill=1), labels_of(40, seed=1, skill=0.4)
    labels = first + [Label(one.unit + 40, one.rater, one.value) for one in second]  # type: ignore[operator]
    moments = [
        f"2026-01-{1 + int(str(one.unit)) // 10:02}T0{'ab'.index(str(one.rater))}" for one in labels
    ]
    table = tabulate(labels, LEVELS, "ordinal")
    ready = second_moments(table, moments)
    early, late = over_time(table, ready, parts=2)
    assert (early.units, late.units, early.alpha) == (40, 40, 1)
    assert late.alpha is not None
    assert late.alpha < 0.7
    assert early.name == "2026-01-01 to 2026-01-04"
    assert len(over_time(table, ready, parts=4)) == 4


def test_people_and_models_are_never_mixed_into_one_figure() -> None:
    people = labels_of(50, ("ann", "bo"), skill=1)
    model = [Label(one.unit, "gpt", 2 - int(str(one.value)), one.cluster)
             for one in people if one.rater == "ann"]  # fmt: skip
    human, mixed, models = by_kind(paired([*people, *model]), np.array([False, False, True]))
    assert human.alpha == 1
    assert mixed.alpha is not None
    assert mixed.alpha < 0
    assert (mixed.units, models.undefined) == (100, "one_rater")


def test_notes_put_each_rater_beside_the_others_on_the_same_pairs() -> None:
    good = labels_of(60, ("ann", "bo"), skill=0.95)
    strict = [Label(unit, "cy", 0, f"q{unit // 4}") for unit in range(60)]
    labels = [*good, *strict]
    notes = rater_notes(
        paired(labels),
        Marks(
            seconds=[5.0 if one.rater == "cy" else 30.0 for one in labels],
            reasons=[
                ("No.", " no. ")[one.unit == 0] if one.rater == "cy" else f"{one}" for one in labels
            ],
            moments=[],
        ),
        repeats={"cy": (3, 8)},
    )
    assert [one.rater for one in notes] == ["ann", "bo", "cy"]
    ann, cy = notes[0], notes[2]
    assert (ann.n, ann.shared, ann.repeated_reasons) == (60, 60, 0)
    assert cy.mix == {0: 1, 1: 0, 2: 0}
    assert cy.without.alpha is not None
    assert ann.with_others.alpha is not None
    assert cy.with_others.alpha is not None
    assert cy.without.alpha > ann.with_others.alpha > cy.with_others.alpha
    assert cy.repeated_reasons == 60
    assert len(cy.questions) == 4
    assert all(question.endswith("?") for question in cy.questions)


def test_a_rare_level_lowers_alpha_and_the_warning_says_by_how_much() -> None:
    assert skilled_alpha((60, 25, 15)) == pytest.approx(0.63, abs=0.005)
    assert skilled_alpha((90, 6, 4)) == pytest.approx(0.34, abs=0.005)
    assert prevalence_warning((60, 25, 15)) is None
    assert "0.34" in str(prevalence_warning((90, 6, 4)))
    labels = [Label(unit, rater, int(unit >= 95)) for unit in range(100) for rater in "ab"]
    assert any("95% of the labels are level 0" in one for one in report(labels).warnings)


def test_the_planner_gives_the_known_half_widths() -> None:
    joint = joint_table((60, 25, 15))
    for n, width in ((30, 0.27), (50, 0.21), (100, 0.15), (200, 0.11)):
        assert half_width(joint, n) == pytest.approx(width, abs=0.02)


def test_the_plan_counts_what_is_there_and_says_when_it_assumes() -> None:
    told = report(labels_of(80, skill=0.8))
    plan = plan_sample(told.coincidences, told.pairable_units)
    assert plan.alpha == pytest.approx(told.alpha, abs=0.02)
    assert not plan.assumed
    wide, narrow = plan.targets
    assert wide.pairs is not None
    assert narrow.pairs is not None
    assert narrow.pairs > wide.pairs
    assert narrow.more == narrow.pairs - 80
    assert "80 pairs have two labels" in plan.sentence
    none = plan_sample(np.zeros((3, 3)).tolist(), 0)
    assert none.assumed
    assert none.alpha == pytest.approx(0.63, abs=0.005)
    assert [one.pairs for one in none.targets] == [
        pytest.approx(100, abs=25), pytest.approx(230, abs=50),
    ]  # fmt: skip


def test_quepids_ratings_agree_so_perfectly_that_the_report_warns(shared_data: Path) -> None:
    with open(shared_data / "quepid" / "ratings_long.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["rating"]]
    told = report(
        {
            (row["query_id"], row["doc_id"], row["rater"]): Label(
                (row["query_id"], row["doc_id"]), row["rater"], int(float(row["rating"])),
                row["query_id"],
            )
            for row in rows
        }.values(),
        domain=(0, 1, 2, 3),
    )  # fmt: skip
    assert told.alpha == pytest.approx(1, abs=1e-12)
    assert any("copied labels" in one and "every unit" in one for one in told.warnings)
