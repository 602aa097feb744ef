"""Bootstrap and paired tests of 6 candidates against scipy, over 2,000 queries.

Usage: python benchmarks/resampling.py. Per-query values that tie now and then, as metrics do;
10,000 resamples. The witnesses: scipy.stats.bootstrap (percentile) per candidate as
it is called by default, all resamples at once (160 MB of draws); in batches of 100, which nobody
gets without asking and which is about twice as fast, it is shown without a floor;
scipy.stats.permutation_test (paired samples, batches of 100) per pair: of the 15 pairs one is
timed and counted 15 times.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.stats
from floors import Figure, extra_megabytes, timed, verdict
from numpy.typing import NDArray

from labelkit.measures.intervals import bootstrap_means
from labelkit.measures.signflip import p_values

QUERIES, CANDIDATES, RESAMPLES = 2_000, 6, 10_000
PAIRS = list(combinations(range(CANDIDATES), 2))
ROUNDS = 3
NAMES = ("ours", "scipy", "scipy_batches", "flips", "scipy_flips")
FASTER_BOOTSTRAP, FASTER_PERMUTATION, EXTRA_MB = 5.0, 20.0, 100.0


def scores() -> NDArray[np.float64]:
    """Values of the candidates, [queries, candidates], correlated, in steps of 1/20."""
    rng = np.random.default_rng(0)
    base = rng.random((QUERIES, 1))
    return (
        np.round(np.clip(base + 0.2 * rng.standard_normal((QUERIES, CANDIDATES)), 0, 1) * 20) / 20
    )


def scipy_bootstrap(
    table: NDArray[np.float64], batch: int | None = None
) -> list[NDArray[np.float64]]:
    """The bootstrap distribution of each candidate's mean."""
    return [
        scipy.stats.bootstrap(
            (column,), np.mean, n_resamples=RESAMPLES, batch=batch, method="percentile", rng=0
        ).bootstrap_distribution
        for column in table.T
    ]


def scipy_permutation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The two-sided p of one pair."""

    def difference(
        x: NDArray[np.float64], y: NDArray[np.float64], axis: int
    ) -> NDArray[np.float64]:
        return np.asarray((x - y).mean(axis=axis))

    found = scipy.stats.permutation_test(
        (a, b),
        difference,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        batch=100,
        rng=0,
        vectorized=True,
    )
    return float(found.pvalue)


def main() -> None:
    """Measure in turns and judge."""
    table = scores()
    bootstrap_memory = extra_megabytes(lambda: bootstrap_means(table, seed=0, resamples=RESAMPLES))
    test_memory = extra_megabytes(lambda: p_values(table, PAIRS, seed=0, resamples=RESAMPLES))
    took: dict[str, list[float]] = {name: [] for name in NAMES}
    for number in range(ROUNDS):
        a, b = table[:, PAIRS[number][0]], table[:, PAIRS[number][1]]
        took["ours"].append(timed(lambda: bootstrap_means(table, seed=0, resamples=RESAMPLES)))
        took["scipy"].append(timed(lambda: scipy_bootstrap(table)))
        took["scipy_batches"].append(timed(lambda: scipy_bootstrap(table, batch=100)))
        took["flips"].append(timed(lambda: p_values(table, PAIRS, seed=0, resamples=RESAMPLES)))
        took["scipy_flips"].append(len(PAIRS) * timed(lambda: scipy_permutation(a, b)))  # noqa: B023
    seconds = {name: float(np.median(each)) for name, each in took.items()}
    batches = seconds["scipy_batches"] / seconds["ours"]
    print(f"bootstrap, times scipy in batches of 100: {batches:.2f} (no floor)")
    verdict(
        "resampling",
        [
            Figure("bootstrap, times scipy", seconds["scipy"] / seconds["ours"], FASTER_BOOTSTRAP),
            Figure(
                "15 tests, times scipy",
                seconds["scipy_flips"] / seconds["flips"],
                FASTER_PERMUTATION,
            ),
            Figure("bootstrap, extra memory in MB", bootstrap_memory, EXTRA_MB, False),
            Figure("tests, extra memory in MB", test_memory, EXTRA_MB, False),
        ],
        seconds,
    )


if __name__ == "__main__":
    main()
