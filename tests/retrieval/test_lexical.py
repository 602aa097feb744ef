"""BM25: shared words rank, other documents are not retrieved."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_corpus import built_in, top

from labelkit.errors import CandidateError
from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Candidate

BM25 = built_in("bm25")


def ask(text: str) -> list[Query]:
    """One query."""
    return [Query("q", text, QuerySource.LOG)]


def test_stems_meet_and_the_rarer_word_wins(cache: Path) -> None:
    """'writing rows' finds 'Write rows'; a document without any word does not come back."""
    hits = top(BM25, cache, queries=ask("writing rows of numbers")).hits["q"]
    assert [hit.doc_id for hit in hits] == ["csv.writer", "time.sleep", "math.sqrt"]


@pytest.mark.parametrize("text", ["", "   ", "the of a", "zzzz qqqq", "€ – …"])
def test_a_query_without_a_known_word_retrieves_nothing(cache: Path, text: str) -> None:
    """No arbitrary documents in place of an answer."""
    assert top(BM25, cache, queries=ask(text)).hits["q"] == []


def test_a_corpus_without_a_word_retrieves_nothing(cache: Path) -> None:
    """Empty documents are no error."""
    documents = [Document("a", "", ""), Document("b", "", "of the")]
    assert top(BM25, cache, documents, ask("anything")).hits["q"] == []


def test_equal_documents_are_ordered_by_id_descending(cache: Path) -> None:
    """As trec_eval settles ties."""
    documents = [Document(name, "", "same words here") for name in ("a", "c", "b")]
    hits = top(BM25, cache, documents, ask("words")).hits["q"]
    assert [hit.doc_id for hit in hits] == ["c", "b", "a"]


def test_the_title_counts(cache: Path) -> None:
    """A word that stands in the title only is found."""
    documents = [Document("a", "quaternion", "text"), Document("b", "other", "text")]
    assert [hit.doc_id for hit in top(BM25, cache, documents, ask("quaternion")).hits["q"]] == ["a"]


def test_an_unknown_language_names_those_there_are(cache: Path) -> None:
    """The candidate fails with what to write instead."""
    with pytest.raises(CandidateError, match=r"candidate 'x'.*'latin'.*english"):
        top(Candidate("x", "bm25", language="latin"), cache)


def test_nothing_is_printed(cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No progress bars of other libraries."""
    top(BM25, cache)
    assert capfd.readouterr() == ("", "")
