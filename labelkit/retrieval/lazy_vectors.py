"""Vectors that are read block by block, so that they are in memory once at most."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.shards import Vectors

BLOCK = 8192
"""Rows read at a time."""


class LazyVectors(ABC):
    """Vectors [rows, width] on disk; a slice of them is an array in memory."""

    shape: tuple[int, int]

    @abstractmethod
    def read(self, start: int, end: int) -> Vectors:
        """The rows `[start, end)`."""

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Vectors:
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

    def whole(self) -> Vectors | None:
        """All rows as they lie in the file, memory-mapped; None where they lie otherwise."""
        return self._mapped() if self.straight else None


def blocks(vectors: AnyVectors, rows: int = BLOCK) -> Iterator[tuple[int, Vectors]]:
    """The vectors by blocks of at most `rows`, each with the number of its first row."""
    for start in range(0, len(vectors), rows):
        yield start, vectors[start : start + rows]
