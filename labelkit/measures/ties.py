"""What a metric would be if documents with equal scores had come in another order.

Expected values are exact, not sampled (McSherry and Najork 2008, "Computing information
retrieval performance measures efficiently in the presence of tied scores").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.names import Measure
from labelkit.measures.perquery import (
    Ranked,
    Values,
    discounts,
    gain,
    ideal_dcg,
    patience,
    preferred,
    ratio,
    values,
)
from labelkit.measures.ranking import BEYOND, UNJUDGED


@dataclass(frozen=True, slots=True)
class Groups:
    """Documents with equal scores: for each rank the index where its group starts and the index
    after its end, both [q, depth]."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @property
    def size(self) -> NDArray[np.int64]:
        """Number of documents in the group of each rank."""
        return self.end - self.start

    def total(self, per_rank: Values) -> Values:
        """For each rank, the sum of `per_rank` over its group."""
        summed = _running(per_rank)
        return _pick(summed, self.end) - _pick(summed, self.start)

    def mean(self, per_rank: Values) -> Values:
        """For each rank, the mean of `per_rank` over its group: what to expect at that rank."""
        return self.total(per_rank) / self.size


def groups(scores: Values) -> Groups:
    """The tie groups of sorted scores [q, depth]; NaN, beyond a ranking's end, ties with none."""
    ranks = np.arange(scores.shape[1])
    opens = np.ones(scores.shape, dtype=bool)
    opens[:, 1:] = scores[:, 1:] != scores[:, :-1]
    closes = np.ones(scores.shape, dtype=bool)
    closes[:, :-1] = opens[:, 1:]
    start = np.maximum.accumulate(np.where(opens, ranks, 0), axis=1)
    end = np.where(closes, ranks + 1, scores.shape[1])[:, ::-1]
    return Groups(start, np.minimum.accumulate(end, axis=1)[:, ::-1])


