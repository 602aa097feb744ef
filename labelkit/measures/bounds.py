"""How far a metric could move if the holes were judged: exact bounds over every way to do so.

Judging a hole changes the ranking's gains and the ideal (or R) at once, so a relevant hole far
down can lower nDCG. Three facts make the bounds exact without trying all combinations:

- for a given multiset of levels the value is highest when the earliest holes get the highest
  levels, and lowest when the latest do (an exchange argument; the ideal depends on the multiset);
- DCG is linear and the ideal DCG convex in the holes' gains, so the lowest ratio has only holes
  of level 0 or of the top level: one pass per number of relevant holes;
- both are sums over levels, so the highest ratio splits level by level for a fixed ratio, which
  Dinkelbach's (1967) iteration then raises until it no longer moves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.names import Measure
from labelkit.measures.perquery import Ranked, Values, discounts, first_ranks, gain, ratio, values
from labelkit.measures.ranking import UNJUDGED


def bounds(measure: Measure, ranked: Ranked, top_level: int) -> tuple[Values, Values]:
    """Lowest and highest value over all ways to judge the holes 0 to `top_level`, each [q].

    `top_level` is at least the highest level that was judged. Holes are the unjudged documents in
    the first k ranks (everywhere when k is None). judged@k and bpref are about what was judged,
    so their bounds are their value.
    """
    if measure.name in ("judged", "bpref"):
        value = values(measure, ranked)
        return value, value
    holes = ranked.levels[:, : measure.k] == UNJUDGED
    number = np.cumsum(holes, axis=1)
    count = number[:, -1]
    low, high = values(measure, ranked), values(measure, ranked)
    for relevant in range(1, int(count.max(initial=0)) + 1):
        late = holes & (number > (count - relevant)[:, None])
        early = holes & (number <= relevant)
        low = np.minimum(low, _judged(measure, ranked, late, top_level))
        high = np.maximum(high, _judged(measure, ranked, early, top_level))
    return low, _highest_ndcg(measure, ranked, holes, top_level) if measure.graded else high


def _judged(measure: Measure, ranked: Ranked, chosen: NDArray[np.bool_], level: int) -> Values:
    """The measure if the chosen holes had been judged `level`, and the ideal with them."""
    levels = ranked.levels.copy()
    levels[:, : chosen.shape[1]][chosen] = level
    counts = ranked.counts.plus(chosen.sum(axis=1), level)
    return values(measure, replace(ranked, levels=levels, counts=counts))


def _highest_ndcg(
    measure: Measure, ranked: Ranked, holes: NDArray[np.bool_], top_level: int
) -> Values:
    assert measure.k is not None
    steps = np.diff(gain(measure.name, np.arange(top_level + 1, dtype=np.float64)))
    found = gain(measure.name, ranked.levels[:, : measure.k]) @ discounts(holes.shape[1])
    added = _earliest(holes)
    ideals = [_ideals(ranked, level, measure.k, added) for level in range(1, top_level + 1)]
    best = np.zeros(len(holes))
    while True:
        dcg, ideal = found.copy(), np.zeros(len(holes))
        for step, per_count in zip(steps, ideals, strict=True):
            chosen = np.argmax(added - best[:, None] * per_count, axis=1)[:, None]
            dcg += step * np.take_along_axis(added, chosen, axis=1)[:, 0]
            ideal += step * np.take_along_axis(per_count, chosen, axis=1)[:, 0]
        raised = ratio(dcg, ideal)
        if np.all(raised <= best + 1e-15):
            return np.maximum(best, raised)
        best = np.maximum(best, raised)


def _earliest(holes: NDArray[np.bool_]) -> Values:
    """Summed discounts of the first n holes of each query, n from 0 on, [q, width + 1]."""
    weights = holes * discounts(holes.shape[1])
    first = np.take_along_axis(weights, np.argsort(~holes, axis=1, kind="stable"), axis=1)
    return np.pad(np.cumsum(first, axis=1), ((0, 0), (1, 0)))


def _ideals(ranked: Ranked, level: int, k: int, added: Values) -> Values:
    """This level's part of the ideal if n holes more reach it, n from 0 on, [q, width + 1]."""
    reached = ranked.counts.relevant(level)[:, None] + np.arange(added.shape[1])
    deep = min(k, int(reached.max(initial=0)))
    return first_ranks(deep)[np.minimum(reached, deep)]
