"""Paired comparisons, against scipy's permutation test and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.errors import InputError
from labelkit.measures import compare, compare_family
from labelkit.measures.paired import alike, holm, smallest_resolvable
from labelkit.measures.signflip import exact_p


def scipy_p(a, b, **more):
    return scipy.stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", **more
    ).pvalue


@pytest.mark.parametrize("n", [2, 5, 9, 13])
def test_the_exact_p_is_scipys_exact_p(n):
    rng = np.random.default_rng(n)
    a, b = rng.random(n), rng.random(n)
    ours = compare(a, b)
    assert ours.p_method == "exact"
    assert ours.p == pytest.approx(scipy_p(a, b, n_resamples=np.inf), abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 0.25, 1 / 3]), min_size=1, max_size=10))
def test_the_exact_p_counts_every_sign_pattern_ties_included(differences):
    d = np.array(differences)
    sums = [abs(np.dot(signs, d)) for signs in product([-1, 1], repeat=len(d))]
    assert exact_p(d) == pytest.approx(np.mean(np.array(sums) >= abs(d.sum()) - 1e-9), abs=1e-12)


@pytest.mark.parametrize("n", [60, 300])
def test_the_random_p_is_scipys_within_monte_carlo_error(n):
    rng = np.random.default_rng(n)
    a = rng.random(n)
    b = a + rng.normal(0.02, 0.15, n)
    ours = compare(a, b, resamples=20_000)
    theirs = scipy_p(a, b, n_resamples=20_000, rng=1)
    assert ours.p_method == "random"
    assert ours.p == pytest.approx(theirs, abs=4 * np.sqrt(2 * 0.25 / 20_000))


def test_exact_and_random_agree_where_they_meet():
    rng = np.random.default_rng(4)
    a, b = rng.random(33), rng.random(33)
    few = a.copy()
    few[0] = b[0]  # one tie, so that 32 differences are left
    exact, random = compare(few, b), compare(a, b, resamples=50_000)
    assert (exact.p_method, random.p_method) == ("exact", "random")
    near = compare(few + 1e-9 * (np.arange(33) == 0), b, resamples=50_000)
    assert near.p_method == "random"
    assert near.p == pytest.approx(exact.p, abs=0.012)


def test_under_no_difference_p_is_below_a_twentieth_about_one_time_in_twenty():
    rng = np.random.default_rng(9)
    small = [compare(*rng.random((2, 40)), seed=i, resamples=500).p < 0.05 for i in range(400)]
    assert 0.025 <= np.mean(small) <= 0.085


def test_wins_ties_and_losses_are_counted_by_query():
    found = compare([1, 0.5, 0.2, 0.1], [0.5, 0.5, 0.3, 0.1 + 1e-15])
    assert (found.wins, found.ties, found.losses) == (1, 2, 1)
    assert found.difference == pytest.approx(0.1)


def test_words_follow_the_adjusted_p_and_the_direction():
    rng = np.random.default_rng(1)
    base = rng.random(50)
    up = compare(base + 0.2 + rng.random(50) / 10, base)
    assert (up.verdict, up.reversed().verdict) == ("better", "worse")
    assert compare(rng.random(50), base).verdict == "no evidence of a difference"


def test_candidates_without_any_difference_have_p_one_and_no_interval():
    found = compare([0.1, 0.5], [0.1, 0.5])
    assert (found.p, found.low, found.high, found.smallest_resolvable) == (1.0, None, None, None)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]


def family(seed=0, n=80):
    rng = np.random.default_rng(seed)
    return {f"c{i}": rng.random(n) + 0.12 * i for i in range(4)}


def test_a_family_adjusts_over_all_its_pairs():
    values = family()
    found = compare_family(values)
    assert len(found.pairs) == 6
    assert [p.p_adjusted for p in found.pairs] == pytest.approx(holm([p.p for p in found.pairs]))
    alone = compare(values["c0"], values["c1"])
    assert found.pair("c0", "c1").p == alone.p
    assert found.pair("c0", "c1").p_adjusted >= alone.p_adjusted


def test_a_declared_family_adjusts_over_what_was_declared():
    found = compare_family(family(), pairs=[("c1", "c0"), ("c2", "c0")])
    assert [(p.a, p.b) for p in found.pairs] == [("c1", "c0"), ("c2", "c0")]
    with pytest.raises(InputError, match="not a pair"):
        found.pair("c1", "c2")


def test_a_pair_can_be_read_in_both_directions():
    found = compare_family(family())
    one, other = found.pair("c0", "c3"), found.pair("c3", "c0")
    assert (one.difference, one.low, one.wins) == (-other.difference, -other.high, other.losses)
    assert {one.verdict, other.verdict} == {"better", "worse"}


def test_the_interval_of_a_difference_is_the_bca_interval_of_the_differences():
    values = family()
    found = compare_family(values, seed=3).pair("c1", "c0")
    theirs = scipy.stats.bootstrap(
        (values["c1"] - values["c0"],), np.mean, n_resamples=20_000, rng=2, method="BCa"
    ).confidence_interval
    assert found.low == pytest.approx(theirs.low, abs=0.006)
    assert found.high == pytest.approx(theirs.high, abs=0.006)


def test_groups_hold_candidates_that_cannot_be_told_apart_best_first():
    rng = np.random.default_rng(2)
    base = rng.random(100)
    values = {
        "low": base,
        "low2": base + rng.normal(0, 0.05, 100),
        "high": base + 0.5 + rng.normal(0, 0.05, 100),
    }
    found = compare_family(values)
    assert found.groups[0] == ("high",)
    assert set(found.groups[1]) == {"low", "low2"}


def test_a_candidate_between_two_others_stands_in_both_groups():
    pairs = compare_family(family()).pairs
    names = ["c3", "c2", "c1", "c0"]
    groups = list(alike(names, pairs))
    assert all(
        any({p.a, p.b} <= set(group) for group in groups) == (p.verdict.startswith("no"))
        for p in pairs
    )


def test_queries_without_a_value_for_some_candidate_are_dropped_and_counted():
    found = compare_family({"a": [0.1, np.nan, 0.3], "b": [0.2, 0.5, 0.1]})
    assert (found.n, found.dropped, found.pairs[0].n) == (2, 1, 2)


def test_the_smallest_resolvable_difference_is_found_four_times_in_five():
    rng = np.random.default_rng(8)
    sigma, n = 0.2, 100
    needed = smallest_resolvable(rng.normal(0, sigma, 10_000)) * np.sqrt(10_000 / n)
    draws = [rng.normal(needed, sigma, n) for _ in range(300)]
    found = [compare(d, np.zeros(n), seed=i, resamples=500).p < 0.05 for i, d in enumerate(draws)]
    assert 0.72 <= np.mean(found) <= 0.88


def test_more_comparisons_make_the_smallest_resolvable_difference_larger():
    d = np.random.default_rng(0).random(50)
    assert smallest_resolvable(d, comparisons=15) > smallest_resolvable(d)


def test_the_same_seed_gives_the_same_family():
    assert compare_family(family(), seed=5) == compare_family(family(), seed=5)


@pytest.mark.parametrize(
    ("values", "pairs", "says"),
    [
        ({"a": [1.0]}, None, "at least two"),
        ({"a": [1.0], "b": [1.0, 2.0]}, None, "different numbers"),
        ({"a": [1.0], "b": [0.0]}, [("a", "x")], "unknown candidates x"),
        ({"a": [1.0], "b": [0.0]}, [("a", "a")], "no two candidates"),
        ({"a": [np.nan], "b": [1.0]}, None, "nothing to compare"),
    ],
)
def test_what_cannot_be_compared_is_refused(values, pairs, says):
    with pytest.raises(InputError, match=says):
        compare_family(values, pairs=pairs)
