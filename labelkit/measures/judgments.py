"""What the judgments of each query hold, as counts: all that ideals and recall need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError

Qrels = Mapping[str, Mapping[str, int]]
"""Judged levels: query id -> document id -> level (a whole number from 0)."""


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """How many documents of each query were judged at or above each level.

    `levels`: the distinct levels above 0 that occur, ascending, shape [L];
    `at_least`: the counts, shape [Q, L], never rising along a row;
    `judged`: the number of judged documents, shape [Q].
    """

    levels: NDArray[np.int64]
    at_least: NDArray[np.int64]
    judged: NDArray[np.int64]

    def relevant(self, threshold: int) -> NDArray[np.int64]:
        """Number of documents judged at or above `threshold` (1 or more), shape [Q]."""
        column = int(np.searchsorted(self.levels, threshold))
        if column == len(self.levels):
            return np.zeros(len(self.at_least), dtype=np.int64)
        return self.at_least[:, column]

    @property
    def highest(self) -> int:
        """The highest level that occurs anywhere, 0 when there is none above 0."""
        return int(self.levels[-1]) if len(self.levels) else 0

    def rows(self, rows: NDArray[np.int64]) -> LevelCounts:
        """The counts of some queries only."""
        return LevelCounts(self.levels, self.at_least[rows], self.judged[rows])

    def plus(self, extra: NDArray[np.int64], level: int) -> LevelCounts:
        """The counts if each query had `extra` (shape [Q]) more documents of `level`."""
        levels = np.union1d(self.levels, [level]).astype(np.int64)
        column = np.searchsorted(self.levels, levels)
        padded = np.pad(self.at_least, ((0, 0), (0, 1)))
        raised = padded[:, column] + np.outer(extra, levels <= level)
        return LevelCounts(levels, raised, self.judged + extra)


def count_levels(query_ids: Sequence[str], qrels: Qrels) -> LevelCounts:
    """Count the judged levels per query; raises InputError for anything but whole numbers ≥ 0."""
    judged = [qrels[query_id] for query_id in query_ids]
    sizes = np.fromiter(map(len, judged), np.int64, len(judged))
    flat = _flat_levels(judged, int(sizes.sum()), query_ids)
    levels, kind = np.unique(np.append(flat, 0), return_inverse=True)
    owner = np.repeat(np.arange(len(judged)), sizes)
    cells = np.bincount(owner * len(levels) + kind[:-1], minlength=len(judged) * len(levels))
    at_least = np.cumsum(cells.reshape(len(judged), -1)[:, ::-1], axis=1)[:, ::-1]
    return LevelCounts(levels[1:].astype(np.int64), at_least[:, 1:], sizes)


def _flat_levels(
    judged: Sequence[Mapping[str, int]], size: int, query_ids: Sequence[str]
) -> NDArray[np.float64]:
    try:
        values = chain.from_iterable(row.values() for row in judged)
        flat = np.fromiter(values, np.float64, size)  # floats: an int dtype would truncate 1.5
    except (TypeError, ValueError):
        flat = np.full(1, np.nan)
    if np.all(flat >= 0) and np.all(flat == np.floor(flat)) and np.all(flat < 2**31):
        return flat
    raise _bad_level(judged, query_ids)


def _bad_level(judged: Sequence[Mapping[str, int]], query_ids: Sequence[str]) -> InputError:
    """Name the first rows that are wrong: up to three, so that the pattern can be seen."""
    bad = [
        (query_id, doc_id, level)
        for query_id, row in zip(query_ids, judged, strict=True)
        for doc_id, level in row.items()
        if not _is_level(level)
    ]
    rows = "; ".join(f"query {q!r}, document {d!r}: {level!r}" for q, d, level in bad[:3])
    negative = any(_is_level(-level) for _, _, level in bad if isinstance(level, int | float))
    advice = (
        "say whether a negative level means unjudged or not relevant"
        if negative
        else "correct the judgments"
    )
    return InputError(f"levels are whole numbers from 0; {len(bad)} are not ({rows}); {advice}")


def _is_level(level: object) -> bool:
    if not isinstance(level, int | float | np.integer | np.floating):
        return False
    return 0 <= float(level) < 2**31 and float(level).is_integer()
