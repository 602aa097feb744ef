"""Reduced precision: what is kept of each number, and how near the result stays to its parent.

Reduced vectors are held as float32 numbers of the same value, so one exact search serves every
precision; `stored_bytes` says what an index that stores them as such would take.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.chunking import ChunkTable
from labelkit.retrieval.lazy_vectors import AnyVectors, blocks, changed
from labelkit.retrieval.search import ExactIndex, Vectors, build_index, search_rows

BYTES = {"float32": 4.0, "float16": 2.0, "int8": 1.0, "binary": 0.125, "binary+rescore": 4.125}
"""Per dimension; rescoring needs the float32 vectors as well."""
NEIGHBOURS = 10


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


def reduce(vectors: AnyVectors, precision: str) -> Vectors:
    """`vectors` [rows, dimensions] as `precision` keeps them, as float32 numbers.

    int8 has one symmetric scale for all dimensions, the largest absolute value over 127, so an
    integer product ranks as the float one up to rounding; ranges per dimension, as
    sentence-transformers takes them, would be another scoring function. The scale is undone.
    binary keeps the signs (zero counts as negative): its product is dimensions - 2 × Hamming.
    Vectors on disk are read block by block, so that the reduced ones alone are held.
    """
    if precision == "float16":
        return changed(vectors, lambda block: block.astype(np.float16).astype(np.float32))
    if precision == "int8":
        scale = int8_scale(vectors)
        return changed(vectors, lambda block: np.rint(block / scale).astype(np.float32) * scale)
    if precision.startswith("binary"):
        return changed(vectors, lambda block: np.where(block > 0, np.float32(1), np.float32(-1)))
    return vectors if isinstance(vectors, np.ndarray) else changed(vectors, lambda block: block)


def int8_scale(vectors: AnyVectors) -> np.float32:
    """One step of int8: the largest absolute value of all vectors over 127."""
    largest = max((np.abs(block).max(initial=0.0) for _, block in blocks(vectors)), default=0.0)
    return np.float32(largest / 127 or 1.0)


def reduce_queries(vectors: Vectors, precision: str) -> Vectors:
    """`vectors` [queries, dimensions] as `precision` keeps them, each query by itself.

    So a query ranks alone as it does in a batch; its scale changes no ranking.
    """
    reduced = [reduce(vectors[row : row + 1], precision) for row in range(len(vectors))]
    return np.concatenate(reduced) if reduced else vectors


def stored_bytes(rows: int, dimensions: int, precision: str) -> int:
    """Bytes of an index that stores `rows` vectors at this precision."""
    return int(np.ceil(rows * dimensions * BYTES[precision]))


def fidelity(
    parents: AnyVectors, reduced: AnyVectors, queries: Vectors, precision: str
) -> Fidelity:
    """Hold reduced document vectors against their parents [rows, dimensions], both read block
    by block where they are on disk.

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
    parents: AnyVectors, reduced: AnyVectors
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """1 - cosine and reduced over parent norm, per row; rows of zeros are left out."""
    errors, ratios = [], []
    for start, block in blocks(parents):
        a = block.astype(np.float64)
        b = reduced[start : start + len(block)].astype(np.float64)
        norms = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
        some = (norms[0] > 0) & (norms[1] > 0)
        products = np.einsum("ij,ij->i", a, b)[some] / (norms[0] * norms[1])[some]
        errors.append(1 - products)
        ratios.append((norms[1] / np.where(norms[0] > 0, norms[0], 1.0))[some])
    empty = [np.empty(0)]
    return np.concatenate(errors or empty), np.concatenate(ratios or empty)


def neighbours_kept(
    parents: AnyVectors, reduced: AnyVectors, queries: Vectors, reduced_queries: Vectors
) -> float:
    """The mean share of each query's nearest chunks that reduced vectors find as well."""
    count = min(NEIGHBOURS, len(parents))
    if not count or not len(queries):
        return 1.0
    both = nearest(parents, queries, count), nearest(reduced, reduced_queries, count)
    kept = [len(np.intersect1d(a, b)) for a, b in zip(*both, strict=True)]
    return float(np.mean(kept) / count)


def nearest(vectors: AnyVectors, queries: Vectors, count: int) -> list[NDArray[np.int64]]:
    """For each query the `count` rows with the largest product, in float64; of equal ones the
    first. This is the exact search over documents of one chunk each, named in falling order."""
    places = np.arange(len(vectors))
    alone = ChunkTable(("",) * len(places), (), places, places, places, places[::-1])
    return [rows for rows, _ in search_rows(streamed_index(vectors), queries, alone, count)]


def streamed_index(vectors: AnyVectors) -> ExactIndex:
    """An exact index that reads its vectors block by block, at each search, where they are on
    disk: the search takes blocks and rows of them and no more."""
    if isinstance(vectors, np.ndarray):
        return build_index(vectors)
    norms = [build_index(block).largest_norm for _, block in blocks(vectors)]
    return ExactIndex(cast(Vectors, vectors), max(norms, default=1.0))
