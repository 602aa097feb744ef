"""Paired comparisons of candidates on the same queries: is a difference more than luck?

Sign-flip permutation test (Fisher 1935; for retrieval: Smucker, Allan and Carterette 2007),
two-sided, Holm (1979) over the family that was declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelkit.errors import InputError
from labelkit.measures.intervals import SAME, bootstrap_means, leave_one_out
from labelkit.measures.signflip import p_values
from labelkit.resampling import LEVEL, RESAMPLES, bca_interval

BETTER, WORSE, NO_EVIDENCE = "better", "worse", "no evidence of a difference"
POWER = 0.80

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate `a` against `b` over `n` queries; `difference` is mean(a) - mean(b).

    `low` and `high` bound the difference (BCa, unadjusted; None when all differences are equal).
    `p` is two-sided, `p_adjusted` Holm's over the family, `p_method` "exact" or "random".
    `wins`, `ties`, `losses` count queries where a is above, equal to or below b.
    `smallest_resolvable` is the true difference that this many queries, varying as these do,
    would show with 80 % power at this family's level; None without variation.
    `verdict` speaks of a: "better", "worse" or "no evidence of a difference".
    """

    a: str
    b: str
    n: int
    difference: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float
    p_method: str
    wins: int
    ties: int
    losses: int
    smallest_resolvable: float | None
    verdict: str

    def reversed(self) -> Comparison:
        """The same comparison, speaking of b."""
        turned = {BETTER: WORSE, WORSE: BETTER}.get(self.verdict, self.verdict)
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            low=None if self.high is None else -self.high,
            high=None if self.low is None else -self.low,
            wins=self.losses,
            losses=self.wins,
            verdict=turned,
        )


@dataclass(frozen=True, slots=True)
class FamilyComparison:
    """All declared comparisons of a family of candidates over the same `n` queries.

    `dropped` queries had no value for some candidate. `groups` are the largest sets of candidates
    of which no two differ, best mean first; a candidate can stand in several.
    """

    names: tuple[str, ...]
    pairs: tuple[Comparison, ...]
    groups: tuple[tuple[str, ...], ...]
    n: int
    dropped: int
    level: float
    seed: int
    resamples: int

    def pair(self, a: str, b: str) -> Comparison:
        """The comparison of a with b, in this direction; raises InputError if not declared."""
        for one in self.pairs:
            if (one.a, one.b) == (a, b):
                return one
            if (one.a, one.b) == (b, a):
                return one.reversed()
        raise InputError(f"{a!r} and {b!r} are not a pair of the declared family")


