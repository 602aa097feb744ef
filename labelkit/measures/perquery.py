"""Every metric for many queries at once: levels by rank in, one float64 per query out.

All formulas are trec_eval's: linear gains (exponential ones under their own name), discount
1 / log2(rank + 1), the ideal from all judgments of the query, recall and average precision
divided by all relevant documents R. A query without a relevant document gets 0 here; whether it
counts is decided by the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.judgments import LevelCounts
from labelkit.measures.names import Measure
from labelkit.measures.ranking import BEYOND, UNJUDGED

Values = NDArray[np.float64]
Counts = NDArray[np.int64]
PERSISTENCE = 0.8
"""The chance that the reader of rank-biased precision goes on to the next rank."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Levels by rank, [q, depth] (UNJUDGED and BEYOND as in ranking.Block), what was judged,
    and the level from which a document is relevant."""

    levels: Values
    counts: LevelCounts
    threshold: int

    @property
    def relevant(self) -> NDArray[np.int64]:
        """R: judged relevant documents per query, [q]."""
        return self.counts.relevant(self.threshold)

    @property
    def irrelevant(self) -> NDArray[np.int64]:
        """N: documents judged below the threshold per query, [q]."""
        return self.counts.judged - self.relevant

    def misses(self) -> NDArray[np.bool_]:
        """Whether the document at each rank was judged and is not relevant, [q, depth]."""
        return (self.levels > UNJUDGED) & (self.levels < self.threshold)

    def hits(self, k: int | None) -> NDArray[np.bool_]:
        """Whether the document at each of the first k ranks is relevant, [q, min(k, depth)]."""
        return self.levels[:, :k] >= self.threshold


def values(measure: Measure, ranked: Ranked) -> Values:
    """The measure for each query, shape [q]."""
    return _FORMULAS[measure.name](ranked, measure.k)


def discounts(depth: int) -> Values:
    """1 / log2(rank + 1) for ranks 1 to depth (Järvelin and Kekäläinen 2002)."""
    return 1.0 / np.log2(np.arange(2, depth + 2))


def first_ranks(depth: int) -> Values:
    """Summed discounts of the first n ranks, for n from 0 to depth, shape [depth + 1]."""
    return np.concatenate([[0.0], np.cumsum(discounts(depth))])


def gain(name: str, levels: Values) -> Values:
    """Gains of levels: the level itself for ndcg, 2^level - 1 for ndcg_exp (Burges et al. 2005);
    what is unjudged gains 0."""
    known = np.maximum(levels, 0.0)
    return np.exp2(known) - 1.0 if name == "ndcg_exp" else known


def ideal_dcg(name: str, k: int, counts: LevelCounts) -> Values:
    """DCG@k of the best possible ranking of everything judged, shape [q].

    Counted level by level: raising the n documents of at least level l from the level below
    adds the step in gain at each of the first n ranks, so no ranking has to be sorted.
    """
    first = first_ranks(min(k, int(counts.at_least.max(initial=0))))
    steps = np.diff(gain(name, counts.levels.astype(np.float64)), prepend=0.0)
    return first[np.minimum(counts.at_least, k)] @ steps


def ratio(part: Values | Counts, whole: Values | Counts) -> Values:
    """part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _precision(ranked: Ranked, k: int | None) -> Values:
    assert k is not None
    return np.asarray(ranked.hits(k).sum(axis=1) / k)


def _recall(ranked: Ranked, k: int | None) -> Values:
    return ratio(ranked.hits(k).sum(axis=1), ranked.relevant)


def _hit(ranked: Ranked, k: int | None) -> Values:
    return np.asarray(ranked.hits(k).any(axis=1), dtype=np.float64)


def _mrr(ranked: Ranked, k: int | None) -> Values:
    hits = ranked.hits(k)
    return np.asarray(hits.any(axis=1) / (hits.argmax(axis=1) + 1.0))


def _ap(ranked: Ranked, k: int | None) -> Values:
    hits = ranked.hits(k)
    found = np.cumsum(hits, axis=1, dtype=np.float64)
    found /= np.arange(1, hits.shape[1] + 1)
    return ratio(np.einsum("qr,qr->q", found, hits), ranked.relevant)


def _rprecision(ranked: Ranked, k: int | None) -> Values:
    hits = ranked.hits(k)
    within = np.arange(hits.shape[1]) < ranked.relevant[:, None]
    return ratio((hits & within).sum(axis=1), ranked.relevant)


def _rbp(ranked: Ranked, k: int | None) -> Values:
    """Rank-biased precision (Moffat and Zobel 2008)."""
    hits = ranked.hits(k)
    return np.asarray(hits @ patience(hits.shape[1]))


def patience(depth: int) -> Values:
    """What each rank weighs in rank-biased precision, [depth]."""
    return np.asarray((1 - PERSISTENCE) * PERSISTENCE ** np.arange(depth))


def _bpref(ranked: Ranked, _: int | None) -> Values:
    """Of each relevant document, the share of judged irrelevant ones that do not stand above it
    (Buckley and Voorhees 2004, as in trec_eval: of the first R, of at most N)."""
    hits = ranked.hits(None)
    above = np.minimum(np.cumsum(ranked.misses(), axis=1), ranked.relevant[:, None])
    return preferred(above, hits, ranked)


def preferred(above: Values | Counts, chance: Values | NDArray[np.bool_], ranked: Ranked) -> Values:
    """bpref from the capped number of judged irrelevant documents above each rank, and the
    chance that a relevant document stands there; both [q, depth]."""
    most = np.minimum(ranked.relevant, ranked.irrelevant)[:, None]
    share = np.divide(above, most, out=np.zeros(above.shape), where=most > 0)
    return ratio(((1 - share) * chance).sum(axis=1), ranked.relevant)


def _judged(ranked: Ranked, k: int | None) -> Values:
    """Share of the documents shown that were judged: a ranking shorter than k has no holes
    where it shows nothing."""
    top = ranked.levels[:, :k]
    return ratio((top > UNJUDGED).sum(axis=1), (top > BEYOND).sum(axis=1))


def _ndcg(name: str) -> Callable[[Ranked, int | None], Values]:
    def formula(ranked: Ranked, k: int | None) -> Values:
        assert k is not None
        top = gain(name, ranked.levels[:, :k])
        return ratio(top @ discounts(top.shape[1]), ideal_dcg(name, k, ranked.counts))

    return formula


_FORMULAS: dict[str, Callable[[Ranked, int | None], Values]] = {
    "precision": _precision,
    "recall": _recall,
    "hit": _hit,
    "mrr": _mrr,
    "ap": _ap,
    "rprecision": _rprecision,
    "judged": _judged,
    "rbp": _rbp,
    "bpref": _bpref,
    "ndcg": _ndcg("ndcg"),
    "ndcg_exp": _ndcg("ndcg_exp"),
}
