"""Draws from a posterior over a few rows of shares, by walkers that stretch towards each other.

The affine-invariant ensemble sampler of Goodman and Weare (2010): a walker moves along the line
through another one, so that neither scale nor correlation of the shares has to be known.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

WALKERS = 200
WARM_UP = 600
"""Steps after which the walkers' mean no longer drifts (14 shares: measured up to 1,400)."""

APART = 120
"""Steps between two looks; a walker's next look correlates with this one by 0.4 (measured), and
most of the variety is between walkers."""

STRETCH = 2.0

Floats = NDArray[np.float64]
LogDensity = Callable[[Floats], Floats]


def sample(log_density: LogDensity, start: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw log shares, [draws, rows, 3].

    `log_density` takes log shares [n, rows, 3] and gives [n], with each row's prior weights
    times its logs in it (a Dirichlet density in log-ratio coordinates); `start` holds Dirichlet
    weights of the first positions, [rows, 3].
    """
    walkers = _first(log_density, start, rng)
    held = log_density(_logs(walkers))
    looks = []
    for step in range(WARM_UP + APART * -(-draws // WALKERS)):
        for mine in (slice(0, None, 2), slice(1, None, 2)):
            other = slice(1 - (mine.start or 0), None, 2)
            _stretch(log_density, walkers, held, mine, other, rng)
        if step >= WARM_UP and (step - WARM_UP + 1) % APART == 0:
            looks.append(walkers.copy())
    return _logs(np.concatenate(looks)[:draws])


def _stretch(
    log_density: LogDensity,
    walkers: Floats,
    held: Floats,
    mine: slice,
    other: slice,
    rng: np.random.Generator,
) -> None:
    """Move half of the walkers, each along its line to one of the other half."""
    here, partners = walkers[mine], walkers[other]
    n, dimensions = here.shape
    z: Floats = np.square(1 + (STRETCH - 1) * rng.random(n)) / STRETCH
    toward = partners[rng.integers(0, len(partners), n)]
    there = toward + z[:, None] * (here - toward)
    found = log_density(_logs(there))
    gain = (dimensions - 1) * np.log(z) + found - held[mine]
    moved = np.log(rng.random(n)) < gain
    walkers[mine] = np.where(moved[:, None], there, here)
    held[mine] = np.where(moved, found, held[mine])


def _first(log_density: LogDensity, weights: Floats, rng: np.random.Generator) -> Floats:
    """Walkers at positions that are possible, as log ratios to each row's last share."""
    found: list[Floats] = []
    while len(found) < WALKERS:
        shares = rng.standard_gamma(weights, (WALKERS, *weights.shape)) + 1e-12
        logs = np.log(shares)
        ratios = (logs[:, :, :2] - logs[:, :, 2:]).reshape(WALKERS, -1)
        found += list(ratios[np.isfinite(log_density(_logs(ratios)))])
    return np.array(found[:WALKERS])


def _logs(ratios: Floats) -> Floats:
    """Log shares of log ratios, [n, rows, 3]."""
    rows = ratios.reshape(len(ratios), -1, 2)
    logs = np.concatenate([rows, np.zeros((*rows.shape[:2], 1))], axis=2)
    a, b = rows[..., 0], rows[..., 1]
    most = np.maximum(np.maximum(a, b), 0.0)
    total = most + np.log(np.exp(a - most) + np.exp(b - most) + np.exp(-most))
    return np.asarray(logs - total[..., None])
