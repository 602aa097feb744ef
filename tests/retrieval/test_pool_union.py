"""The pool is the union of what the retrievers rank high, and where each pair came from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_corpus import DOCUMENTS, QUERIES, built_in

from labelkit.errors import InputError
from labelkit.model import QuerySource
from labelkit.retrieval import SOURCE_DOCUMENT, Hit, PooledPair, pool
from labelkit.retrieval.pooling import contribution

TWO = [built_in("bm25"), built_in("wordllama")]


def test_every_retrievers_top_is_in_the_pool_with_its_rank(cache: Path) -> None:
    """Two retrievers, two documents each; BM25 has only one that shares a word."""
    found = pool(DOCUMENTS, QUERIES[2:], TWO, 2, cache)
    assert found[0] == PooledPair("q3", "math.sqrt", "bm25", 1)
    assert [(pair.retriever, pair.rank) for pair in found] == [
        ("bm25", 1),
        ("bm25", 2),
        ("wordllama", 1),
        ("wordllama", 2),
    ]


def test_a_synthetic_query_brings_its_own_document(cache: Path) -> None:
    """Even when no retriever finds it: whether it answers is for a human to say."""
    drafted = replace(QUERIES[2], source=QuerySource.SYNTHETIC, source_doc_id="socket.bind")
    found = pool(DOCUMENTS, [drafted], TWO, 1, cache)
    assert PooledPair("q3", "socket.bind", SOURCE_DOCUMENT, 0) in found
    logged = replace(drafted, source=QuerySource.LOG)
    assert not [p for p in pool(DOCUMENTS, [logged], TWO, 1, cache) if p.rank == 0]


def test_a_source_document_that_is_gone_is_named(cache: Path) -> None:
    """The pool cannot hold a pair with a document that is not there."""
    drafted = replace(QUERIES[2], source=QuerySource.SYNTHETIC, source_doc_id="gone")
    with pytest.raises(InputError, match="'gone'"):
        pool(DOCUMENTS, [drafted], TWO, 1, cache)


def test_two_retrievers_of_one_name_are_refused(cache: Path) -> None:
    """Their ranks could not be told apart."""
    with pytest.raises(InputError, match="share a name"):
        pool(DOCUMENTS, QUERIES, [TWO[0], TWO[0]], 1, cache)


def test_what_rounding_could_lift_into_the_pool_is_pooled() -> None:
    """A near-tie with the last rank stays, an exact tie is settled by id on every machine."""
    scores = [("a", 0.9), ("b", 0.5), ("c", 0.5), ("d", 0.5 - 1e-7), ("e", 0.4)]
    hits = [Hit(name, score, 0, 1) for name, score in scores]
    assert [pair.doc_id for pair in contribution("q", "r", hits, 2)] == ["a", "b", "d"]
    assert contribution("q", "r", [], 2) == []