def compare(
    a: ArrayLike,
    b: ArrayLike,
    *,
    names: Pair = ("a", "b"),
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Comparison:
    """Compare two candidates by their per-query values in the same order, each [queries]."""
    family = dict(zip(names, (a, b), strict=True))
    return compare_family(family, seed=seed, resamples=resamples, level=level).pairs[0]


def compare_family(
    values: Mapping[str, ArrayLike],
    *,
    pairs: Sequence[Pair] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> FamilyComparison:
    """Compare candidates by their per-query values, all in the same order of queries.

    `pairs` is the family declared before the run (None: every pair). Queries that are NaN for
    any candidate are dropped. The test is exact while at most 32 queries differ, else it uses
    `resamples` random sign flips, p = (b + 1) / (resamples + 1). Raises InputError for fewer
    than two candidates, unequal lengths, unknown names in `pairs` or no common query.
    """
    names = tuple(values)
    declared = _declared(names, pairs)
    table, dropped = _common_queries(values)
    column = {name: j for j, name in enumerate(names)}
    indexed = [(column[a], column[b]) for a, b in declared]
    tested = p_values(table, indexed, seed=seed, resamples=resamples)
    adjusted = holm([p for p, _ in tested])
    drawn = bootstrap_means(table, seed=seed, resamples=resamples)
    compared = tuple(
        _compared(pair, table[:, i] - table[:, j], drawn[:, i] - drawn[:, j], test, p, level)
        for pair, (i, j), test, p in zip(declared, indexed, tested, adjusted, strict=True)
    )
    compared = tuple(_with_resolution(one, table, column, len(declared), level) for one in compared)
    ranked = sorted(names, key=lambda name: -float(table[:, column[name]].mean()))
    groups = tuple(alike(ranked, compared))
    return FamilyComparison(names, compared, groups, len(table), dropped, level, seed, resamples)


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment: the family-wise error stays below the level (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.asarray(p, dtype=np.float64)[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(one) for one in adjusted]


def smallest_resolvable(
    difference: NDArray[np.float64], comparisons: int = 1, level: float = LEVEL
) -> float | None:
    """The true mean difference that would be found with 80 % power, given this spread and n.

    (z of 1 - α/2m, plus z of the power) × standard error: normal approximation, Bonferroni over
    the m comparisons of the family. None when fewer than two queries or no variation.
    """
    if len(difference) < 2 or np.ptp(difference) <= SAME:
        return None
    z = standard_errors_to_resolve(comparisons, level)
    return float(z * difference.std(ddof=1) / np.sqrt(len(difference)))


def standard_errors_to_resolve(comparisons: int = 1, level: float = LEVEL) -> float:
    """How many standard errors a true difference has to be, to be found with 80 % power."""
    return NormalDist().inv_cdf(1 - (1 - level) / (2 * comparisons)) + NormalDist().inv_cdf(POWER)


def alike(ranked: Sequence[str], pairs: Sequence[Comparison]) -> Iterator[tuple[str, ...]]:
    """The largest sets of candidates without evidence of a difference between any two.

    Maximal cliques (Bron and Kerbosch 1973); pairs that were not declared are not joined.
    """
    joined = {name: set[str]() for name in ranked}
    for one in pairs:
        if one.verdict == NO_EVIDENCE:
            joined[one.a].add(one.b)
            joined[one.b].add(one.a)
    cliques = _cliques(set(), set(ranked), set(), joined)
    inside = [tuple(name for name in ranked if name in clique) for clique in cliques]
    return iter(sorted(inside, key=lambda names: [ranked.index(name) for name in names]))


def _cliques(
    chosen: set[str], open_: set[str], done: set[str], joined: Mapping[str, set[str]]
) -> Iterator[set[str]]:
    if not open_ and not done:
        yield chosen
        return
    pivot = max(sorted(open_ | done), key=lambda name: len(joined[name] & open_))
    for name in sorted(open_ - joined[pivot]):
        yield from _cliques(chosen | {name}, open_ & joined[name], done & joined[name], joined)
        open_, done = open_ - {name}, done | {name}


def _declared(names: Sequence[str], pairs: Sequence[Pair] | None) -> list[Pair]:
    if len(names) < 2:
        raise InputError("a comparison needs at least two candidates")
    declared = list(combinations(names, 2)) if pairs is None else list(pairs)
    unknown = sorted({name for pair in declared for name in pair} - set(names))
    if unknown or not declared or any(a == b for a, b in declared):
        what = f"unknown candidates {', '.join(unknown)}" if unknown else "no two candidates"
        raise InputError(f"the family names {what}; there are {', '.join(names)}")
    return declared


def _common_queries(values: Mapping[str, ArrayLike]) -> tuple[NDArray[np.float64], int]:
    columns = [np.asarray(one, dtype=np.float64).ravel() for one in values.values()]
    sizes = {name: len(one) for name, one in zip(values, columns, strict=True)}
    if len(set(sizes.values())) > 1:
        raise InputError(f"candidates have values for different numbers of queries: {sizes}")
    table = np.column_stack(columns)
    counted = ~np.isnan(table).any(axis=1)
    if not counted.any():
        raise InputError("no query has a value for every candidate, so there is nothing to compare")
    return table[counted], int((~counted).sum())


def _compared(
    pair: Pair,
    difference: NDArray[np.float64],
    drawn: NDArray[np.float64],
    test: tuple[float, str],
    p_adjusted: float,
    level: float,
) -> Comparison:
    mean = float(difference.mean())
    low, high = None, None
    if np.ptp(difference) > SAME:
        low, high = bca_interval(mean, drawn, leave_one_out(difference), level)
    wins, losses = int((difference > SAME).sum()), int((difference < -SAME).sum())
    sure = p_adjusted < 1 - level
    verdict = (BETTER if mean > 0 else WORSE) if sure else NO_EVIDENCE
    ties = len(difference) - wins - losses
    counts = (wins, ties, losses)
    return Comparison(
        *pair,
        len(difference),
        mean,
        low,
        high,
        test[0],
        p_adjusted,
        test[1],
        *counts,
        None,
        verdict,
    )


def _with_resolution(
    one: Comparison,
    table: NDArray[np.float64],
    column: Mapping[str, int],
    comparisons: int,
    level: float,
) -> Comparison:
    difference = table[:, column[one.a]] - table[:, column[one.b]]
    return replace(one, smallest_resolvable=smallest_resolvable(difference, comparisons, level))
