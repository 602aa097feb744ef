"""Reduced precision: what is kept of each number, and how near the result stays to its parent.

Reduced vectors are held as float32 numbers of the same value, so one exact search serves every
precision; `stored_bytes` says what an index that stores them as such would take.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.search import Vectors

BYTES = {"float32": 4.0, "float16": 2.0, "int8": 1.0, "binary": 0.125, "binary+rescore": 4.125}
"""Per dimension; rescoring needs the float32 vectors as well."""
NEIGHBOURS = 10
BLOCK = 65_536


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How far reduced document vectors are from their float32 parents, vector by vector.

    `cosine_error_mean` and `_max` are 1 - cosine; `norm_ratio_min` and `_max` reduced by parent
    norm (NaN-free; for sign bits the norm has no meaning and is None). `neighbours_kept` is the
    mean share of each query's nearest `NEIGHBOURS` chunks that stay among them.
    """

    cosine_error_mean: float
    cosine_error_max: float
    norm_ratio_min: float | None
    norm_ratio_max: float | None
    neighbours_kept: float

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return asdict(self)


def reduce(vectors: Vectors, precision: str) -> Vectors:
    """`vectors` [rows, dimensions] as `precision` keeps them, as float32 numbers.

    int8 has one symmetric scale for all dimensions, the largest absolute value over 127, so an
    integer product ranks as the float one up to rounding; ranges per dimension, as
    sentence-transformers takes them, would be another scoring function. The scale is undone.
    binary keeps the signs (zero counts as negative): its product is dimensions - 2 × Hamming.
    """
    if precision == "float16":
        return vectors.astype(np.float16).astype(np.float32)
    if precision == "int8":
        scale = np.float32(np.abs(vectors).max(initial=0.0) / 127 or 1.0)
        return np.rint(vectors / scale).astype(np.float32) * scale
    if precision.startswith("binary"):
        return np.where(vectors > 0, np.float32(1), np.float32(-1))
    return vectors


def reduce_queries(vectors: Vectors, precision: str) -> Vectors:
    """`vectors` [queries, dimensions] as `precision` keeps them, each query by itself.

    So a query ranks alone as it does in a batch; its scale changes no ranking.
    """
    reduced = [reduce(vectors[row : row + 1], precision) for row in range(len(vectors))]
    return np.concatenate(reduced) if reduced else vectors


def stored_bytes(rows: int, dimensions: int, precision: str) -> int:
    """Bytes of an index that stores `rows` vectors at this precision."""
    return int(np.ceil(rows * dimensions * BYTES[precision]))


def fidelity(parents: Vectors, reduced: Vectors, queries: Vectors, precision: str) -> Fidelity:
    """Hold reduced document vectors against their parents [rows, dimensions].

    `queries` are float32 parents as well and are reduced in the same way for the neighbours.
    """
    errors, ratios = cosine_errors(parents, reduced)
    signs = precision.startswith("binary")
    kept = neighbours_kept(parents, reduced, queries, reduce_queries(queries, precision))
    return Fidelity(
        cosine_error_mean=float(errors.mean()) if len(errors) else 0.0,
        cosine_error_max=float(errors.max(initial=0.0)),
        norm_ratio_min=None if signs or not len(ratios) else float(ratios.min()),
        norm_ratio_max=None if signs or not len(ratios) else float(ratios.max()),
        neighbours_kept=kept,
    )


def cosine_errors(
    parents: Vectors, reduced: Vectors
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """1 - cosine and reduced over parent norm, per row; rows of zeros are left out."""
    errors, ratios = [], []
    for start in range(0, len(parents), BLOCK):
        a = parents[start : start + BLOCK].astype(np.float64)
        b = reduced[start : start + BLOCK].astype(np.float64)
        norms = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
        some = (norms[0] > 0) & (norms[1] > 0)
        products = np.einsum("ij,ij->i", a, b)[some] / (norms[0] * norms[1])[some]
        errors.append(1 - products)
        ratios.append((norms[1] / np.where(norms[0] > 0, norms[0], 1.0))[some])
    empty = [np.empty(0)]
    return np.concatenate(errors or empty), np.concatenate(ratios or empty)


def neighbours_kept(
    parents: Vectors, reduced: Vectors, queries: Vectors, reduced_queries: Vectors
) -> float:
    """The mean share of each query's nearest chunks that reduced vectors find as well."""
    count = min(NEIGHBOURS, len(parents))
    if not count or not len(queries):
        return 1.0
    kept = [
        len(np.intersect1d(nearest(parents, a, count), nearest(reduced, b, count)))
        for a, b in zip(queries, reduced_queries, strict=True)
    ]
    return float(np.mean(kept) / count)


def nearest(vectors: Vectors, query: Vectors, count: int) -> NDArray[np.int64]:
    """The `count` rows with the largest product with `query`; of equal ones the first."""
    scores = vectors @ query
    order: NDArray[np.int64] = np.lexsort((np.arange(len(scores)), -scores))[:count]
    return order
