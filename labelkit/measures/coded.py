"""Rankings held in arrays, with whole numbers in place of ids: what is read of large run files.

No id is looked up here: whoever reads the columns also finds which lines are judged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.ranking import BEYOND, UNJUDGED, Judged, Run, Values


class Lines(Protocol):
    """The lines of a run, of which the ids are asked now and then."""

    def bytewise(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the document id of each of these lines stands among them, ascending, [n]."""

    def as_run(self) -> Run:
        """All lines as dictionaries."""


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """The rankings of some judged queries; see `ranking.Rankings`.

    The lines of a query begin at `firsts` [q] and are `lengths` [q]; `line_scores` [lines].
    What is judged: `found_rows`, `found_lines` and `found_levels` [n].
    """

    query_ids: Sequence[str]
    unjudged: Collection[str]
    firsts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    line_scores: Values
    found_rows: NDArray[np.int64]
    found_lines: NDArray[np.int64]
    found_levels: Values
    lines: Lines

    def scores(self, rows: NDArray[np.int64]) -> Values:
        """The scores of these rows, one row after the other."""
        return self.line_scores[self._lines(rows)]

    def judged(self, rows: NDArray[np.int64]) -> Judged:
        """What is both ranked and judged: its place in `rows`, score and level, each [n]."""
        places = np.full(len(self.lengths), -1)
        places[rows] = np.arange(len(rows))
        row = places[self.found_rows]
        mine = row >= 0
        return row[mine], self.line_scores[self.found_lines[mine]], self.found_levels[mine]

    def levels_by_rank(self, rows: NDArray[np.int64], scores: Values) -> Values:
        """Levels of rows in which the ids decide, [rows, depth]."""
        lines, ranked = self._lines(rows), ~np.isnan(scores)
        by_line = np.full(len(self.line_scores), UNJUDGED)
        by_line[self.found_lines] = self.found_levels
        ids, levels = np.zeros(scores.shape), np.full(scores.shape, BEYOND)
        ids[ranked], levels[ranked] = self.lines.bytewise(lines), by_line[lines]
        return np.take_along_axis(levels, np.lexsort((-ids, -scores)), axis=1)

    def overlapping(self) -> bool:
        """Whether a judged document is among the ranked."""
        return len(self.found_lines) > 0

    def as_run(self) -> Run:
        """All lines as dictionaries."""
        return self.lines.as_run()

    def _lines(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The lines of these rows, one row after the other."""
        lengths = self.lengths[rows]
        before = np.cumsum(lengths) - lengths
        return np.repeat(self.firsts[rows] - before, lengths) + np.arange(int(lengths.sum()))
