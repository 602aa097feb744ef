"""One order for every metric: score descending, then doc_id descending bytewise, as trec_eval.

Rankings are laid out in dense blocks of queries of similar length, so that metrics are matrix
operations and one very long ranking does not blow up the memory of all the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Run = Mapping[str, Mapping[str, float]]
"""Ranked documents: query id -> document id -> score (higher is better)."""
ScoreDtype = Literal["float64", "float32"]
Values = NDArray[np.float64]
Judged = tuple[NDArray[np.int64], Values, Values]

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
    `tied` are the places in `rows` of queries with documents of equal scores.
    """

    rows: NDArray[np.int64]
    levels: NDArray[np.float64]
    scores: NDArray[np.float64]
    tied: NDArray[np.int64]


def ordered(ranking: Mapping[str, float], score_dtype: ScoreDtype = "float64") -> list[str]:
    """The document ids of one ranking, best first.

    Ties fall to the doc_id that is larger as UTF-8 bytes; Python compares strings by code point,
    which is the same order. With "float32", scores closer than single precision are ties.
    """
    exact = np.fromiter(ranking.values(), np.float64, len(ranking)).astype(score_dtype).tolist()
    return [doc_id for _, doc_id in sorted(zip(exact, ranking, strict=True), reverse=True)]


class Rankings(Protocol):
    """What a run found for some judged queries, whatever it is held in; rows count along
    `query_ids`, documents of a row stand in the order given."""

    @property
    def query_ids(self) -> Sequence[str]:
        """The judged queries."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of ranked documents, [q]."""

    @property
    def unjudged(self) -> Collection[str]:
        """Further queries of the run, which nobody judged."""

    def scores(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of these rows, one row after the other; raises InputError for NaN."""

    def judged(self, rows: NDArray[np.int64]) -> Judged:
        """What is both ranked and judged: its place in `rows`, score and level, each [n]."""

    def levels_by_rank(self, rows: NDArray[np.int64], scores: Values) -> Values:
        """Levels of rows whose `scores` [rows, depth] (NaN beyond the end) need the ids to be
        ordered, as in `Block`."""

    def overlapping(self) -> bool:
        """Whether a judged document is known to be among the ranked; False: not known."""

    def as_run(self) -> Run:
        """All that the run found, as dictionaries."""


def blocks(rankings: Rankings, score_dtype: ScoreDtype = "float64") -> Iterator[Block]:
    """Lay out rankings with their levels.

    Queries without a single ranked document are in no block. Raises InputError for NaN scores.
    """
    for rows in similar(rankings.lengths):
        yield Block(rows, *_by_rank(rankings, rows, score_dtype))


def similar(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Positions of rankings whose lengths lie between two powers of two, at most CELLS at once."""
    octave = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    for power in np.unique(octave[lengths > 0]):
        rows = np.flatnonzero((octave == power) & (lengths > 0))
        step = max(1, CELLS >> int(power))
        yield from (rows[start : start + step] for start in range(0, len(rows), step))


def _padded(flat: Values, lengths: NDArray[np.int64], fill: float) -> Values:
    width = int(lengths.max())
    if len(flat) == len(lengths) * width:
        return flat.reshape(len(lengths), width)
    dense = np.full((len(lengths), width), fill)
    dense[np.arange(width) < lengths[:, None]] = flat
    return dense


def _by_rank(
    rankings: Rankings, rows: NDArray[np.int64], score_dtype: ScoreDtype
) -> tuple[Values, Values, NDArray[np.int64]]:
    """Levels and scores by rank, and which rows have ties.

    NaN (beyond the end) sorts last and never counts as a tie.
    """
    flat = rounded(rankings.scores(rows), score_dtype)
    given = scores = _padded(flat, rankings.lengths[rows], np.nan)
    if not np.all((scores[:, 1:] < scores[:, :-1]) | np.isnan(scores[:, 1:])):
        scores = -np.sort(-scores, axis=1)
    levels = np.where(np.isnan(scores), BEYOND, UNJUDGED)
    row, score, level = rankings.judged(rows)
    levels[row, _places(scores, row, rounded(score, score_dtype))] = level
    # Equal scores share a place: there the ids decide.
    tied = np.flatnonzero((scores[:, 1:] == scores[:, :-1]).any(axis=1))
    if len(tied):
        levels[tied] = rankings.levels_by_rank(rows[tied], given[tied])
    return levels, scores, tied


def rounded(scores: Values, score_dtype: ScoreDtype) -> Values:
    """Scores as precise as they are compared."""
    return scores if score_dtype == "float64" else scores.astype(np.float32).astype(np.float64)


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
