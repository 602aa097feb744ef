"""What a preflight finds, as values, and the arithmetic on its sample of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.chunking import keys_of
from labelkit.retrieval.embed import first_of_each
from labelkit.retrieval.search import Vectors


@dataclass(frozen=True, slots=True)
class Side:
    """What one side's texts are: how many, empty, not yet encoded, and the prompt before each."""

    prompt: str
    texts: int
    empty: int
    to_encode: int


@dataclass(frozen=True, slots=True)
class Preflight:
    """What is known of one candidate before it runs.

    `problems` stop it; `notes` do not. Shares are of the counted texts; None where nobody knows.
    `norms` are the least and the largest length of the sample's raw vectors; `order_gap` and
    `batch_gap` how far vectors of length 1 moved in one place when their texts were encoded in
    another order, or one at a time. `seconds`, `cost` (money), `memory_bytes` and `disk_bytes`
    are estimates for what is not in the cache yet.
    """

    candidate: str
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    documents: Side | None = None
    queries: Side | None = None
    truncated_share: float | None = None
    lost_token_share: float | None = None
    dimensions: int | None = None
    dtype: str = ""
    norms: tuple[float, float] | None = None
    zero_vectors: int = 0
    duplicate_vectors: int = 0
    order_gap: float | None = None
    batch_gap: float | None = None
    seconds: float | None = None
    cost: float | None = None
    memory_bytes: int | None = None
    disk_bytes: int | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing was found that stops the candidate."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return asdict(self)


def spread(texts: Sequence[str], count: int) -> list[str]:
    """`count` of the texts, from the shortest to the longest in even steps; no two the same."""
    distinct = first_of_each(keys_of(texts), np.ones(len(texts), dtype=bool))
    lengths = np.array([len(texts[place]) for place in distinct], dtype=np.int64)
    by_length = distinct[np.argsort(lengths, kind="stable")]
    if len(distinct) > count:
        by_length = by_length[np.linspace(0, len(distinct) - 1, count).round().astype(int)]
    return [texts[place] for place in by_length]


def norms(vectors: Vectors) -> tuple[float, float] | None:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    some = lengths[np.isfinite(lengths) & (lengths > 0)]
    return (float(some.min()), float(some.max())) if len(some) else None


def doubles(texts: Sequence[str], vectors: Vectors) -> int:
    """How many vectors equal that of another, different text; zeros are not counted."""
    held = {vector.tobytes() for vector in vectors if vector.any()}
    return int(vectors.any(axis=1).sum()) - len(held)


def gap(one: Vectors, other: Vectors) -> float | None:
    """The largest difference in one place between vectors that are brought to length 1; None
    where a vector is not finite."""
    moved = float(np.abs(unit(one) - unit(other)).max(initial=0.0))
    return moved if isfinite(moved) else None


def unit(vectors: Vectors) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    brought: NDArray[np.float64] = wide / np.where(norms == 0, 1.0, norms)
    return brought
