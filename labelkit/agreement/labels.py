"""Labels of several raters as counts: units by levels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError

Codes = NDArray[np.intp]
METRICS = ("ordinal", "nominal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class Label:
    """One rater's independent value for one unit; `cluster` groups units, as a query its pairs."""

    unit: Hashable
    rater: Hashable
    value: Hashable
    cluster: Hashable | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Labels laid out by unit: label i is the value `domain[value[i]]` of `raters[rater[i]]` on
    `units[unit[i]]`, in order of unit, then of rater.

    `given[i]` is its place among the labels as they were given. `cluster[u]` is the place in
    `clusters` of unit u's cluster; where it has none, it is its own.
    Nothing here grows with units times raters: a rater labels few of the units.
    """

    units: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    clusters: tuple[Hashable, ...]
    domain: tuple[Hashable, ...]
    unit: Codes
    rater: Codes
    value: Codes
    given: Codes
    cluster: Codes

    @property
    def counts(self) -> Codes:
        """How many raters gave each unit each value, [units, values]."""
        return count_values(self.unit, self.value, len(self.units), len(self.domain))

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Which units have at least two values: the others carry no information, [units]."""
        return np.bincount(self.unit, minlength=len(self.units)) >= 2

    @property
    def positions(self) -> NDArray[np.float64]:
        """The domain as numbers: its values where all are numbers, else their places."""
        if all(isinstance(value, int | float) for value in self.domain):
            return np.asarray(self.domain, dtype=np.float64)
        return np.arange(len(self.domain), dtype=np.float64)

    def only(self, keep: NDArray[np.bool_]) -> Table:
        """The same units and raters with some of the labels, `keep` [labels]."""
        unit, rater, value, given = (
            column[keep] for column in (self.unit, self.rater, self.value, self.given)
        )
        return replace(self, unit=unit, rater=rater, value=value, given=given)


def count_values(unit: Codes, value: Codes, units: int, values: int) -> Codes:
    """How often each unit has each value, [units, values]."""
    counted = np.bincount(unit * values + value, minlength=units * values)
    return counted.reshape(units, values)


def tabulate(labels: Iterable[Label], domain: Sequence[Hashable], metric: str) -> Table:
    """Lay out labels; units, raters and clusters stand in order of first appearance.

    Raises InputError for an unknown metric, a repeated value in the domain, a domain that the
    metric cannot measure, a value outside the domain, and a rater with two labels on one unit.
    """
    _require_domain(domain, metric)
    known = {value: code for code, value in enumerate(domain)}
    units: dict[Hashable, int] = {}
    raters: dict[Hashable, int] = {}
    clusters: dict[Hashable, int] = {}
    cluster: dict[int, int] = {}
    unit_codes, rater_codes, value_codes = [], [], []
    for one in labels:
        if one.value not in known:
            raise InputError(_outside(one, domain))
        unit = units.setdefault(one.unit, len(units))
        name = one.unit if one.cluster is None else one.cluster
        cluster[unit] = clusters.setdefault(name, len(clusters))
        unit_codes.append(unit)
        rater_codes.append(raters.setdefault(one.rater, len(raters)))
        value_codes.append(known[one.value])
    columns = [np.array(codes, np.intp) for codes in (unit_codes, rater_codes, value_codes)]
    order = np.lexsort((columns[1], columns[0]))
    unit_of, rater_of, value_of = (column[order] for column in columns)
    of_units = np.array(list(cluster.values()), np.intp)
    names = tuple(units), tuple(raters), tuple(clusters), tuple(domain)
    table = Table(*names, unit_of, rater_of, value_of, order, of_units)
    _require_one_each(table)
    return table


def _require_one_each(table: Table) -> None:
    same = (np.diff(table.unit) == 0) & (np.diff(table.rater) == 0)
    for place in np.flatnonzero(same)[:1].tolist():
        rater, unit = table.raters[table.rater[place]], table.units[table.unit[place]]
        raise InputError(
            f"rater {rater!r} has two labels on unit {unit!r}; agreement is computed "
            "from one independent label per rater and unit: keep the first"
        )


def _require_domain(domain: Sequence[Hashable], metric: str) -> None:
    if metric not in METRICS:
        raise InputError(f"unknown metric {metric!r}; known are {', '.join(METRICS)}")
    if len(set(domain)) != len(domain) or not domain:
        raise InputError(f"the domain {list(domain)!r} must name each value once")
    if metric in ("interval", "ratio"):
        numbers = [value for value in domain if isinstance(value, int | float) and value == value]
        if len(numbers) < len(domain):
            raise InputError(f"the {metric} metric needs numbers; the domain is {list(domain)!r}")
        if metric == "ratio" and min(numbers) < 0:
            raise InputError(f"the ratio metric needs values from 0; the domain is {numbers!r}")


def _outside(label: Label, domain: Sequence[Hashable]) -> str:
    return (
        f"unit {label.unit!r}, rater {label.rater!r}: value {label.value!r} is not in the domain "
        f"{list(domain)!r}; correct the label or give the domain that was used"
    )
