"""One order for every metric: score descending, then doc_id descending bytewise, as trec_eval.

Rankings are laid out in dense blocks of queries of similar length, so that metrics are matrix
operations and one very long ranking does not blow up the memory of all the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.measures.judgments import Qrels

Run = Mapping[str, Mapping[str, float]]
"""Ranked documents: query id -> document id -> score (higher is better)."""
ScoreDtype = Literal["float64", "float32"]

UNJUDGED = -1.0
"""In `Block.levels`: ranked, but nobody judged it."""
BEYOND = -2.0
"""In `Block.levels`: below the end of a shorter ranking."""
CELLS = 1 << 21
"""Upper bound for rows × width of one block: 16 MB per float64 matrix."""


@dataclass(frozen=True, slots=True)
class Block:
    """Ranked queries: `rows` their positions [q]; `levels` and `scores` by rank, [q, depth].

    `levels` holds judged levels, UNJUDGED or BEYOND; `scores` is NaN beyond a ranking's end.
    """

    rows: NDArray[np.int64]
    levels: NDArray[np.float64]
    scores: NDArray[np.float64]


def ordered(ranking: Mapping[str, float], score_dtype: ScoreDtype = "float64") -> list[str]:
    """The document ids of one ranking, best first.

    Ties fall to the doc_id that is larger as UTF-8 bytes; Python compares strings by code point,
    which is the same order. With "float32", scores closer than single precision are ties.
    """
    exact = np.fromiter(ranking.values(), np.float64, len(ranking)).astype(score_dtype).tolist()
    return [doc_id for _, doc_id in sorted(zip(exact, ranking, strict=True), reverse=True)]


def blocks(
    query_ids: Sequence[str], qrels: Qrels, run: Run, score_dtype: ScoreDtype = "float64"
) -> Iterator[Block]:
    """Lay out the rankings of these queries with their levels; rows count along `query_ids`.

    Queries without a single ranked document are in no block. Raises InputError for NaN scores.
    """
    nothing: Mapping[str, float] = {}
    lengths = np.fromiter((len(run.get(q, nothing)) for q in query_ids), np.int64, len(query_ids))
    for rows in similar(lengths):
        mine = [query_ids[row] for row in rows.tolist()]
        rankings = [run[query_id] for query_id in mine]
        scores = _scores(rankings, lengths[rows], score_dtype)
        if scores is None:
            raise _not_a_number(mine, rankings)
        judged = [qrels[query_id] for query_id in mine]
        yield Block(rows, *_by_rank(scores, rankings, judged, score_dtype))


def similar(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Positions of rankings whose lengths lie between two powers of two, at most CELLS at once."""
    octave = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    for power in np.unique(octave[lengths > 0]):
        rows = np.flatnonzero((octave == power) & (lengths > 0))
        step = max(1, CELLS >> int(power))
        yield from (rows[start : start + step] for start in range(0, len(rows), step))


def _scores(
    rankings: Sequence[Mapping[str, float]], lengths: NDArray[np.int64], score_dtype: ScoreDtype
) -> NDArray[np.float64] | None:
    """Scores in the order given, padded with NaN; None if a score is NaN itself."""
    values = chain.from_iterable(ranking.values() for ranking in rankings)
    flat = np.fromiter(values, np.float64, int(lengths.sum()))
    if np.isnan(flat).any():
        return None
    if score_dtype == "float32":
        flat = flat.astype(np.float32).astype(np.float64)
    return _padded(flat, lengths, np.nan)


def _not_a_number(query_ids: Sequence[str], rankings: Sequence[Mapping[str, float]]) -> InputError:
    bad = [
        f"query {query_id!r}, document {doc_id!r}"
        for query_id, ranking in zip(query_ids, rankings, strict=True)
        for doc_id, score in ranking.items()
        if score != score
    ]
    return InputError(
        f"the run has NaN scores ({'; '.join(bad[:3])}{' …' * (len(bad) > 3)}); a NaN has no place "
        "in an order: correct the retriever or leave those rows out"
    )


def _padded(
    flat: NDArray[np.float64], lengths: NDArray[np.int64], fill: float
) -> NDArray[np.float64]:
    width = int(lengths.max())
    if len(flat) == len(lengths) * width:
        return flat.reshape(len(lengths), width)
    dense = np.full((len(lengths), width), fill)
    dense[np.arange(width) < lengths[:, None]] = flat
    return dense


def _by_rank(
    scores: NDArray[np.float64],
    rankings: Sequence[Mapping[str, float]],
    judged: Sequence[Mapping[str, int]],
    score_dtype: ScoreDtype,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Levels and scores by rank. NaN (beyond the end) sorts last and never counts as a tie."""
    given = scores
    if not np.all((scores[:, 1:] < scores[:, :-1]) | np.isnan(scores[:, 1:])):
        scores = -np.sort(-scores, axis=1)
    levels = np.where(np.isnan(scores), BEYOND, UNJUDGED)
    row, score, level = _judged_scores(rankings, judged, score_dtype)
    levels[row, _places(scores, row, score)] = level
    # Equal scores share a place: there the ids decide, and these rows are laid out one by one.
    for tied in np.flatnonzero(_ties(scores).any(axis=1)).tolist():
        order = _order_with_ties(given[tied], list(rankings[tied]))
        levels[tied, : len(order)] = [judged[tied].get(doc_id, UNJUDGED) for doc_id in order]
    return levels, scores


def _judged_scores(
    rankings: Sequence[Mapping[str, float]],
    judged: Sequence[Mapping[str, int]],
    score_dtype: ScoreDtype,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Row, score and level of every document that was both ranked and judged.

    Looked up from the judgments, which are fewer than the ranked documents: a look-up by id
    costs more than all that follows. map over the bound dict.get stays in C.
    """
    sizes = np.fromiter(map(len, judged), np.int64, len(judged))
    total = int(sizes.sum())
    found = (
        map(ranking.get, row, repeat(np.nan)) for ranking, row in zip(rankings, judged, strict=True)
    )
    scores = np.fromiter(chain.from_iterable(found), np.float64, total)
    levels = np.fromiter(chain.from_iterable(row.values() for row in judged), np.float64, total)
    ranked = ~np.isnan(scores)
    scores = scores[ranked].astype(score_dtype).astype(np.float64)
    return np.repeat(np.arange(len(judged)), sizes)[ranked], scores, levels[ranked]


def _places(
    scores: NDArray[np.float64], row: NDArray[np.int64], score: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Where each score stands in its sorted row, by bisection of all at once."""
    flat, first = scores.ravel(), row * scores.shape[1]
    low, high = first.copy(), first + scores.shape[1] - 1
    for _ in range(scores.shape[1].bit_length()):
        middle = (low + high) >> 1
        above = flat[middle] > score
        np.copyto(low, middle + 1, where=above)
        np.copyto(high, middle, where=~above)
    return low - first


def _ties(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each document has the score of the one ranked before it, shape [q, depth - 1]."""
    return scores[:, 1:] == scores[:, :-1]


def _order_with_ties(scores: NDArray[np.float64], doc_ids: list[str]) -> list[str]:
    """The ids of one row in order: by id first, then a stable sort by score."""
    by_id = np.array(sorted(range(len(doc_ids)), key=doc_ids.__getitem__, reverse=True))
    order = by_id[np.argsort(-scores[by_id], kind="stable")]
    return [doc_ids[place] for place in order.tolist()]