def expected(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    """The mean of the measure over all orders of tied documents, per query, shape [q]."""
    return _EXPECTED[measure.name](measure, ranked, ties)


def extremes(measure: Measure, ranked: Ranked, ties: Groups) -> tuple[Values, Values]:
    """The lowest and the highest value of the measure over all orders of tied documents."""
    span = float(np.abs(ranked.levels).max(initial=0.0)) + 1.0
    worst_first = np.sort(ties.start * 2 * span + ranked.levels, axis=1)
    best_first = np.sort(ties.start * 2 * span - ranked.levels, axis=1)
    low = replace(ranked, levels=worst_first - ties.start * 2 * span)
    high = replace(ranked, levels=ties.start * 2 * span - best_first)
    return values(measure, low), values(measure, high)


def _expected_ndcg(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    assert measure.k is not None
    top = ties.mean(gain(measure.name, ranked.levels))[:, : measure.k]
    return ratio(top @ discounts(top.shape[1]), ideal_dcg(measure.name, measure.k, ranked.counts))


def _expected_precision(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    assert measure.k is not None
    return _relevance(ranked, ties)[:, : measure.k].sum(axis=1) / measure.k


def _expected_recall(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    return ratio(_relevance(ranked, ties)[:, : measure.k].sum(axis=1), ranked.relevant)


def _expected_rprecision(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    chance = _relevance(ranked, ties)
    within = np.arange(chance.shape[1]) < ranked.relevant[:, None]
    return ratio((chance * within).sum(axis=1), ranked.relevant)


def _expected_judged(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    judged = ties.mean((ranked.levels > UNJUDGED).astype(np.float64))[:, : measure.k]
    return ratio(judged.sum(axis=1), (ranked.levels[:, : measure.k] > BEYOND).sum(axis=1))


def _expected_hit(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    return _first_relevant(ranked, ties)[:, : measure.k].sum(axis=1)


def _expected_mrr(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    chance = _first_relevant(ranked, ties)[:, : measure.k]
    return chance @ (1.0 / np.arange(1, chance.shape[1] + 1))


def _expected_ap(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    """At the j-th place of a group of m with r relevant: relevant with chance r/m, and then
    (j - 1)(r - 1)/(m - 1) more relevant ones are expected before it in the group."""
    hits = ranked.hits(None).astype(np.float64)
    ranks = np.arange(1, hits.shape[1] + 1)
    inside = ties.total(hits)
    place = ranks - ties.start
    beside = (place - 1) * (inside - 1) / np.maximum(ties.size - 1, 1)
    above = _pick(_running(hits), ties.start)
    terms = inside / ties.size * (above + 1 + beside) / ranks
    return ratio(terms[:, : measure.k].sum(axis=1), ranked.relevant)


def _expected_rbp(measure: Measure, ranked: Ranked, ties: Groups) -> Values:
    chance = _relevance(ranked, ties)[:, : measure.k]
    return np.asarray(chance @ patience(chance.shape[1]))


def _expected_bpref(_: Measure, ranked: Ranked, ties: Groups) -> Values:
    """Among the n irrelevant documents of its group, a relevant one is equally likely to stand
    below 0, 1, … n of them."""
    misses = ranked.misses().astype(np.float64)
    beside = ties.total(misses)
    above = _pick(_running(misses), ties.start)
    cap = ranked.relevant[:, None].astype(np.float64)
    capped = _summed_up_to(above + beside + 1, cap) - _summed_up_to(above, cap)
    return preferred(capped / (beside + 1), _relevance(ranked, ties), ranked)


def _summed_up_to(n: Values, cap: Values) -> Values:
    """The sum of min(j, cap) for the whole numbers j below n."""
    within = np.minimum(n, cap + 1)
    return within * (within - 1) / 2 + cap * (n - within)


def _relevance(ranked: Ranked, ties: Groups) -> Values:
    """The chance that the document at each rank is relevant."""
    return ties.mean(ranked.hits(None).astype(np.float64))


def _first_relevant(ranked: Ranked, ties: Groups) -> Values:
    """The chance that the first relevant document stands at each rank: C(m-j, r-1) / C(m, r) at
    place j of the first group that holds a relevant one, 0 elsewhere."""
    hits = ranked.hits(None).astype(np.float64)
    inside = ties.total(hits).astype(np.int64)
    left = ties.end - np.arange(1, hits.shape[1] + 1)
    first_group = (inside > 0) & (_pick(_running(hits), ties.start) == 0)
    possible = first_group & (left >= inside - 1)
    chance = np.zeros(hits.shape)
    m, r, rest = ties.size[possible], inside[possible], left[possible]
    chance[possible] = np.exp(_log_choose(rest, r - 1) - _log_choose(m, r))
    return chance


def _log_choose(n: NDArray[np.int64], r: NDArray[np.int64]) -> Values:
    factorial = np.cumsum(np.log(np.maximum(np.arange(int(n.max(initial=0)) + 1), 1)))
    return factorial[n] - factorial[r] - factorial[n - r]


def _running(per_rank: Values) -> Values:
    """Sums of the first n ranks, n from 0 to depth, [q, depth + 1]."""
    return np.pad(np.cumsum(per_rank, axis=1), ((0, 0), (1, 0)))


def _pick(summed: Values, index: NDArray[np.int64]) -> Values:
    return np.take_along_axis(summed, index, axis=1)


_EXPECTED: dict[str, Callable[[Measure, Ranked, Groups], Values]] = {
    "precision": _expected_precision,
    "recall": _expected_recall,
    "hit": _expected_hit,
    "mrr": _expected_mrr,
    "ap": _expected_ap,
    "rprecision": _expected_rprecision,
    "judged": _expected_judged,
    "rbp": _expected_rbp,
    "bpref": _expected_bpref,
    "ndcg": _expected_ndcg,
    "ndcg_exp": _expected_ndcg,
}
