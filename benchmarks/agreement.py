"""The bootstrap of alpha against a loop over krippendorff.alpha.

Usage: python benchmarks/agreement.py. Five raters, levels 0 to 2, 15 % of the labels missing,
10,000 resamples. The loop draws units and gives the package the raters' labels, as one
calls it; 100 of its rounds are timed and counted 100 times. The same loop from ready value counts,
which takes about half as long and which few people have, is shown without a floor. The interval
is timed whole: resamples, jackknife and BCa, from value counts.
"""

from __future__ import annotations

import krippendorff
import numpy as np
from floors import Figure, timed, verdict
from numpy.typing import NDArray

from labelkit.agreement.alpha import coincidences
from labelkit.agreement.interval import alpha_interval, clustered
from labelkit.agreement.labels import Label, tabulate
from labelkit.agreement.pairing import pair_up
from labelkit.agreement.raters import Marks, rater_notes
from labelkit.agreement.report import report_of
from labelkit.agreement.slices import by_rater_pair, over_time, second_moments

RATERS, LEVELS, RESAMPLES, LOOPED = 5, 3, 10_000, 100
FLOORS = {40: 50.0, 4_000: 150.0}
LARGE, LARGE_SECONDS = 40_000, 0.15
QUERIES_SHARE = 15
"""Units per query where units are resampled by query."""
FEWER, MORE, GROWTH = 250_000, 1_000_000, 6.0
"""Labels between which the time of all parts may grow so many times: four times is linear."""


def labels_of(units: int) -> NDArray[np.float64]:
    """Each rater's level of each unit, NaN where there is none, [raters, units]."""
    rng = np.random.default_rng(units)
    truth, noise = rng.integers(0, LEVELS, units), rng.integers(0, LEVELS, (RATERS, units))
    given = np.where(rng.random((RATERS, units)) < 0.75, truth, noise).astype(np.float64)
    given[rng.random((RATERS, units)) < 0.15] = np.nan
    return given


def counts_of(units: int) -> NDArray[np.int64]:
    """How many raters gave each unit each level, [units, levels]."""
    labels = labels_of(units)
    return np.stack([(labels == level).sum(axis=0) for level in range(LEVELS)], axis=1)


def interval(counts: NDArray[np.int64]) -> tuple[float | None, float | None]:
    """labelkit's BCa interval."""
    found = alpha_interval(
        coincidences(counts), np.arange(3.0), "ordinal", seed=0, resamples=RESAMPLES, level=0.95
    )
    return found.low, found.high


def by_query(counts: NDArray[np.int64]) -> None:
    """The same with all units of a query drawn together."""
    parts = clustered(coincidences(counts), [unit // QUERIES_SHARE for unit in range(len(counts))])
    alpha_interval(parts, np.arange(3.0), "ordinal", seed=0, resamples=RESAMPLES, level=0.95)


def loop(labels: NDArray[np.float64]) -> list[float]:
    """The package's alpha of resampled units, LOOPED times."""
    rng = np.random.default_rng(0)
    units = labels.shape[1]
    return [
        krippendorff.alpha(
            reliability_data=labels[:, rng.integers(0, units, units)],
            value_domain=[0, 1, 2],
            level_of_measurement="ordinal",
        )
        for _ in range(LOOPED)
    ]


def loop_over_counts(counts: NDArray[np.int64]) -> list[float]:
    """The same from value counts, [units, levels], LOOPED times."""
    rng = np.random.default_rng(0)
    return [
        krippendorff.alpha(
            value_counts=counts[rng.integers(0, len(counts), len(counts))],
            value_domain=[0, 1, 2],
            level_of_measurement="ordinal",
        )
        for _ in range(LOOPED)
    ]


def project(labels: int) -> list[Label]:
    """As many labels by 20 people: every second pair is judged twice, 100 pairs a query."""
    rng = np.random.default_rng(labels)
    units = np.repeat(np.arange(labels * 2 // 3), 1 + np.arange(labels * 2 // 3) % 2)
    second = np.diff(units, prepend=-1) == 0
    rater = (units * 7 % 20 + second * (1 + units % 19)) % 20
    level = rng.integers(0, LEVELS, len(units))
    level[1:][second[1:]] = level[:-1][second[1:]]
    level = np.where(rng.random(len(units)) < 0.85, level, rng.integers(0, LEVELS, len(units)))
    rows = zip(units.tolist(), rater.tolist(), level.tolist(), strict=True)
    return [Label(unit, f"rater {who:02}", value, unit // 100) for unit, who, value in rows]


def parts(labels: list[Label]) -> None:
    """The report, every two raters, every rater beside the others, and drift."""
    table = tabulate(labels, (0, 1, 2), "ordinal")
    pairing = pair_up(table)
    marks = Marks([10.0] * len(labels), ["It says so."] * len(labels), [""] * len(labels))
    report_of(table)
    by_rater_pair(pairing)
    rater_notes(pairing, marks, {})
    over_time(table, second_moments(table, marks.moments))


def main() -> None:
    """Measure each size in turns and judge."""
    seconds: dict[str, float] = {}
    figures = []
    for units, floor in FLOORS.items():
        labels, counts = labels_of(units), counts_of(units)
        interval(counts)
        work = (lambda: loop(labels), lambda: interval(counts), lambda: loop_over_counts(counts))  # noqa: B023
        slow, fast, from_counts = np.median([[timed(one) for one in work] for _ in range(7)], 0)
        seconds[f"loop at {units}"] = float(slow) * RESAMPLES / LOOPED
        seconds[f"interval at {units}"] = float(fast)
        ratio = seconds[f"loop at {units}"] / seconds[f"interval at {units}"]
        figures.append(Figure(f"interval at {units:,} units, times the loop", ratio, floor))
        harder = float(from_counts / fast) * RESAMPLES / LOOPED
        print(f"interval at {units:,} units, times the loop over counts: {harder:.4g} (no floor)")
    counts = counts_of(LARGE)
    seconds[f"interval at {LARGE}"] = float(
        np.median([timed(lambda: interval(counts)) for _ in range(5)])
    )
    seconds[f"by query at {LARGE}"] = float(
        np.median([timed(lambda: by_query(counts)) for _ in range(3)])
    )
    figures.append(
        Figure(
            f"interval at {LARGE:,} units, s", seconds[f"interval at {LARGE}"], LARGE_SECONDS, False
        )
    )
    for size in (FEWER, MORE):
        labels_of_size = project(size)
        seconds[f"all parts at {size} labels"] = timed(lambda: parts(labels_of_size))  # noqa: B023
    growth = seconds[f"all parts at {MORE} labels"] / seconds[f"all parts at {FEWER} labels"]
    name = f"all parts at {MORE:,} labels, times those at {FEWER:,}"
    figures.append(Figure(name, growth, GROWTH, False))
    verdict("agreement", figures, seconds)


if __name__ == "__main__":
    main()
