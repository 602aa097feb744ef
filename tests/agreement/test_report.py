"""What stands beside alpha, and what is said when there is none."""

from __future__ import annotations

import json

import pytest

from labelkit.agreement import Label, report
from labelkit.errors import InputError


def pairs(*levels, query=None):
    """Two raters' levels unit by unit."""
    return [
        Label(f"u{u}", rater, level, query and query(u))
        for u, both in enumerate(levels)
        for rater, level in zip(("ann", "bob"), both, strict=True)
    ]


MIXED = pairs(*[(0, 0)] * 15, *[(1, 1)] * 10, *[(2, 2)] * 10, (0, 2), (1, 2), (1, 2), (0, 1))


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (pairs((1, 1), (1, 1)), "no_variation"),
        ([Label("u1", "ann", 0), Label("u2", "bob", 1)], "no_overlap"),
        ([Label("u1", "ann", 0), Label("u2", "ann", 1)], "one_rater"),
        ([], "no_overlap"),
    ],
)
def test_where_there_is_no_alpha_the_reason_is_named(labels, reason):
    found = report(labels)
    assert (found.alpha, found.low, found.high, found.undefined) == (None, None, None, reason)
    assert found.sentence.startswith("Agreement cannot be computed: ")
    assert found.band is None


def test_none_labeled_twice_is_not_called_too_few_as_well():
    assert report([]).warnings == ()


def test_variation_in_unpaired_labels_alone_gives_no_alpha():
    assert report([*pairs((1, 1), (1, 1)), Label("x", "ann", 2)]).undefined == "no_variation"


def test_counts_stand_beside_alpha():
    found = report([*MIXED, Label("alone", "cy", 2)])
    assert (found.units, found.raters, found.pairable, found.pairable_units) == (40, 3, 78, 39)
    assert found.pairable_raters == 2
    assert found.sentence.startswith("2 raters labeled 39 units at least twice")
    assert found.raw_agreement == pytest.approx(35 / 39)
    assert found.label_mix == {0: 32, 1: 23, 2: 24}
    assert sum(map(sum, found.coincidences)) == pytest.approx(78)


def test_raw_agreement_counts_pairs_of_labels():
    labels = [Label("u", rater, level) for rater, level in zip("abc", (1, 1, 2), strict=True)]
    assert report(labels).raw_agreement == pytest.approx(1 / 3)


def test_the_two_rater_table_has_one_rater_in_rows_and_the_other_in_columns():
    found = report(MIXED).rater_pairs
    assert [(one.a, one.b, one.n) for one in found] == [("ann", "bob", 39)]
    assert found[0].table == ((15, 1, 1), (0, 10, 2), (0, 0, 10))
    assert found[0].agreement == pytest.approx(35 / 39)
    assert found[0].alpha == pytest.approx(report(MIXED).alpha)


def test_raters_who_never_meet_are_no_pair():
    labels = [Label("u", "a", 0), Label("u", "b", 1), Label("v", "b", 2), Label("v", "c", 2)]
    assert [(one.a, one.b) for one in report(labels).rater_pairs] == [("a", "b"), ("b", "c")]


def test_conflicts_of_zero_against_two_come_first():
    found = report(MIXED).conflicts
    assert [one.steps for one in found] == [2, 1, 1, 1]
    assert found[0].unit == "u35"
    assert found[0].labels == (("ann", 0), ("bob", 2))


def test_hot_spots_are_the_queries_on_which_raters_split_most():
    labels = pairs((0, 2), (0, 0), (0, 1), (1, 2), (1, 1), (2, 2), query=lambda u: f"q{u // 2}")
    found = report(labels).hot_spots
    assert [(one.cluster, one.units, one.split, one.widest) for one in found] == [
        ("q1", 2, 2, 1),
        ("q0", 2, 1, 2),
    ]


def test_below_thirty_units_it_says_too_few():
    few = report(MIXED[:40])
    assert few.too_few
    assert few.warnings[0].startswith("too few: 20 units")
    assert not report(MIXED).too_few


def test_perfect_agreement_looks_like_copied_labels():
    found = report(pairs(*[(0, 0)] * 20, *[(2, 2)] * 20))
    assert found.alpha == 1.0
    assert (found.low, found.high) == (None, None)
    assert "degenerate" in found.interval_note
    assert any("copied labels" in warning for warning in found.warnings)


@pytest.mark.parametrize(("alpha", "name"), [(0.8, "reliable"), (0.799, "tentative")])
def test_bands_start_at_their_limits(alpha, name):
    from labelkit.agreement.words import band

    assert band(alpha) == name
    assert (band(0.667), band(0.6669), band(-1)) == ("tentative", "not usable", "not usable")


def test_the_band_is_read_from_the_lower_end_as_well():
    found = report(MIXED)
    assert found.band == "reliable"
    assert found.band_low != found.band
    assert f"{found.band_low} by the lower end" in found.sentence


def test_the_sentence_says_the_number_and_what_it_stands_on():
    found = report(MIXED)
    assert f"alpha is {found.alpha:.3f} (95% interval {found.low:.3f} to" in found.sentence
    assert "39 units" in found.sentence
    assert "raw agreement 90%" in found.sentence


def test_the_tentative_band_advises_boundary_examples_not_raters():
    agreed = [*[(0, 0)] * 15, *[(1, 1)] * 8, *[(2, 2)] * 8]
    found = report(pairs(*agreed, *[(0, 2)] * 2, *[(1, 2)] * 4))
    assert found.band == "tentative"
    assert "boundary examples" in found.sentence


def test_the_report_becomes_json():
    plain = json.loads(json.dumps(report(MIXED).as_dict()))
    assert plain["label_mix"] == {"0": 32, "1": 23, "2": 23}
    assert plain["conflicts"][0]["labels"] == [["ann", 0], ["bob", 2]]


def test_the_order_of_the_labels_does_not_matter_to_the_figures():
    one, other = report(MIXED), report(list(reversed(MIXED)))
    assert one.alpha == pytest.approx(other.alpha, abs=1e-15)
    assert one.low == pytest.approx(other.low, abs=0.02)


@pytest.mark.parametrize(
    ("labels", "more", "says"),
    [
        ([Label("u", "a", 3)], {}, "unit 'u', rater 'a': value 3 is not in the domain"),
        ([Label("u", "a", 1), Label("u", "a", 1)], {}, "rater 'a' has two labels on unit 'u'"),
        ([], {"metric": "cosine"}, "unknown metric 'cosine'"),
        ([], {"domain": ("a", "b"), "metric": "interval"}, "needs numbers"),
        ([], {"domain": (-1, 2), "metric": "ratio"}, "values from 0"),
        ([], {"domain": (0, 0)}, "each value once"),
    ],
)
def test_bad_labels_are_refused_by_name(labels, more, says):
    with pytest.raises(InputError, match=says):
        report(labels, **more)


def test_a_value_that_no_interval_or_too_few_units_carry_is_not_called_reliable():
    """Whatever is missing is named, and the advice is to label more."""
    few = report(Label(unit, rater, unit % 3, unit) for unit in range(12) for rater in "ab")
    assert "reliable by the value alone, on too few units; label more units twice" in few.sentence
    one_query = report(
        Label(unit, rater, (unit + (rater == "b" and unit == 7)) % 3, "q1")
        for unit in range(40)
        for rater in "ab"
    )
    assert "no interval: a single unit or query leaves nothing to resample" in one_query.sentence
    assert "by the value alone, with no interval beside it" in one_query.sentence
