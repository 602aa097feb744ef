"""Labels of several raters as counts: units by levels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError

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
    """Labels laid out: `codes[u, r]` is the index into `domain` of rater r's value, -1 if none.

    `clusters[u]` is the cluster of unit u, or the unit itself where there is none.
    """

    units: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    clusters: tuple[Hashable, ...]
    domain: tuple[Hashable, ...]
    codes: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many raters gave each unit each value, [units, values]."""
        return count_codes(self.codes, len(self.domain))

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Which units have at least two values: the others carry no information, [units]."""
        return np.asarray((self.codes >= 0).sum(axis=1) >= 2)

    @property
    def positions(self) -> NDArray[np.float64]:
        """The domain as numbers: its values where all are numbers, else their places."""
        if all(isinstance(value, int | float) for value in self.domain):
            return np.asarray(self.domain, dtype=np.float64)
        return np.arange(len(self.domain), dtype=np.float64)


def count_codes(codes: NDArray[np.int64], values: int) -> NDArray[np.int64]:
    """Counts of the codes 0 to values - 1 in each row, [rows, values]; -1 is no value."""
    width = values + 1
    cells = np.arange(len(codes))[:, None] * width + codes + 1
    return np.bincount(cells.ravel(), minlength=len(codes) * width).reshape(-1, width)[:, 1:]


def tabulate(labels: Iterable[Label], domain: Sequence[Hashable], metric: str) -> Table:
    """Lay out labels in order of first appearance.

    Raises InputError for an unknown metric, a repeated value in the domain, a domain that the
    metric cannot measure, a value outside the domain, and a rater with two labels on one unit.
    """
    _require_domain(domain, metric)
    known = {value: code for code, value in enumerate(domain)}
    units: dict[Hashable, int] = {}
    raters: dict[Hashable, int] = {}
    clusters: dict[Hashable, Hashable] = {}
    given: dict[tuple[int, int], int] = {}
    for one in labels:
        if one.value not in known:
            raise InputError(_outside(one, domain))
        place = units.setdefault(one.unit, len(units)), raters.setdefault(one.rater, len(raters))
        if place in given:
            raise InputError(
                f"rater {one.rater!r} has two labels on unit {one.unit!r}; agreement is computed "
                "from one independent label per rater and unit: keep the first"
            )
        given[place] = known[one.value]
        clusters[one.unit] = one.unit if one.cluster is None else one.cluster
    codes = np.full((len(units), len(raters)), -1, dtype=np.int64)
    if given:
        codes[tuple(np.array(list(given)).T)] = list(given.values())
    return Table(tuple(units), tuple(raters), tuple(clusters.values()), tuple(domain), codes)


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
