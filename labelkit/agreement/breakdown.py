"""Where raters agree and where they do not: by pair of raters, by cluster, by unit."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement.alpha import alphas, coincidences
from labelkit.agreement.labels import Table, count_codes


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters on the `n` units that both labeled; `table[i][j]` counts units to which `a`
    gave the i-th value of the domain and `b` the j-th. `alpha` is None without variation."""

    a: Hashable
    b: Hashable
    n: int
    agreement: float
    alpha: float | None
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class HotSpot:
    """A cluster (a query) with disagreement: `units` with two or more labels, how many of them
    raters split on, and the largest distance in steps of the domain."""

    cluster: Hashable
    units: int
    split: int
    widest: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """A unit on which raters differ; `steps` is how far apart the outermost values lie in the
    domain: 2 for a 0 against a 2."""

    unit: Hashable
    cluster: Hashable
    steps: int
    labels: tuple[tuple[Hashable, Hashable], ...]


def raw_agreement(counts: NDArray[np.int64]) -> float | None:
    """Share of all pairs of labels on one unit that are equal; None without a pair."""
    sizes = counts.sum(axis=1)
    pairs = float((sizes * (sizes - 1)).sum())
    return float((counts * (counts - 1)).sum()) / pairs if pairs else None


def rater_pairs(table: Table, metric: str) -> Iterator[RaterPair]:
    """Every two raters that share at least one unit, in order of appearance."""
    width = len(table.domain)
    for a, b in combinations(range(len(table.raters)), 2):
        codes = table.codes[:, [a, b]]
        codes = codes[(codes >= 0).all(axis=1)]
        if not len(codes):
            continue
        cells = np.bincount(codes[:, 0] * width + codes[:, 1], minlength=width * width)
        together = coincidences(count_codes(codes, width)).sum(axis=0)
        alpha = float(alphas(together, table.positions, metric))
        yield RaterPair(
            table.raters[a],
            table.raters[b],
            len(codes),
            float(np.mean(codes[:, 0] == codes[:, 1])),
            None if np.isnan(alpha) else alpha,
            tuple(map(tuple, cells.reshape(width, width).tolist())),
        )


def conflicts(table: Table) -> list[Conflict]:
    """Units on which raters differ, the widest apart first, then in order of appearance."""
    found = []
    for u in np.flatnonzero(table.pairable & (_steps(table) > 0)).tolist():
        given = table.codes[u]
        labels = tuple(
            (table.raters[r], table.domain[given[r]]) for r in np.flatnonzero(given >= 0).tolist()
        )
        found.append(
            Conflict(table.units[u], table.clusters[u], int(given.max() - _lowest(given)), labels)
        )
    return sorted(found, key=lambda one: -one.steps)


def hot_spots(table: Table) -> list[HotSpot]:
    """Clusters that hold a conflict: most units split first, then the widest."""
    sizes: dict[Hashable, int] = {}
    for u in np.flatnonzero(table.pairable).tolist():
        sizes[table.clusters[u]] = sizes.get(table.clusters[u], 0) + 1
    steps: dict[Hashable, list[int]] = {}
    for one in conflicts(table):
        steps.setdefault(one.cluster, []).append(one.steps)
    spots = [HotSpot(key, sizes[key], len(wide), max(wide)) for key, wide in steps.items()]
    return sorted(spots, key=lambda spot: (-spot.split, -spot.widest))


def _steps(table: Table) -> NDArray[np.int64]:
    """Distance of the outermost values of each unit in steps of the domain, [units]."""
    codes = table.codes
    lowest = np.where(codes >= 0, codes, len(table.domain)).min(axis=1, initial=len(table.domain))
    return np.asarray(codes.max(axis=1, initial=-1) - lowest)


def _lowest(codes: NDArray[np.int64]) -> int:
    return int(codes[codes >= 0].min())
