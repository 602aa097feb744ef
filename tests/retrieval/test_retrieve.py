"""What is sent, what comes back, and what it took."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_corpus import DOCUMENTS, QUERIES, built_in, top

from labelkit.errors import InputError
from labelkit.model import Document, Query, QuerySource, Turn
from labelkit.retrieval import Chunking, query_text, retrieve

FOLLOW_UP = Query(
    "f",
    "and in CSV?",
    QuerySource.CONVERSATION,
    turns=(Turn("user", "how do I write JSON"), Turn("assistant", "use json.dump")),
)


def test_a_follow_up_is_sent_verbatim_unless_the_candidate_says_otherwise() -> None:
    """How turns are used is a decision of the candidate, not of the tool."""
    assert query_text(FOLLOW_UP, "ignore") == "and in CSV?"
    prepended = query_text(FOLLOW_UP, "prepend")
    assert prepended == "how do I write JSON\nuse json.dump\nand in CSV?"


def test_the_winning_chunk_is_the_passage_that_answers(cache: Path) -> None:
    """A long document scores by its best window, and the offsets give its text."""
    filler = "This paragraph speaks of weather, gardens and the seasons. " * 6
    answer = "To take the square root of a number call sqrt. "
    documents = [Document("long", "", filler + answer + filler), *DOCUMENTS[:2]]
    candidate = replace(built_in("wordllama"), chunking=Chunking("windows", 120, 60))
    (best, *_) = top(candidate, cache, documents, QUERIES[2:]).hits["q3"]
    assert best.doc_id == "long"
    assert "square root" in documents[0].text[best.chunk_start : best.chunk_end]
    assert best.chunk_end - best.chunk_start == 120


@pytest.mark.parametrize("name", ["bm25", "wordllama"])
def test_what_it_took_is_reported(name: str, cache: Path) -> None:
    """Times per query with encoding and search apart, sizes, and an identity."""
    found = top(built_in(name), cache)
    assert found.encode_ms.shape == found.search_ms.shape == (3,)
    assert (found.encode_ms > 0).all()
    assert (found.search_ms > 0).all()
    assert found.chunks == 4
    assert found.index_bytes == (4 * 256 * 4 if name == "wordllama" else found.index_bytes)
    assert found.index_bytes > 0
    assert len(found.fingerprint) == 64
    assert found.description["candidate"]["chunking"]["scheme"] == "document"


def test_a_name_does_not_change_the_fingerprint_and_a_field_does(cache: Path) -> None:
    """The identity is what decides the scores."""
    plain = top(built_in("bm25"), cache).fingerprint
    assert top(replace(built_in("bm25"), name="other"), cache).fingerprint == plain
    assert top(replace(built_in("bm25"), b=0.3), cache).fingerprint != plain


def test_the_order_of_documents_and_queries_does_not_matter(cache: Path) -> None:
    """The same hits from reversed input."""
    for name in ("bm25", "wordllama"):
        forward = top(built_in(name), cache).hits
        assert top(built_in(name), cache, DOCUMENTS[::-1], QUERIES[::-1]).hits == forward


def test_progress_ends_at_the_total(cache: Path) -> None:
    """Whoever watches sees every step finish."""
    seen: list[tuple[int, int, str]] = []
    retrieve(built_in("wordllama"), DOCUMENTS, QUERIES, 4, cache, lambda *step: seen.append(step))
    assert seen[-1] == (3, 3, "searching")
    assert all(done <= total for done, total, _ in seen)


def test_no_documents_and_no_queries_give_empty_answers(tmp_path: Path) -> None:
    """Nothing to find is no error."""
    for name in ("bm25", "wordllama"):
        assert top(built_in(name), tmp_path, [], QUERIES).hits == {"q1": [], "q2": [], "q3": []}
        assert top(built_in(name), tmp_path, DOCUMENTS, []).hits == {}


def test_wrong_requests_are_refused(cache: Path) -> None:
    """A depth of nothing, a query twice."""
    with pytest.raises(InputError, match="depth"):
        top(built_in("bm25"), cache, depth=0)
    with pytest.raises(InputError, match="'q1' occurs twice"):
        top(built_in("bm25"), cache, queries=[QUERIES[0], QUERIES[0]])


def test_scores_are_float64_products_of_unit_vectors(cache: Path) -> None:
    """A document asked for by its own words scores close to 1."""
    query = [Query("self", "math.sqrt\nReturn the square root of a number.", QuerySource.LOG)]
    best = top(built_in("wordllama"), cache, queries=query).hits["self"][0]
    assert best.doc_id == "math.sqrt"
    assert best.score == pytest.approx(1.0, abs=1e-6)
    assert float(np.float32(best.score)) != best.score
