"""Every two labels of one unit: what pairs of raters, and one rater beside the others, rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement.labels import Codes, Table


@dataclass(frozen=True, slots=True)
class Pairing:
    """Pairs of labels: `first[i]` and `second[i]` are places in the table's labels, on one unit,
    the first by the rater who comes first in the table."""

    table: Table
    first: Codes
    second: Codes

    @property
    def raters(self) -> tuple[Codes, Codes]:
        """The raters of both labels."""
        return self.table.rater[self.first], self.table.rater[self.second]

    @property
    def cells(self) -> Codes:
        """The two values of each pair as one number: the place in the table of both, by rows."""
        value = self.table.value
        return value[self.first] * len(self.table.domain) + value[self.second]

    def only(self, keep: NDArray[np.bool_] | Codes) -> Pairing:
        """Some of the pairs."""
        return Pairing(self.table, self.first[keep], self.second[keep])

    def by_raters(self) -> Iterator[tuple[int, int, Pairing]]:
        """The pairs of every two raters who share a unit, in order of the raters."""
        one, other = self.raters
        key = one * len(self.table.raters) + other
        order = np.argsort(key, kind="stable")
        edges = np.flatnonzero(np.diff(key[order])) + 1
        for places in np.split(order, edges) if len(order) else ():
            yield int(one[places[0]]), int(other[places[0]]), self.only(places)


def pair_up(table: Table) -> Pairing:
    """All pairs of labels: a unit with m labels has m (m - 1) / 2."""
    firsts, seconds = [], []
    first, shift = np.arange(len(table.unit)), 0
    while len(first):
        shift += 1
        first = first[first + shift < len(table.unit)]
        first = first[table.unit[first] == table.unit[first + shift]]
        firsts.append(first)
        seconds.append(first + shift)
    none = [np.array([], np.intp)]
    return Pairing(table, np.concatenate(firsts or none), np.concatenate(seconds or none))
