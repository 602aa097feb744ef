"""Vectors that are read block by block, so that they are in memory once at most."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.shards import Vectors

BLOCK = 8192
"""Rows read at a time."""


class LazyVectors(ABC):
    """Vectors [rows, width] on disk; a slice of them, or some rows, are an array in memory."""

    shape: tuple[int, int]

    @abstractmethod
    def read(self, start: int, end: int) -> Vectors:
        """The rows `[start, end)`."""

    @abstractmethod
    def take(self, rows: NDArray[np.int64]) -> Vectors:
        """The rows with these numbers, in this order."""

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> Vectors:
        if not isinstance(rows, slice):
            return self.take(rows)
        start, end, _ = rows.indices(len(self))
        return self.read(start, end)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.read(0, len(self)).astype(dtype or np.float32, copy=False)


AnyVectors = Vectors | LazyVectors


class StoredRows(LazyVectors):
    """Some rows of an .npy file [rows, width] of any number type, as float32.

    Each block is mapped anew: pages of a mapping that is kept count as memory of the process.
    """

    def __init__(self, path: Path, order: NDArray[np.int64] | None = None) -> None:
        self.path, self.order = path, order
        held = self._mapped()
        rows = len(held) if order is None else len(order)
        self.shape = rows, held.shape[1]
        self.straight = order is None and held.dtype == np.float32 and held.flags.c_contiguous

    def _mapped(self) -> NDArray[Any]:
        mapped: NDArray[Any] = np.load(self.path, mmap_mode="r", allow_pickle=False)
        return mapped

    def read(self, start: int, end: int) -> Vectors:
        """The rows `[start, end)`, copied."""
        rows = slice(start, end) if self.order is None else self.order[start:end]
        return np.array(self._mapped()[rows], dtype=np.float32)

    def take(self, rows: NDArray[np.int64]) -> Vectors:
        """The rows with these numbers, copied."""
        wanted = rows if self.order is None else self.order[rows]
        return np.array(self._mapped()[wanted], dtype=np.float32)

    def whole(self) -> Vectors | None:
        """All rows as they lie in the file, memory-mapped; None where they lie otherwise."""
        return self._mapped() if self.straight else None


def blocks(vectors: AnyVectors, rows: int = BLOCK) -> Iterator[tuple[int, Vectors]]:
    """The vectors by blocks of at most `rows`, each with the number of its first row."""
    for start in range(0, len(vectors), rows):
        yield start, vectors[start : start + rows]


class Derived(LazyVectors):
    """The first `dimensions` columns of raw vectors, then of length 1 if `normalise`.

    A vector of zeros (an empty text) stays as it is.
    """

    def __init__(self, raw: AnyVectors, dimensions: int | None, normalise: bool) -> None:
        self.raw, self.normalise = raw, normalise
        rows, width = raw.shape
        self.shape = rows, width if dimensions is None else min(dimensions, width)

    def read(self, start: int, end: int) -> Vectors:
        """The rows `[start, end)`, derived anew."""
        parts = (slice(one, min(one + BLOCK, end)) for one in range(start, end, BLOCK))
        return self._derived(end - start, parts)

    def take(self, rows: NDArray[np.int64]) -> Vectors:
        """The rows with these numbers, derived anew; the same bits as in any block."""
        parts = (rows[one : one + BLOCK] for one in range(0, len(rows), BLOCK))
        return self._derived(len(rows), parts)

    def _derived(self, rows: int, parts: Iterable[Any]) -> Vectors:
        """So many rows from parts of at most BLOCK: what is float64 in between stays small."""
        made, done = np.empty((rows, self.shape[1]), dtype=np.float32), 0
        for part in parts:
            kept = self.raw[part][:, : self.shape[1]]
            made[done : done + len(kept)] = kept / lengths(kept) if self.normalise else kept
            done += len(kept)
        return made

    def held(self) -> Vectors:
        """All of them in memory; where they lie on disk just as they are wanted, mapped."""
        as_they_are = self.raw.whole() if isinstance(self.raw, StoredRows) else None
        if as_they_are is not None and self.shape == self.raw.shape and not self.normalise:
            return as_they_are
        return changed(self, lambda block: block)


def lengths(vectors: Vectors) -> NDArray[np.float64]:
    """The length of each vector [rows, 1]; 1 for a vector of zeros."""
    norms: NDArray[np.float64] = np.sqrt(
        np.square(vectors, dtype=np.float64).sum(axis=1, keepdims=True)
    )
    norms[norms == 0] = 1.0
    return norms


def changed(vectors: AnyVectors, change: Callable[[Vectors], Vectors]) -> Vectors:
    """What `change` makes of every block [rows, width], of the same shape, held in memory."""
    made = np.empty(vectors.shape, dtype=np.float32)
    for start, block in blocks(vectors):
        made[start : start + len(block)] = change(block)
    return made
