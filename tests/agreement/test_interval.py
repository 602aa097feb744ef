"""The bootstrap interval of alpha, against a plain loop over the package."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
import scipy.stats

from labelkit.agreement import Label, report
from labelkit.agreement.alpha import alphas, coincidences
from labelkit.agreement.interval import alpha_interval, clustered

POSITIONS = np.arange(3.0)


def sample(units, raters=2, noise=0.25, seed=0):
    """Levels 0 to 2 of raters who mostly agree, [units, raters]."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, units)
    other = rng.integers(0, 3, (units, raters))
    return np.where(rng.random((units, raters)) < noise, other, truth[:, None])


def as_counts(codes):
    return np.stack([(codes == level).sum(axis=1) for level in range(3)], axis=1)


def labels(codes, cluster=lambda u: None):
    return [
        Label(u, r, int(v), cluster(u)) for u, row in enumerate(codes) for r, v in enumerate(row)
    ]


def looped_alpha(codes):
    return krippendorff.alpha(codes.T, value_domain=[0, 1, 2], level_of_measurement="ordinal")


@pytest.mark.parametrize(("units", "raters"), [(40, 2), (60, 3), (900, 2)])
def test_the_interval_is_scipys_bca_over_units_within_monte_carlo_error(units, raters):
    """40 and 60 units are drawn one by one, 900 as a multinomial over count patterns."""
    codes = sample(units, raters)
    parts = coincidences(as_counts(codes))
    ours = alpha_interval(parts, POSITIONS, "ordinal", seed=1, resamples=20_000, level=0.95)
    rows = np.arange(units)

    def statistic(drawn, axis=-1):
        return alphas(parts[drawn.astype(int)].sum(axis=axis - 2), POSITIONS, "ordinal")

    theirs = scipy.stats.bootstrap(
        (rows,), statistic, n_resamples=20_000, rng=1, method="BCa", batch=1000
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.high, abs=0.02)


def test_the_interval_matches_a_loop_over_the_package():
    codes = sample(50, 2, seed=4)
    ours = report(labels(codes), resamples=20_000)
    rng = np.random.default_rng(1)
    looped = [looped_alpha(codes[rng.integers(0, 50, 50)]) for _ in range(1500)]
    low, high = np.percentile(looped, [2.5, 97.5])
    assert ours.low == pytest.approx(low, abs=0.06)
    assert ours.high == pytest.approx(high, abs=0.06)


def test_several_units_of_one_query_are_resampled_together():
    codes = sample(120, seed=2)
    found = report(labels(codes, cluster=lambda u: u // 10))
    assert found.resampled == "clusters"
    single = report(labels(codes, cluster=lambda u: f"q{u}"))
    assert single.resampled == "units"
    assert (single.low, single.high) == (report(labels(codes)).low, report(labels(codes)).high)


def test_clusters_that_agree_as_one_widen_the_interval():
    """Six queries, each with twenty copies of one pair of labels: six facts, not 120."""
    codes = np.repeat(sample(6, noise=0.6, seed=5), 20, axis=0)
    plain = report(labels(codes))
    grouped = report(labels(codes, cluster=lambda u: u // 20))
    assert grouped.alpha == plain.alpha
    assert grouped.high - grouped.low > 2 * (plain.high - plain.low)


def test_cluster_sums_add_up_to_the_whole():
    parts = coincidences(as_counts(sample(30)))
    sums = clustered(parts, [u % 7 for u in range(30)])
    assert sums.shape == (7, 3, 3)
    np.testing.assert_allclose(sums.sum(axis=0), parts.sum(axis=0))


def test_resamples_without_variation_are_counted_and_left_out():
    codes = np.zeros((12, 2), dtype=int)
    codes[0] = [2, 2]
    codes[1] = [0, 1]
    found = report(labels(codes), resamples=5000)
    assert 0 < found.undefined_resamples < 5000
    assert any("have no alpha" in warning for warning in found.warnings)


def test_the_same_seed_gives_the_same_interval():
    codes = sample(60)
    assert report(labels(codes), seed=3) == report(labels(codes), seed=3)
    assert report(labels(codes), seed=3).low != report(labels(codes), seed=4).low


def test_ten_thousand_resamples_of_forty_thousand_units_end():
    """The cost grows with the patterns, not the units; a loop would take hours."""
    parts = coincidences(as_counts(sample(40_000, raters=5)))
    found = alpha_interval(parts, POSITIONS, "ordinal", seed=0, resamples=10_000, level=0.95)
    assert found.low < found.high
