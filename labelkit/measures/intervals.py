"""A mean over queries with the interval it deserves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelkit.errors import InputError
from labelkit.resampling import LEVEL, RESAMPLES, bca_interval, resample_counts

SAME = 1e-12
"""Values closer than this differ only by rounding."""
BLAS_ROWS = 8192
"""OpenBLAS sums longer rows with several threads."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` queries with the interval [low, high] at `level`.

    `method` is "bca", "exact binomial" (all values 0 or 1), "degenerate" (no variation: there is
    no interval, low and high are None) or "empty" (no values: the mean is None as well).
    `note` says so in a sentence; it is empty when there is nothing to say.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    note: str = ""
    level: float = LEVEL
    seed: int | None = None
    resamples: int = 0


def estimate(
    values: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, level: float = LEVEL
) -> Estimate:
    """Mean of per-query values, NaN left out, with its confidence interval.

    BCa bootstrap over queries; exact binomial (Clopper and Pearson 1934) if all values are 0 or
    1; no interval without variation. Raises InputError for a level outside (0, 1).
    """
    return estimates([values], seed=seed, resamples=resamples, level=level)[0]


def estimates(
    columns: Sequence[ArrayLike],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> list[Estimate]:
    """What `estimate` says of each column; those over equally many queries share their draws,
    which cost far more than the means."""
    if not 0 < level < 1:
        raise InputError(f"the confidence level is {level}; it lies between 0 and 1, as in 0.95")
    counted = [_counted(one) for one in columns]
    found = [_without_draws(x, level) for x in counted]
    for n in {len(x) for x, ready in zip(counted, found, strict=True) if ready is None}:
        places = [i for i, x in enumerate(counted) if found[i] is None and len(x) == n]
        drawn = _resampled_means([counted[i] for i in places], seed, resamples)
        for i, means in zip(places, drawn, strict=True):
            x = counted[i]
            mean = float(x.mean())
            low, high = bca_interval(mean, means, leave_one_out(x), level)
            found[i] = Estimate(mean, low, high, n, "bca", "", level, seed, resamples)
    return [one for one in found if one is not None]


def _counted(values: ArrayLike) -> NDArray[np.float64]:
    x = np.asarray(values, dtype=np.float64).ravel()
    return np.ascontiguousarray(x[~np.isnan(x)])


def _without_draws(x: NDArray[np.float64], level: float) -> Estimate | None:
    """The estimate where no bootstrap is needed, else None."""
    n = len(x)
    if n == 0:
        return Estimate(None, None, None, 0, "empty", "no query counts", level)
    mean = float(x.mean())
    if np.all((x == 0) | (x == 1)):
        low, high = clopper_pearson(int(x.sum()), n, level)
        return Estimate(mean, low, high, n, "exact binomial", "", level)
    if np.ptp(x) <= SAME:
        return Estimate(mean, None, None, n, "degenerate", _degenerate(n), level)
    return None


def _resampled_means(
    columns: Sequence[NDArray[np.float64]], seed: int, resamples: int
) -> NDArray[np.float64]:
    """The mean of each column in each resample, [columns, resamples]."""
    n = len(columns[0])
    rng = np.random.default_rng(seed)
    blocks = [[_sums(w, x) for x in columns] for w in resample_counts(n, resamples, rng)]
    return np.concatenate(blocks, axis=1) / n


def _sums(counts: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """counts @ x, [rows]. Long rows are summed outside BLAS: it would wake its threads for each
    row, and on a busy machine wait for them ten times as long as the drawing takes."""
    if len(x) <= BLAS_ROWS:
        return np.asarray(counts @ x)
    return np.asarray(np.einsum("rn,n->r", counts, x))


def bootstrap_means(
    table: NDArray[np.float64], *, seed: int, resamples: int
) -> NDArray[np.float64]:
    """Column means of resampled rows, [resamples, columns]; all columns share the draws."""
    n = len(table)
    rng = np.random.default_rng(seed)
    return np.concatenate([w @ table for w in resample_counts(n, resamples, rng)]) / n


def leave_one_out(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean with each value left out once, [n]."""
    return (x.sum() - x) / (len(x) - 1)


def clopper_pearson(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Exact binomial interval for a share (Clopper and Pearson 1934)."""
    tail = (1 - level) / 2
    chance = _tail_chance(n, successes)
    low = 0.0 if successes == 0 else _crossing(chance, tail)
    mirrored = _tail_chance(n, n - successes)
    high = 1.0 if successes == n else 1.0 - _crossing(mirrored, tail)
    return low, high


def _tail_chance(n: int, at_least: int) -> Callable[[float], float]:
    """P(X ≥ at_least) for X binomial with n trials, as a function of the chance of a success."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    i = np.arange(at_least, n + 1)
    log_ways = logs[n] - logs[i] - logs[n - i]

    def chance(p: float) -> float:
        return float(np.exp(log_ways + i * np.log(p) + (n - i) * np.log1p(-p)).sum())

    return chance


def _crossing(rising: Callable[[float], float], target: float) -> float:
    """Where a rising function on (0, 1) reaches the target, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= target else (middle, high)
    return (low + high) / 2


def _degenerate(n: int) -> str:
    if n == 1:
        return "degenerate: a single query has no variation to build an interval from"
    return f"degenerate: all {n:,} queries have the same value, so no interval can be drawn"
