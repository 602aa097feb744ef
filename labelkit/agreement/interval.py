"""The BCa bootstrap interval of alpha: resampling units, or clusters of units.

Few distinct patterns of counts exist (at most 56 for three levels and five raters), so what is
drawn is how often each pattern comes up: the same distribution, at a cost that does not grow
with the number of units.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement.alpha import Array, alphas
from labelkit.resampling import BLOCK_CELLS, bca_interval

DRAWN_ONE_BY_ONE = 10
"""Up to this many things per pattern, drawing each is faster than a multinomial."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of alpha, None where there are none (`note` says why); `undefined` counts the
    resamples without variation, which have no alpha and are left out."""

    low: float | None
    high: float | None
    undefined: int
    note: str = ""


def clustered(parts: Array, clusters: Sequence[Hashable]) -> Array:
    """Coincidence matrices summed by cluster, [clusters, values, values]."""
    place = {cluster: i for i, cluster in enumerate(dict.fromkeys(clusters))}
    summed = np.zeros((len(place), *parts.shape[1:]))
    np.add.at(summed, [place[cluster] for cluster in clusters], parts)
    return summed


def alpha_interval(
    parts: Array, positions: Array, metric: str, *, seed: int, resamples: int, level: float
) -> Interval:
    """Interval of the alpha of the summed `parts` [things, values, values], resampling things."""
    if len(parts) < 2:
        return Interval(None, None, 0, "degenerate: a single unit leaves nothing to resample")
    kinds, kind, times = np.unique(
        parts.reshape(len(parts), -1), axis=0, return_inverse=True, return_counts=True
    )
    shape = (-1, len(positions), len(positions))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            alphas((w @ kinds).reshape(shape), positions, metric)
            for w in _pattern_counts(kind.ravel(), times, resamples, rng)
        ]
    )
    defined = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(defined)
    if len(defined) < 2 or np.ptp(defined) <= 1e-12:
        return Interval(None, None, undefined, "degenerate: every resample gives the same alpha")
    whole = times @ kinds
    value = float(alphas(whole.reshape(shape), positions, metric)[0])
    without = alphas((whole - kinds).reshape(shape), positions, metric)
    known = ~np.isnan(without)
    low, high = bca_interval(value, defined, without[known], level, times[known].astype(float))
    return Interval(low, high, undefined)


def _pattern_counts(
    kind: NDArray[np.intp], times: NDArray[np.intp], resamples: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Blocks of resamples as counts per pattern, [rows, patterns]."""
    n, kinds = len(kind), len(times)
    one_by_one = n <= DRAWN_ONE_BY_ONE * kinds
    step = max(1, BLOCK_CELLS // (n if one_by_one else kinds))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        if one_by_one:
            draws = kind[rng.integers(0, n, (rows, n), dtype=np.uint32)]
            draws += np.arange(rows)[:, None] * kinds
            counts = np.bincount(draws.ravel(), minlength=rows * kinds).reshape(rows, kinds)
        else:
            counts = rng.multinomial(n, times / n, size=rows)
        yield counts.astype(np.float64)
