"""The BCa bootstrap interval of alpha: resampling units, or clusters of units.

Few distinct patterns of counts exist (at most 56 for three levels and five raters), so what is
drawn is how often each pattern comes up: the same distribution, at a cost that does not grow
with the number of units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement.alpha import Array, alphas
from labelkit.resampling import BLOCK_CELLS, bca_interval

RARE = 30
"""Below this many things of a pattern, drawing each of them is faster than a binomial draw."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of alpha, None where there are none (`note` says why); `undefined` counts the
    resamples without variation, which have no alpha and are left out."""

    low: float | None
    high: float | None
    undefined: int
    note: str = ""


def clustered(parts: Array, clusters: Sequence[int] | NDArray[np.intp]) -> Array:
    """Coincidence matrices summed by cluster, [clusters, values, values]."""
    found, place = np.unique(clusters, return_inverse=True)
    cells = parts.reshape(len(parts), -1).T
    summed = [np.bincount(place, weights=one, minlength=len(found)) for one in cells]
    return np.asarray(np.stack(summed, axis=1), np.float64).reshape(-1, *parts.shape[1:])


def alpha_interval(
    parts: Array, positions: Array, metric: str, *, seed: int, resamples: int, level: float
) -> Interval:
    """Interval of the alpha of the summed `parts` [things, values, values], resampling things."""
    if len(parts) < 2:
        return Interval(
            None, None, 0, "degenerate: a single unit or query leaves nothing to resample"
        )
    kinds, times = _distinct(parts.reshape(len(parts), -1))
    shape = (-1, len(positions), len(positions))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            alphas(sums.reshape(shape), positions, metric)
            for sums in _sums(kinds, times, resamples, rng)
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


def _sums(
    kinds: Array, times: NDArray[np.intp], resamples: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Blocks of resamples as summed rows, [rows, columns of `kinds`].

    One column after the other: BLAS takes several times as long for all of them together, and
    starts threads for it.
    """
    if times.max() < RARE:
        rows, blocks = np.repeat(kinds, times, axis=0), _thing_counts(times.sum(), resamples, rng)
    else:
        rows, blocks = kinds, _pattern_counts(times, resamples, rng)
    columns = np.ascontiguousarray(rows.T)
    for counts in blocks:
        yield np.stack([counts @ column for column in columns], axis=1)


def _thing_counts(n: int, resamples: int, rng: np.random.Generator) -> Iterator[Array]:
    """Blocks of resamples of n things as counts of each, [rows, n]."""
    narrow = np.uint16 if n < 1 << 16 else np.uint32
    step = max(1, 4 * BLOCK_CELLS // n)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        cells = rng.integers(0, n, (rows, n), dtype=narrow).astype(np.intp)
        cells += np.arange(rows)[:, None] * n
        yield np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _distinct(rows: Array) -> tuple[Array, NDArray[np.intp]]:
    """The distinct rows and how often each occurs.

    Sorted by one number per row, a random projection: sorting whole rows takes ten times as
    long. Equal rows have equal numbers; should two others share one, whole rows are sorted.
    """
    projected = (rows * np.random.default_rng(0).random(rows.shape[1])).sum(axis=1)
    _, first, kind, times = np.unique(
        projected, return_index=True, return_inverse=True, return_counts=True
    )
    if np.array_equal(rows[first][kind], rows):
        return rows[first], times
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    return kinds, times


def _pattern_counts(
    times: NDArray[np.intp], resamples: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Blocks of resamples as counts per pattern, [rows, patterns].

    A multinomial over the frequent patterns and all rare ones together; the things that fall to
    the rare ones are then drawn one by one. Where every pattern is rare, see `_thing_counts`.
    """
    rare = np.flatnonzero(times < RARE)
    frequent = np.flatnonzero(times >= RARE)
    of_rare = np.repeat(rare, times[rare])
    shares = np.append(times[frequent], len(of_rare)) / times.sum()
    step = max(1, 4 * BLOCK_CELLS // max(len(of_rare), len(times)))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.multinomial(int(times.sum()), shares, size=rows)
        counts = _spread(drawn[:, -1], of_rare, len(times), rng)
        counts[:, frequent] = drawn[:, :-1]
        yield counts


def _spread(
    sizes: NDArray[np.int64], kind: NDArray[np.intp], kinds: int, rng: np.random.Generator
) -> Array:
    """For each row, as many things as its size drawn from `kind`, counted by kind.

    In narrow whole numbers where they suffice: most of the time goes into moving the draws.
    """
    if not len(kind):
        return np.zeros((len(sizes), kinds))
    narrow = np.uint16 if len(kind) < 1 << 16 else np.uint32
    cells = kind.astype(np.int32)[rng.integers(0, len(kind), int(sizes.sum()), dtype=narrow)]
    cells += np.repeat(np.arange(len(sizes), dtype=np.int32) * np.int32(kinds), sizes)
    counts = np.bincount(cells, minlength=len(sizes) * kinds)
    return counts.reshape(len(sizes), kinds).astype(np.float64)
