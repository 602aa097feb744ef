"""Intervals, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from labelkit.errors import InputError
from labelkit.measures import estimate, estimates
from labelkit.resampling import bca_interval


@pytest.mark.parametrize("n", [12, 60, 400])
@pytest.mark.parametrize("shape", ["skewed", "plain"])
def test_bca_equals_scipys_within_monte_carlo_error(n, shape):
    rng = np.random.default_rng(n)
    values = rng.random(n) ** (4 if shape == "skewed" else 1)
    ours = estimate(values, seed=1)
    theirs = scipy.stats.bootstrap((values,), np.mean, n_resamples=20_000, rng=2, method="BCa")
    noise = 0.05 * values.std() / np.sqrt(n) * 4
    assert ours.method == "bca"
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=noise)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=noise)


def test_bca_of_the_same_resamples_is_scipys_to_the_last_digits():
    """The deterministic half alone: bias, acceleration and quantiles of a given distribution."""
    values = np.random.default_rng(5).random(40) ** 3
    theirs = scipy.stats.bootstrap((values,), np.mean, n_resamples=5000, rng=7, method="BCa")
    jackknife = (values.sum() - values) / 39
    low, high = bca_interval(values.mean(), theirs.bootstrap_distribution, jackknife)
    assert low == pytest.approx(theirs.confidence_interval.low, abs=1e-12)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=1e-12)


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (3, 7), (250, 1000)])
def test_zeros_and_ones_get_the_exact_binomial_interval(hits, n):
    ours = estimate([1.0] * hits + [0.0] * (n - hits))
    theirs = scipy.stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert ours.method == "exact binomial"
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_no_variation_is_degenerate_and_not_an_interval_of_width_zero():
    found = estimate([0.3] * 10)
    assert (found.mean, found.low, found.high) == (pytest.approx(0.3), None, None)
    assert found.method == "degenerate"
    assert "all 10 queries" in found.note


def test_a_single_query_is_degenerate():
    assert "single query" in estimate([0.4]).note


def test_nothing_to_average_is_no_number():
    found = estimate([np.nan])
    assert (found.mean, found.n, found.method) == (None, 0, "empty")


def test_queries_that_do_not_count_are_left_out():
    found = estimate([0.2, np.nan, 0.4])
    assert (found.n, found.mean) == (2, pytest.approx(0.3))


@pytest.mark.parametrize("n", [40, 9000])
def test_columns_estimated_together_give_what_each_gives_alone(n):
    """Whatever shares the draws: other columns, other numbers of queries, none at all."""
    rng = np.random.default_rng(2)
    table = rng.random((n, 2))
    columns = [
        table[:, 0],
        np.full(n, np.nan),
        table[: n // 2, 1],
        rng.random(n) < 0.5,
        table[:, 1],
    ]
    together = estimates(columns, seed=3, resamples=200)
    assert together == [estimate(one, seed=3, resamples=200) for one in columns]
    means = [np.mean(rng.choice(table[:, 0], n)) for _ in range(2000)]
    assert together[0].high - together[0].low == pytest.approx(4 * np.std(means), rel=0.25)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    values = np.random.default_rng(0).random(50)
    assert estimate(values, seed=1) == estimate(values, seed=1)
    assert estimate(values, seed=1).low != estimate(values, seed=2).low


def test_a_95_percent_interval_covers_the_truth_about_95_times_in_100():
    rng = np.random.default_rng(11)
    samples = [estimate(rng.random(40), seed=i, resamples=1000) for i in range(400)]
    assert 0.92 <= np.mean([one.low <= 0.5 <= one.high for one in samples]) <= 0.98


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_share_is_refused(level):
    with pytest.raises(InputError, match="between 0 and 1"):
        estimate([0.1, 0.2], level=level)
