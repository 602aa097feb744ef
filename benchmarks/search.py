"""Exact search against the bare matrix product, and one query against reading the vectors once.

Usage: python benchmarks/search.py [--rows 100000 1000000]. 200 queries, 384 dimensions, top 100
of distinct documents with scores in float64. The witnesses: `np.matmul(vectors, queries.T)` into
a ready output for a batch; `vectors @ query`, which reads all vectors once, for a single query.
"With hits": rows and scores made Python objects with ids and offsets, 20,000 of them.
Medians of turns in one run; a million rows take 1.5 GB and their products 0.8 GB.
"""

from __future__ import annotations

import argparse

import numpy as np
from floors import Figure, extra_megabytes, in_turns, verdict
from numpy.typing import NDArray

from labelkit.retrieval.chunking import ChunkTable, byte_ranks
from labelkit.retrieval.search import ExactIndex, build_index, search, search_rows

DIMENSIONS, QUERIES, K = 384, 200, 100
SLOWER, EXTRA_MB = 1.5, 100.0


def unit_vectors(rng: np.random.Generator, rows: int) -> NDArray[np.float32]:
    """Random vectors of length 1, [rows, DIMENSIONS]."""
    vectors = np.empty((rows, DIMENSIONS), dtype=np.float32)
    for start in range(0, rows, 50_000):
        block = rng.standard_normal(vectors[start : start + 50_000].shape, dtype=np.float32)
        vectors[start : start + 50_000] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return vectors


def one_chunk_each(count: int) -> ChunkTable:
    """Documents of one chunk each."""
    ids = tuple(f"d{number}" for number in range(count))
    rows, zeros = np.arange(count), np.zeros(count, dtype=np.int64)
    return ChunkTable(ids, list(ids), rows, zeros, zeros + 1, byte_ranks(ids))


def same_as_reference(index: ExactIndex, queries: NDArray[np.float32], chunks: ChunkTable) -> float:
    """Share of queries whose documents and order are those of a product in float64."""
    found = search_rows(index, queries, chunks, K)
    equal = 0
    for query, (rows, _) in zip(queries, found, strict=True):
        scores = np.concatenate(
            [
                index.vectors[start : start + 50_000].astype(np.float64) @ query.astype(np.float64)
                for start in range(0, len(chunks), 50_000)
            ]
        )
        top = np.argpartition(-scores, K)[:K]
        equal += np.array_equal(rows, top[np.argsort(-scores[top], kind="stable")])
    return equal / len(queries)


def measure(rows: int) -> tuple[list[Figure], dict[str, float]]:
    """The figures for one size."""
    rng = np.random.default_rng(0)
    vectors, queries = unit_vectors(rng, rows), unit_vectors(rng, QUERIES)
    chunks, index = one_chunk_each(rows), build_index(vectors)
    extra = extra_megabytes(lambda: search(index, queries, chunks, K))
    few, products = queries[:10], np.empty((rows, QUERIES), dtype=np.float32)
    seconds = in_turns(
        15 if rows <= 200_000 else 3,
        product=lambda: np.matmul(vectors, queries.T, out=products),
        search=lambda: search_rows(index, queries, chunks, K),
        with_hits=lambda: search(index, queries, chunks, K),
        read_once=lambda: [vectors @ query for query in few],
        one_by_one=lambda: [search(index, query[None, :], chunks, K) for query in few],
    )
    batch = search(index, few, chunks, K)
    alone = [search(index, query[None, :], chunks, K)[0] for query in few]
    at = f"at {rows:,}"
    print(f"with hits {at}, times the product: {seconds['with_hits'] / seconds['product']:.2f}")
    return [
        Figure(
            f"batch {at}, times the product", seconds["search"] / seconds["product"], SLOWER, False
        ),
        Figure(
            f"single query {at}, times reading the vectors once",
            seconds["one_by_one"] / seconds["read_once"],
            SLOWER,
            False,
        ),
        Figure(
            f"extra memory {at}, MB",
            extra,
            EXTRA_MB,
            False,
        ),
        Figure(
            f"order equal to float64 {at}, share of 20 queries",
            same_as_reference(index, queries[:20], chunks),
            1.0,
        ),
        Figure(f"alone as in a batch {at}", float(alone == batch), 1.0),
    ], {f"{name} {at}": took for name, took in seconds.items()}


def main() -> None:
    """Measure each size and judge them together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    figures: list[Figure] = []
    seconds: dict[str, float] = {}
    for rows in parser.parse_args().rows:
        more, took = measure(rows)
        figures, seconds = figures + more, seconds | took
    verdict("search", figures, seconds)


if __name__ == "__main__":
    main()
