"""Agreement in parts: by any grouping of units, by pair of raters, over time, by kind of rater.

Every part carries its n and its interval; where it has too few units it says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement import words
from labelkit.agreement.alpha import Array, alphas, coincidences
from labelkit.agreement.breakdown import raw_agreement
from labelkit.agreement.interval import Interval, alpha_interval
from labelkit.agreement.labels import Codes, Table, count_values
from labelkit.agreement.pairing import Pairing
from labelkit.agreement.report import (
    TOO_FEW_UNITS,
    pairable_raters,
    resampled_parts,
    why_undefined,
)
from labelkit.resampling import LEVEL

RESAMPLES = 2_000
"""Fewer than for the headline: parts are read side by side, not quoted."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Agreement in one part: `units` with two labels or more; `undefined` says why there is no
    alpha; `too_few` that the part is to be greyed."""

    name: str
    units: int
    raters: int
    alpha: float | None
    low: float | None
    high: float | None
    raw_agreement: float | None
    undefined: str | None
    too_few: bool
    band: str | None


def slice_of(name: str, table: Table) -> Slice:
    """Ordinal agreement of a table's labels under a name."""
    counts = table.counts[table.pairable]
    parts, _ = resampled_parts(table, coincidences(counts))
    why = why_undefined(table, counts)
    size = len(counts), pairable_raters(table)
    return _measured(name, size, parts, table, raw_agreement(counts), why)


def slice_of_pairs(name: str, pairing: Pairing) -> Slice:
    """Ordinal agreement of pairs of labels, each as if it were a unit of its own with the raters
    "one" and "other": agreement among the ones, or the others, plays no part. What shares a
    cluster is drawn together."""
    table, width = pairing.table, len(pairing.table.domain)
    found, place = np.unique(table.cluster[table.unit[pairing.first]], return_inverse=True)
    cells = count_values(place, pairing.cells, len(found), width * width)
    square = cells.reshape(-1, width, width)
    parts = (square + square.transpose(0, 2, 1)).astype(np.float64)
    whole, number = parts.sum(axis=0), len(pairing.first)
    why = "no_variation" if (whole.sum(axis=0) > 0).sum() < 2 else None
    raw = float(np.trace(whole) / whole.sum()) if number else None
    return _measured(
        name, (number, 2 if number else 0), parts, table, raw, why if number else "no_overlap"
    )


def _measured(
    name: str,
    size: tuple[int, int],
    parts: Array,
    table: Table,
    raw: float | None,
    undefined: str | None,
) -> Slice:
    """The figures of `size` units and raters whose coincidences are drawn as `parts`."""
    alpha, bounds = None, Interval(None, None, 0)
    if undefined is None:
        alpha = float(alphas(parts.sum(axis=0), table.positions, "ordinal"))
        bounds = alpha_interval(
            parts, table.positions, "ordinal", seed=0, resamples=RESAMPLES, level=LEVEL
        )
    few = size[0] < TOO_FEW_UNITS
    return Slice(
        name, *size, alpha, bounds.low, bounds.high, raw, undefined, few, words.band(alpha)
    )


def by_group(table: Table, groups: Sequence[Collection[str]]) -> list[Slice]:
    """Agreement in each group, most units first. `groups` [units] names each unit's groups, such
    as the source or types of its query; a unit may be in several, or in none."""
    members: dict[str, list[int]] = defaultdict(list)
    for unit, names in enumerate(groups):
        for name in names:
            members[name].append(unit)
    found = [slice_of(name, of_units(table, units)) for name, units in members.items()]
    return sorted(found, key=lambda part: (-part.units, part.name))


def of_units(table: Table, units: Sequence[int] | Codes) -> Table:
    """The labels of these units."""
    chosen = np.zeros(len(table.units), dtype=bool)
    chosen[units] = True
    return table.only(chosen[table.unit])


def by_rater_pair(pairing: Pairing) -> dict[tuple[str, str], Slice]:
    """Agreement of every two raters on the units that both labeled, in order of name."""
    raters = [str(rater) for rater in pairing.table.raters]
    pairs = {(min(raters[a], raters[b]), max(raters[a], raters[b])): both
             for a, b, both in pairing.by_raters()}  # fmt: skip
    return {(a, b): slice_of_pairs(f"{a} and {b}", both) for (a, b), both in sorted(pairs.items())}


def second_moments(table: Table, moments: Sequence[str]) -> list[tuple[str, int]]:
    """When each unit had its second label and so could first be compared, oldest first, with the
    unit's place; units with one label are left out. `moments` are ISO times, in the order in
    which the labels were given."""
    told: dict[int, list[str]] = defaultdict(list)
    two = table.pairable[table.unit]
    for unit, given in zip(table.unit[two].tolist(), table.given[two].tolist(), strict=True):
        told[unit].append(moments[given])
    ready = [(sorted(times)[1], unit) for unit, times in told.items()]
    return sorted(ready, key=lambda one: (one[0], str(table.units[one[1]])))


def over_time(table: Table, ready: Sequence[tuple[str, int]], parts: int = 4) -> list[Slice]:
    """Agreement in `parts` of equal size, oldest first: drift; with 2, first half and second.

    `ready` is what `second_moments` found.
    """
    edges = [round(len(ready) * part / parts) for part in range(parts + 1)]
    one_day = len({time[:10] for time, _ in ready}) == 1
    shown = 16 if one_day else 10
    found = []
    for start, end in pairwise(edges):
        if start < end:
            first, last = ready[start][0][:shown], ready[end - 1][0][:shown]
            held = of_units(table, [unit for _, unit in ready[start:end]])
            found.append(slice_of(f"{first} to {last}".replace("T", " "), held))
    return found


def by_kind(pairing: Pairing, models: NDArray[np.bool_]) -> list[Slice]:
    """Human with human, human with model, model with model: three figures, never one.

    `models` [raters] says which raters are models.
    """
    table = pairing.table
    of_model = models[table.rater]
    one, other = (models[raters] for raters in pairing.raters)
    return [
        slice_of("human–human", table.only(~of_model)),
        slice_of_pairs("human–model", pairing.only(one != other)),
        slice_of("model–model", table.only(of_model)),
    ]
