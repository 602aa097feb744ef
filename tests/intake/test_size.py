"""Size advice: the formula against simulated experiments, and the words around it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from labelkit.errors import InputError
from labelkit.intake.size import DEFAULT_SD, queries_needed, size_advice
from labelkit.measures.paired import smallest_resolvable

EXPERIMENTS = 4000


@pytest.mark.parametrize(
    ("difference", "sd", "comparisons"),
    [(0.05, 0.25, 1), (0.1, 0.25, 1), (0.2, 0.25, 1), (0.05, 0.15, 6), (0.3, 0.3, 1)],
)
def test_so_many_queries_find_the_difference_in_eight_of_ten_experiments(
    difference: float, sd: float, comparisons: int
) -> None:
    """A paired t-test at the family's level, on normal differences; few queries included."""
    n = queries_needed(difference, sd, comparisons=comparisons)
    drawn = np.random.default_rng(20261130).normal(difference, sd, size=(EXPERIMENTS, n))
    found = int((stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05 / comparisons).sum())
    low = stats.binom.ppf(1e-3, EXPERIMENTS, 0.80)
    high = stats.binom.ppf(1 - 1e-3, EXPERIMENTS, 0.83)
    assert low <= found <= high, found / EXPERIMENTS


def test_it_agrees_with_what_a_benchmark_says_that_it_resolves() -> None:
    """The inverse of `smallest_resolvable`, two queries aside that pay for the estimated spread."""
    for sd in (0.15, 0.25, 0.4):
        n = queries_needed(0.05, sd)
        values = np.resize([-1.0, 1.0], n - 2)
        resolved = smallest_resolvable(values / values.std(ddof=1) * sd)
        assert resolved == pytest.approx(0.05, rel=0.01)
        assert size_advice(n - 2, sd=sd).resolves == pytest.approx(resolved)


def test_more_comparisons_and_smaller_differences_need_more() -> None:
    assert queries_needed(0.05) == 199
    assert queries_needed(0.05, comparisons=6) > queries_needed(0.05)
    assert queries_needed(0.025) > 3.9 * queries_needed(0.05)


@pytest.mark.parametrize(
    ("have", "says"),
    [
        (0, "0 accepted queries: too few to decide on"),
        (1, "1 accepted query: too few"),
        (49, "A first target is 80 to 200"),
        (50, "50 accepted queries: 149 more needed"),
        (198, "1 more needed"),
        (199, "199 accepted queries: enough"),
    ],
)
def test_the_advice_says_what_is_missing(have: int, says: str) -> None:
    advice = size_advice(have)
    assert says in advice.sentence
    assert advice.too_few == (have < 50)
    assert f"{DEFAULT_SD:.2f}: a default" in advice.basis
    assert (advice.resolves is None) == (have < 2)


def test_a_measured_spread_takes_the_place_of_the_default_and_is_named() -> None:
    advice = size_advice(120, 0.05, sd=0.4, sd_from="the run v1-first", comparisons=3)
    assert advice.needed > size_advice(120).needed
    assert "3 comparisons" in advice.basis
    assert "0.40: the run v1-first" in advice.basis


@pytest.mark.parametrize(("difference", "sd"), [(0, 0.2), (-0.1, 0.2), (0.05, 0), (0.05, np.nan)])
def test_what_cannot_be_planned_for_is_refused(difference: float, sd: float) -> None:
    with pytest.raises(InputError, match="above zero"):
        queries_needed(difference, sd)
