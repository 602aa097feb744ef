"""The fewest labels whose change would give a comparison another winner.

All candidates are averaged over the same queries, so a rival overtakes when the sum over queries
of (leader - rival) falls below 0. A changed label moves its own query only: the sum falls query
by query. The largest fall is taken first (greedy). One or two changes found like that are the
fewest there are; for three, every set of two is tried as well; beyond that it is greedy alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from labelkit.measures.names import Measure
from labelkit.measures.redrawn import Floats, Layout, Levels, scored

MOST = 200
"""A decision that stands against so many changed labels is not looked at further."""

PAIRS_TRIED = 120
"""Labels of one query up to which all its sets of two are tried."""

FURTHEST = 2.0
"""One label changes both scores of a query, each by 1 at most."""

EVEN = 1e-12


@dataclass(frozen=True, slots=True)
class Change:
    """Pair number `pair` of the layout given `level` instead of its own."""

    pair: int
    level: int


@dataclass(frozen=True, slots=True)
class Flip:
    """Changes after which candidate number `rival` is ahead.

    `exact`: no smaller set does it; otherwise a smaller one is possible.
    """

    rival: int
    changes: tuple[Change, ...]
    exact: bool


class _Race:
    """The leader against one rival, query by query, as labels change."""

    def __init__(
        self,
        layout: Layout,
        levels: Levels,
        measure: Measure,
        threshold: int,
        pair: tuple[int, int],
    ) -> None:
        names = tuple(layout.names[one] for one in pair)
        self.layout = replace(layout, names=names, places=layout.places[list(pair)])
        self.measure, self.threshold, self.levels = measure, threshold, levels.copy()
        self.ends = [*layout.starts[1:].tolist(), len(layout.pairs)]
        self.parts = [self.layout.only(q) for q in range(len(layout.query_ids))]
        now = scored(self.layout, levels[None], measure, threshold)
        self.lead = float(self.ahead(now).sum())

    def ahead(self, table: Floats) -> Floats:
        """Leader minus rival, 0 where the query does not count, [versions, queries]."""
        return np.nan_to_num(table[:, 0] - table[:, 1])

    def own(self, query: int) -> slice:
        """Where the query's pairs stand."""
        return slice(int(self.layout.starts[query]), self.ends[query])

    def falls(self, query: int, sets: list[tuple[Change, ...]]) -> Floats:
        """How far the sum falls with each set of changes within one query, [sets]."""
        mine = self.own(query)
        versions = np.repeat(self.levels[None, mine], len(sets) + 1, axis=0)
        for row, changes in enumerate(sets, start=1):
            for one in changes:
                versions[row, one.pair - mine.start] = one.level
        found = self.ahead(scored(self.parts[query], versions, self.measure, self.threshold))
        return np.asarray(found[0, 0] - found[1:, 0])

    def single(self, query: int, spent: set[int]) -> Iterator[Change]:
        """Every change of one label of a query that is not changed yet."""
        for pair in range(*self.own(query).indices(len(self.levels))):
            if pair not in spent:
                others = (level for level in (0, 1, 2) if level != self.levels[pair])
                yield from (Change(pair, level) for level in others)

    def best(self, query: int, spent: set[int], chances: Floats) -> tuple[float, Change | None]:
        """The change in a query that lets the sum fall furthest; of equal ones the likeliest."""
        changes = list(self.single(query, spent))
        if not changes:
            return 0.0, None
        falls = self.falls(query, [(one,) for one in changes])
        likely = [chances[one.pair, one.level] for one in changes]
        at = max(range(len(changes)), key=lambda i: (round(float(falls[i]), 12), likely[i]))
        return float(falls[at]), changes[at]


def smallest_flip(
    layout: Layout, levels: Levels, measure: Measure, threshold: int, chances: Floats
) -> Flip | None:
    """The fewest changes that put another candidate ahead; None where MOST are not enough.

    `levels` [pairs] are the published ones, `chances` [pairs, 3] say how likely each true level
    is, which decides between changes of equal effect.
    """
    sums = np.nansum(scored(layout, levels[None], measure, threshold)[0], axis=1)
    leader = int(np.argmax(sums))
    found: Flip | None = None
    every = True
    for rival in sorted(set(range(len(sums))) - {leader}, key=lambda c: -sums[c]):
        race = _Race(layout, levels, measure, threshold, (leader, rival))
        limit = MOST if found is None else len(found.changes) - 1
        changes, tried = _fewest(race, chances, limit)
        every = every and tried
        found = found if changes is None else Flip(rival, changes, exact=False)
    exact = found is not None and (len(found.changes) < 3 or (every and len(found.changes) == 3))
    return found and replace(found, exact=exact)


def _fewest(race: _Race, chances: Floats, limit: int) -> tuple[tuple[Change, ...] | None, bool]:
    """Greedy, then every set of two where that leaves it open; and whether two were ruled out."""
    if race.lead > FURTHEST * limit:
        return None, True
    first = [race.best(q, set(), chances) for q in range(len(race.parts))]
    changes = _greedy(race, list(first), chances, limit)
    if limit < 2 or (changes is not None and len(changes) <= 2):
        return changes, True
    two, tried = _two_in_one_query(race)
    return two or changes, tried


def _greedy(
    race: _Race, best: list[tuple[float, Change | None]], chances: Floats, limit: int
) -> tuple[Change, ...] | None:
    """Take the largest fall until the rival is ahead; None beyond the limit or at a dead end."""
    original, left, spent = race.levels.copy(), race.lead, list[Change]()
    while left >= -EVEN:
        query = max(range(len(best)), key=lambda q: best[q][0])
        fall, change = best[query]
        if change is None or fall <= EVEN or len(spent) == limit:
            race.levels = original
            return None
        spent.append(change)
        left -= fall
        race.levels[change.pair] = change.level
        best[query] = race.best(query, {one.pair for one in spent}, chances)
    race.levels = original
    return tuple(spent)


def _two_in_one_query(race: _Race) -> tuple[tuple[Change, ...] | None, bool]:
    """Two changes in one query that do it, if any; and whether every such set was tried.

    A query's part lies between -1 and 1, so most queries cannot make up for the lead at all.
    """
    sure = True
    for query, part in enumerate(race.parts):
        now = race.levels[None, race.own(query)]
        ahead = float(race.ahead(scored(part, now, race.measure, race.threshold))[0, 0])
        if ahead + 1 < race.lead:
            continue
        options = list(race.single(query, set()))
        if len(options) > 2 * PAIRS_TRIED:
            sure = False
            continue
        sets = [(a, b) for a, b in combinations(options, 2) if a.pair != b.pair]
        falls = race.falls(query, list(sets)) if sets else np.zeros(1)
        if sets and falls.max() > race.lead + EVEN:
            return sets[int(np.argmax(falls))], True
    return None, sure
