"""Krippendorff's alpha, many at a time.

The headline comes from the `krippendorff` package; the form here, from coincidence matrices, is
for the bootstrap, which needs ten thousand of them. Both follow Krippendorff (2011), "Computing
Krippendorff's alpha-reliability", and are equal to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def headline_alpha(counts: NDArray[np.int64], positions: Array, metric: str) -> float:
    """Alpha of value counts [units, values] by the `krippendorff` package; needs variation."""
    import krippendorff  # 80 ms, and only where agreement is asked for

    return float(
        krippendorff.alpha(value_counts=counts, value_domain=positions, level_of_measurement=metric)
    )


def coincidences(counts: NDArray[np.int64]) -> Array:
    """Each unit's part of the coincidence matrix, [units, values, values].

    Every ordered pair of values of one unit counts 1/(m - 1), m being its number of values, so
    that each pairable value weighs the same; units with fewer than two values contribute nothing.
    """
    c = counts.astype(np.float64)
    pairs = c[:, :, None] * c[:, None, :]
    diagonal = np.arange(c.shape[1])
    pairs[:, diagonal, diagonal] -= c
    weight = c.sum(axis=1) - 1.0
    return np.divide(pairs, weight[:, None, None], out=np.zeros_like(pairs), where=pairs > 0)


def alphas(matrices: Array, positions: Array, metric: str) -> Array:
    """Alpha of each coincidence matrix [..., values, values]; NaN where there is no variation.

    1 - observed / expected disagreement, with the expected one from the matrix's own margins.
    """
    margins = matrices.sum(axis=-1)
    total = margins.sum(axis=-1)
    distance = _distances(margins, positions, metric)
    observed = (matrices * distance).sum(axis=(-2, -1))
    chance = (margins[..., :, None] * margins[..., None, :] * distance).sum(axis=(-2, -1))
    expected = np.divide(chance, total - 1, out=np.zeros_like(chance), where=total > 1)
    varied = (margins > 1e-9).sum(axis=-1) > 1
    fallen = np.divide(observed, expected, out=np.full_like(chance, np.nan), where=varied)
    return np.asarray(1.0 - fallen)


def _distances(margins: Array, positions: Array, metric: str) -> Array:
    """Squared distances of values, [..., values, values]; ordinal ones depend on the margins:
    a value lies in the middle of the ranks that its share of the values takes up."""
    if metric == "nominal":
        return 1.0 - np.eye(len(positions))
    if metric == "ordinal":
        positions = np.cumsum(margins, axis=-1) - margins / 2
    gap = positions[..., :, None] - positions[..., None, :]
    if metric == "ratio":
        whole = positions[:, None] + positions[None, :]
        gap = np.divide(gap, whole, out=np.zeros_like(gap), where=whole > 0)
    return np.asarray(gap**2)
