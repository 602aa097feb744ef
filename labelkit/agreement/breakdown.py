"""Where raters agree and where they do not: by pair of raters, by cluster, by unit."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement.alpha import alphas
from labelkit.agreement.labels import Table
from labelkit.agreement.pairing import Pairing


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


def rater_pairs(pairing: Pairing, metric: str) -> Iterator[RaterPair]:
    """Every two raters that share at least one unit, in order of appearance."""
    table, width = pairing.table, len(pairing.table.domain)
    for a, b, both in pairing.by_raters():
        cells = np.bincount(both.cells, minlength=width * width).reshape(width, width)
        alpha = float(alphas((cells + cells.T).astype(np.float64), table.positions, metric))
        yield RaterPair(
            table.raters[a],
            table.raters[b],
            len(both.first),
            float(np.trace(cells) / cells.sum()),
            None if np.isnan(alpha) else alpha,
            tuple(map(tuple, cells.tolist())),
        )


def conflicts(table: Table) -> list[Conflict]:
    """Units on which raters differ, the widest apart first, then in order of appearance."""
    starts = np.flatnonzero(np.diff(table.unit, prepend=-1))
    if not len(starts):
        return []
    steps = np.maximum.reduceat(table.value, starts) - np.minimum.reduceat(table.value, starts)
    split = np.flatnonzero(steps)
    split = split[np.argsort(-steps[split], kind="stable")]
    ends = np.append(starts[1:], len(table.unit))
    return [
        Conflict(
            table.units[table.unit[start]],
            table.clusters[table.cluster[table.unit[start]]],
            wide,
            _given(table, start, end),
        )
        for start, end, wide in zip(
            starts[split].tolist(), ends[split].tolist(), steps[split].tolist(), strict=True
        )
    ]


def _given(table: Table, start: int, end: int) -> tuple[tuple[Hashable, Hashable], ...]:
    raters, values = table.rater[start:end].tolist(), table.value[start:end].tolist()
    return tuple((table.raters[r], table.domain[v]) for r, v in zip(raters, values, strict=True))


def hot_spots(table: Table, split: Sequence[Conflict]) -> list[HotSpot]:
    """Clusters that hold one of the conflicts: most units split first, then the widest."""
    sizes = np.bincount(table.cluster[table.pairable], minlength=len(table.clusters)).tolist()
    of_cluster = dict(zip(table.clusters, sizes, strict=True))
    steps: dict[Hashable, list[int]] = {}
    for one in split:
        steps.setdefault(one.cluster, []).append(one.steps)
    spots = [HotSpot(key, of_cluster[key], len(wide), max(wide)) for key, wide in steps.items()]
    return sorted(spots, key=lambda spot: (-spot.split, -spot.widest))
