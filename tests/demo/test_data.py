"""The demo's queries, drafts and rubric keep what the README promises about them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from labelkit.demo.harvest import harvest
from labelkit.model import Document, QuerySource
from labelkit.rubric import parse_rubric

DATA = Path(__file__).parents[2] / "data" / "demo"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def queries() -> list[dict[str, Any]]:
    return rows("queries.jsonl")


@pytest.fixture(scope="module")
def judged(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [query for query in queries if query["judge"]]


@pytest.fixture(scope="module")
def drafts() -> list[dict[str, Any]]:
    return rows("drafts.jsonl")


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the demo's document ids are those of Python 3.11; drift.py reports on others")
    return {document.doc_id: document for document in harvest()}


def tagged(queries: list[dict[str, Any]], tag: str) -> int:
    return sum(tag in query["tags"] for query in queries)


def test_every_query_has_every_field(queries: list[dict[str, Any]]) -> None:
    fields = {
        *("query_id", "text", "source", "turns", "information_need", "tags", "source_doc_id"),
        *("language", "judge", "answerable", "provenance"),
    }
    for number, query in enumerate(queries, start=1):
        assert set(query) == fields
        assert query["query_id"] == f"q{number:03d}"
        assert query["text"] == query["text"].strip() != ""
        assert query["information_need"].endswith(".")
        assert (query["language"], query["provenance"]) == ("en", "demo")


def test_no_two_queries_ask_in_the_same_words(
    queries: list[dict[str, Any]], drafts: list[dict[str, Any]]
) -> None:
    texts = Counter(query["text"].casefold() for query in [*queries, *drafts])
    assert [text for text, count in texts.items() if count > 1] == []


def test_the_promised_numbers_of_queries(queries: list[dict[str, Any]]) -> None:
    sources = Counter(query["source"] for query in queries)
    assert len(queries) == 112
    assert set(sources) == {source.value for source in QuerySource}
    assert sources["synthetic"] >= 32
    assert tagged(queries, "follow-up") >= 16
    assert tagged(queries, "error-message") >= 10
    assert tagged(queries, "misspelled") >= 6
    assert sum(not query["answerable"] for query in queries) >= 6


def test_sixty_four_queries_of_all_kinds_are_judged(judged: list[dict[str, Any]]) -> None:
    def of(kind: str) -> int:
        own = [q for q in judged if q["source"] != "synthetic" and q["answerable"]]
        return tagged(own, kind)

    assert len(judged) == 64
    kinds = [of(kind) for kind in ("keyword", "question", "error-message", "follow-up")]
    assert kinds == [12, 14, 8, 10]
    assert sum(query["source"] == "synthetic" for query in judged) == 16
    assert sum(not query["answerable"] for query in judged) == 4
    assert tagged(judged, "misspelled") >= 3


def test_a_follow_up_has_earlier_turns_and_nothing_else_has(queries: list[dict[str, Any]]) -> None:
    for query in queries:
        follows = "follow-up" in query["tags"]
        assert bool(query["turns"]) is follows, query["query_id"]
        assert (query["source"] == "conversation") is follows, query["query_id"]
        roles = [turn["role"] for turn in query["turns"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2), query["query_id"]
        assert all(turn["text"] for turn in query["turns"])


def test_a_synthetic_query_has_a_harvested_source_document(
    queries: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    for query in queries:
        assert (query["source"] == "synthetic") is (query["source_doc_id"] is not None)
    missing = [q["query_id"] for q in queries if q["source_doc_id"] not in {None, *documents}]
    assert missing == []


def test_a_synthetic_query_does_not_name_its_document(queries: list[dict[str, Any]]) -> None:
    """Nobody who has not read the document would type its qualified name."""
    for query in queries:
        if query["source_doc_id"]:
            assert query["source_doc_id"].casefold() not in query["text"].casefold()


@pytest.mark.parametrize(
    ("number", "terms"),
    [
        ("q061", ("pandas", "dataframe")),
        ("q062", ("paginat", "rest framework")),
        ("q063", ("numpy", "operands could not be broadcast")),
        ("q064", ("xlsx", "openpyxl", "spreadsheet")),
        ("q109", ("jpeg", "thumbnail", "resize an")),
        ("q110", ("postgres", "connection pool")),
        ("q111", ("yaml",)),
    ],
)
def test_what_is_called_unanswerable_has_no_answer_here(
    queries: list[dict[str, Any]],
    documents: dict[str, Document],
    number: str,
    terms: tuple[str, ...],
) -> None:
    """No document speaks of the library or the thing asked for."""
    (query,) = [query for query in queries if query["query_id"] == number]
    assert not query["answerable"]
    speaking = [
        document.doc_id
        for document in documents.values()
        if any(term in document.text.casefold() for term in terms)
    ]
    assert speaking == []


def test_drafts_wait_with_their_documents(
    drafts: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    assert len(drafts) >= 32
    for number, draft in enumerate(drafts, start=1):
        assert draft["draft_id"] == f"d{number:02d}"
        assert draft["state"] == "draft"
        assert "language model" in draft["drafted_by"]
        assert draft["source_doc_id"] in documents
        assert set(draft) == {
            *("draft_id", "text", "source_doc_id", "tags", "information_need", "language"),
            *("state", "drafted_by", "provenance"),
        }


def test_some_drafts_are_lifted_from_their_documents(
    drafts: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    """The review has something to find; most drafts are in words of their own."""
    lifted = [
        draft["draft_id"]
        for draft in drafts
        if draft["text"].casefold() in documents[draft["source_doc_id"]].text.casefold()
    ]
    assert 2 <= len(lifted) <= 5


def test_the_rubric_parses_and_its_examples_exist(documents: dict[str, Document]) -> None:
    body = json.loads((DATA / "rubric.json").read_text(encoding="utf-8"))
    rubric = parse_rubric(body, version=1)
    boundaries = Counter(example.boundary for example in rubric.examples)
    assert 5 <= len(rubric.rules) <= 7
    assert boundaries["0/1"] >= 2
    assert boundaries["1/2"] >= 2
    assert {example.doc_id for example in rubric.examples} <= set(documents)


def test_the_rubrics_examples_are_not_among_the_judged_queries(
    judged: list[dict[str, Any]],
) -> None:
    body = json.loads((DATA / "rubric.json").read_text(encoding="utf-8"))
    texts = {query["text"] for query in judged}
    assert [one for one in body["examples"] if one["query"] in texts] == []


def test_hand_found_documents_belong_to_judged_queries(
    judged: list[dict[str, Any]], documents: dict[str, Document]
) -> None:
    """Documents that their query's author knew of and that no retriever ranked in its top 10."""
    pairs = [(row["query_id"], row["doc_id"]) for row in rows("hand_found.jsonl")]
    assert len(pairs) == len(set(pairs)) >= 20
    assert {query_id for query_id, _ in pairs} <= {query["query_id"] for query in judged}
    assert {doc_id for _, doc_id in pairs} <= set(documents)
