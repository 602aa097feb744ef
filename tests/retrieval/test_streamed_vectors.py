"""Vectors that are read block by block: the same bits as in memory, and in memory once at most."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_corpus import built_in, top

from labelkit.retrieval import Candidate, approximate
from labelkit.retrieval.candidates import PRECISIONS, Index
from labelkit.retrieval.lazy_vectors import Derived, StoredRows
from labelkit.retrieval.precision import fidelity, nearest, reduce

ROWS, WIDTH = 20_000, 24
VECTORS = np.random.default_rng(0).standard_normal((ROWS, WIDTH)).astype(np.float32)
VECTORS[5] = 0.0
ORDER = np.random.default_rng(1).permutation(ROWS)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors in a file."""
    path = tmp_path_factory.mktemp("stored") / "vectors.npy"
    np.save(path, VECTORS)
    return path


@pytest.mark.parametrize("dimensions", [None, 16])
@pytest.mark.parametrize("normalise", [True, False])
def test_a_derived_row_has_the_same_bits_however_it_is_read(
    stored: Path, dimensions: int | None, normalise: bool
) -> None:
    """Whole, in a block, by number, and from a file in another order."""
    whole = Derived(VECTORS, dimensions, normalise).held()
    for raw in (VECTORS, StoredRows(stored)):
        derived = Derived(raw, dimensions, normalise)
        np.testing.assert_array_equal(derived.held(), whole)
        np.testing.assert_array_equal(derived[8190:8195], whole[8190:8195])
        np.testing.assert_array_equal(derived[ORDER[:9000]], whole[ORDER[:9000]])
        np.testing.assert_array_equal(derived[ORDER[:1]], whole[ORDER[:1]])
    moved = Derived(StoredRows(stored, ORDER), dimensions, normalise)
    np.testing.assert_array_equal(moved[3:9], whole[ORDER[3:9]])
    assert not whole[5].any()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_precision_from_disk_is_the_one_from_memory(stored: Path, precision: str) -> None:
    """And it is held against its parents with the same figures."""
    here, queries = Derived(VECTORS, 16, True).held(), Derived(VECTORS[:20], 16, True).held()
    there = Derived(StoredRows(stored), 16, True)
    reduced = reduce(there, precision)
    np.testing.assert_array_equal(reduced, reduce(here, precision))
    found = fidelity(there, reduced, queries, precision)
    assert found == fidelity(here, reduced, queries, precision)
    assert precision != "float32" or found.neighbours_kept == 1.0


def test_reducing_holds_nothing_but_the_reduced_vectors(stored: Path) -> None:
    """Nor does the check against the parents."""
    parents, queries = Derived(StoredRows(stored), None, True), VECTORS[:5]
    parents[:10]  # whatever has to be imported
    tracemalloc.start()
    reduced = reduce(parents, "int8")
    after_reducing = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert after_reducing < reduced.nbytes + 4 * 8192 * WIDTH * 8
    assert fidelity(parents, reduced, queries, "int8").neighbours_kept > 0.5


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_corpus_without_documents_finds_nothing(precision: str, tmp_path: Path) -> None:
    """At any precision, and says so rather than failing."""
    candidate = replace(built_in("wordllama"), precision=precision)
    assert not any(top(candidate, tmp_path, documents=[]).hits.values())


def test_neighbours_are_those_of_the_exact_product_and_of_equal_ones_the_first(
    stored: Path,
) -> None:
    """Signs give many equal products, blocks or not."""
    for vectors in (reduce(VECTORS, "binary"), VECTORS):
        products = vectors.astype(np.float64) @ vectors[:6].T.astype(np.float64)
        wanted = [np.argsort(-column.round(9), kind="stable")[:10] for column in products.T]
        np.testing.assert_array_equal(nearest(vectors, vectors[:6], 10), wanted)
    streamed = nearest(StoredRows(stored), VECTORS[:6], 10)
    np.testing.assert_array_equal(streamed, nearest(VECTORS, VECTORS[:6], 10))


@pytest.mark.parametrize(
    "index", [Index("ivf", lists=2), Index("ivf"), Index("hnsw", build_breadth=40)]
)
def test_an_index_built_from_blocks_is_the_one_that_faiss_builds_of_all(
    stored: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last byte, training sample included (512 of 2,000 for two lists); an HNSW graph as
    long as it is one block. What it holds is read back as it was given."""
    few = VECTORS[:2000]
    if index.kind == "ivf":
        monkeypatch.setattr(approximate, "ADDED", 300)
    candidate = Candidate("near", "static", model="wordllama", index=index)
    built = approximate.build_approximate(candidate, StoredRows(stored, np.arange(2000)))
    np.testing.assert_array_equal(built.index.reconstruct_batch(np.arange(0, 2000, 7)), few[::7])
    assert built.bytes == len(_as_faiss_would(index, few))
    if index.kind == "ivf":
        built.index.set_direct_map_type(0)
    assert _bytes_of(built.index) == _as_faiss_would(index, few)


def _as_faiss_would(index: Index, vectors: np.ndarray) -> bytes:
    import faiss

    width, product = vectors.shape[1], faiss.METRIC_INNER_PRODUCT
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    if index.kind == "hnsw":
        made = faiss.IndexHNSWFlat(width, index.links, product)
        made.hnsw.efConstruction, made.hnsw.efSearch = index.build_breadth, index.search_breadth
    else:
        lists = index.lists or int(np.sqrt(len(vectors)))
        made = faiss.IndexIVFFlat(faiss.IndexFlatIP(width), width, lists, product)
        made.nprobe = min(index.probes, lists)
        made.train(vectors)
    made.add(vectors)
    faiss.omp_set_num_threads(threads)
    return _bytes_of(made)


def _bytes_of(index: object) -> bytes:
    import faiss

    return faiss.serialize_index(index).tobytes()
