"""Several rankings made one: reciprocal ranks or weighted scores."""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.search import Hit

Ranking = Sequence[Hit]


def fuse(candidate: Candidate, rankings: Sequence[Ranking], k: int) -> list[Hit]:
    """The top `k` documents of several rankings of one query, by the candidate's rule.

    "rrf": the sum of weight / (rrf_k + rank), as Cormack, Clarke and Büttcher (SIGIR 2009).
    "weighted": the weighted sum of scores, each ranking's stretched to 0 … 1 over what it
    returned for the query; a document that it did not return has 0 there. Weights are 1 unless
    given. The chunk shown is that of the ranking in which the document stands highest.
    """
    weights = candidate.weights or (1.0,) * len(rankings)
    shares = _reciprocal if candidate.fusion == "rrf" else _stretched
    scores: dict[str, float] = {}
    best: dict[str, tuple[int, Hit]] = {}
    for weight, ranking in zip(weights, rankings, strict=True):
        for rank, (hit, share) in enumerate(
            zip(ranking, shares(ranking, candidate.rrf_k), strict=True), start=1
        ):
            scores[hit.doc_id] = scores.get(hit.doc_id, 0.0) + weight * share
            if hit.doc_id not in best or rank < best[hit.doc_id][0]:
                best[hit.doc_id] = rank, hit
    order = sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id.encode()), reverse=True)
    return [best[doc_id][1]._replace(score=scores[doc_id]) for doc_id in order[:k]]


def _reciprocal(ranking: Ranking, rrf_k: int) -> list[float]:
    return [1.0 / (rrf_k + rank) for rank in range(1, len(ranking) + 1)]


def _stretched(ranking: Ranking, _: int) -> list[float]:
    if not ranking:
        return []
    scores = [hit.score for hit in ranking]
    low, high = min(scores), max(scores)
    if high == low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]
