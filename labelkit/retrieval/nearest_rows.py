"""The nearest rows of a matrix by inner product in float32, with little memory beside it.

Blocks of rows are multiplied with all queries at once. After the first look, only products that
reach a query's threshold, its `depth`-th best so far, are kept: few, so the cost is the product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

CELLS = 1 << 19
"""Products held at once: 2 MB, which stay in the caches."""
SAMPLE = 32
"""The first threshold comes from this many times `depth` rows."""
CROWDED = 4
"""The kept are pruned when they are this many times as many as are wanted."""


class Kept:
    """The best rows per query so far, with their products, in no order."""

    def __init__(self, queries: int, depth: int) -> None:
        self.depth = depth
        self.thresholds = np.empty(queries, dtype=np.float32)
        self.query = np.empty(0, np.int64)
        self.row = np.empty(0, np.int64)
        self.product = np.empty(0, np.float32)

    def add(self, products: NDArray[np.float32], first_row: int) -> None:
        """Keep what reaches the thresholds of a block of products [rows, queries]."""
        place = np.flatnonzero(products >= self.thresholds)
        row, query = np.divmod(place, products.shape[1])
        self.query = np.concatenate([self.query, query])
        self.row = np.concatenate([self.row, row + first_row])
        self.product = np.concatenate([self.product, products.ravel()[place]])
        if len(self.row) > CROWDED * self.depth * len(self.thresholds):
            self.prune()

    def start(self, products: NDArray[np.float32]) -> None:
        """Set the thresholds from a first block of products [rows, queries], and keep its best."""
        place = len(products) - self.depth
        self.thresholds = np.partition(products.T.copy(), place, axis=1)[:, place]
        self.add(products, 0)

    def prune(self) -> None:
        """Keep the best `depth` of each query, best first, and raise the thresholds to the last."""
        order = np.argsort(_key(self.query, self.product))
        starts = np.searchsorted(self.query[order], np.arange(len(self.thresholds)))
        sizes = np.diff(starts, append=len(order))
        rank = np.arange(len(order)) - np.repeat(starts, sizes)
        order = order[rank < self.depth]
        self.query, self.row = self.query[order], self.row[order]
        self.product = self.product[order]
        last = np.cumsum(np.minimum(sizes, self.depth)) - 1
        full = sizes >= self.depth
        self.thresholds[full] = self.product[last[full]]


def nearest_rows(
    vectors: NDArray[np.float32], queries: NDArray[np.float32], depth: int
) -> Iterator[tuple[int, NDArray[np.int64], float]]:
    """For each query the `depth` rows of the highest products, best first, and the last product.

    Memory: at most CELLS products and some multiples of CELLS kept rows, whatever the sizes.
    """
    at_once = max(1, CELLS // (8 * depth))
    for start in range(0, len(queries), at_once):
        kept = _nearest(vectors, queries[start : start + at_once], depth)
        rows, products = kept.row.reshape(-1, depth), kept.product.reshape(-1, depth)
        for number in range(len(rows)):
            yield start + number, rows[number], float(products[number, -1])


def _nearest(vectors: NDArray[np.float32], queries: NDArray[np.float32], depth: int) -> Kept:
    kept = Kept(len(queries), depth)
    across = np.ascontiguousarray(queries.T)
    step = max(1, CELLS // len(queries))
    begin = min(len(vectors), max(depth, min(SAMPLE * depth, step)))
    kept.start(vectors[:begin] @ across)
    # Written into the same memory again and again: fresh memory is given out page by page.
    products = np.empty((min(step, len(vectors) - begin), len(queries)), dtype=np.float32)
    for start in range(begin, len(vectors), step):
        block = vectors[start : start + step]
        kept.add(np.matmul(block, across, out=products[: len(block)]), start)
    kept.prune()
    return kept


def _key(query: NDArray[np.int64], product: NDArray[np.float32]) -> NDArray[np.int64]:
    """Whole numbers in the order of query, then product descending.

    The bits of floats, read as whole numbers, are in the order of the floats once those of
    negative ones are turned around.
    """
    bits = (product + np.float32(0.0)).view(np.int32).astype(np.int64)  # -0.0 becomes 0.0
    ascending = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    return (query << 33) - ascending
