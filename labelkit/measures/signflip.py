"""The sign-flip test: if neither candidate is better, each query's difference could as well have
had the other sign. How often would the mean then be at least as far from 0 as it is?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.intervals import SAME

EXACT_UP_TO = 32
"""Non-zero differences up to which all 2^m sign patterns are counted: two halves of 2^16 sums."""
BLOCK_CELLS = 1 << 20

Pairs = Sequence[tuple[int, int]]


def p_values(
    table: NDArray[np.float64], pairs: Pairs, *, seed: int, resamples: int
) -> list[tuple[float, str]]:
    """Two-sided p of each pair of columns of `table` [queries, candidates], and how it was got.

    "exact" counts every sign pattern; "random" draws `resamples` of them, the same for all
    pairs, and gives (b + 1) / (resamples + 1).
    """
    differences = [_nonzero(table[:, a] - table[:, b]) for a, b in pairs]
    many = [pair for pair, d in zip(pairs, differences, strict=True) if len(d) > EXACT_UP_TO]
    random = iter(_random(table, many, seed, resamples).tolist() if many else ())
    return [
        (next(random), "random") if len(d) > EXACT_UP_TO else (exact_p(d), "exact")
        for d in differences
    ]


def exact_p(differences: NDArray[np.float64]) -> float:
    """The share of all sign patterns whose sum is at least as far from 0 as the observed one.

    Sums of two halves are counted against each other by bisection (Pagano and Tritchler 1983
    count likewise without visiting each pattern), so 32 differences need 2 × 65,536 sums.
    """
    d = _nonzero(differences)
    least = abs(d.sum()) - _rounding(d)
    if least <= 0:
        return 1.0
    left, right = np.sort(_signed_sums(d[::2])), np.sort(_signed_sums(d[1::2]))
    reached = len(right) - np.searchsorted(right, least - left, side="left")
    return float(2 * int(reached.sum()) / 2 ** len(d))


def _random(
    table: NDArray[np.float64], pairs: Pairs, seed: int, resamples: int
) -> NDArray[np.float64]:
    first, second = np.array(pairs).T
    differences = table[:, first] - table[:, second]
    least = np.abs(differences.sum(axis=0)) - _rounding(differences)
    total, reached = table.sum(axis=0), np.zeros(len(pairs))
    for bits in _coins(len(table), resamples, np.random.default_rng(seed)):
        flipped = 2 * (bits @ table) - total  # one product serves every pair by subtraction
        reached += (np.abs(flipped[:, first] - flipped[:, second]) >= least).sum(axis=0)
    return np.asarray((reached + 1) / (resamples + 1))


def _coins(n: int, rows: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Blocks of fair coin throws, 0.0 or 1.0, [block, n]; one random bit each."""
    width, step = -(-n // 8), max(1, BLOCK_CELLS // n)
    for start in range(0, rows, step):
        size = min(step, rows - start)
        raw = np.frombuffer(rng.bytes(size * width), np.uint8).reshape(size, width)
        yield np.unpackbits(raw, axis=1, count=n).astype(np.float64)


def _signed_sums(d: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for one in d:
        sums = np.concatenate([sums + one, sums - one])
    return sums


def _nonzero(d: NDArray[np.float64]) -> NDArray[np.float64]:
    return d[np.abs(d) > SAME]


def _rounding(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums that differ by less than this are equal: metric differences tie often."""
    return np.asarray(SAME * (1 + np.abs(d).sum(axis=0)))
