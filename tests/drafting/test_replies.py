"""What a model answered is recovered, and what cannot be recovered is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.drafting.replies import LABEL_ALONE, PLACEHOLDER, Drafted, read

# Written down by reading each file, before the parser: the queries that a person finds in it, and
# a word of the failure that has to be stated ("" where nothing is missing). A field is a query's
# where its name says so (question, query); in files 13 to 18 no field does.
EXPECTED = {
    "01_fence_json.txt": (["Test?"], ""),
    "02_trailing_comma_array.txt": (["Q1?", "Q2?"], ""),
    "03_prose_around.txt": (["What is Python?"], ""),
    "04_single_quotes.txt": (["What is Python?"], ""),
    "05_single_object.txt": (["Single?"], ""),
    "06_concatenated_objects.txt": (["Q1?", "Q2?"], ""),
    "07_mixed_types.txt": (["Valid?"], "42"),
    "08_empty_question.txt": (["Valid?", "No answer?"], "empty"),
    "09_loose_pairs.txt": (["Fallback?"], ""),
    "10_not_json.txt": ([], "no query"),
    "11_empty_array.txt": ([], "empty list"),
    "12_nested_braces_in_string.txt": (["Q?"], ""),
    "13_two_fences_with_text.txt": ([], "'key'"),
    "14_unescaped_inner_quotes.txt": ([], "'foo', 'tag'"),
    "15_truncated.txt": ([], "cut off"),
    "16_numbered_prose_then_fence.txt": ([], "'key'"),
    "17_missing_value.txt": ([], "'key', 'key2', 'key3'"),
    "18_trailing_text.txt": ([], "'text'"),
    "19_thinking_then_array.txt": ([], "empty list"),
    "20_thinking_then_fence.txt": ([], "empty list"),
}


def texts(reply: str) -> list[str]:
    """The queries of a reply."""
    return [draft.text for draft in read(reply).drafts]


@pytest.mark.parametrize("name", EXPECTED)
def test_public_reply_gives_the_queries_a_reader_finds(name: str, shared_data: Path) -> None:
    """Each file of llm_replies: its queries in order, and the rest as a stated failure."""
    reading = read((shared_data / "llm_replies" / name).read_text(encoding="utf-8"))
    wanted, failure = EXPECTED[name]
    assert [draft.text for draft in reading.drafts] == wanted
    assert failure in " ".join(reading.problems)
    assert bool(reading.problems) == bool(failure)


def test_table_names_every_public_reply(shared_data: Path) -> None:
    """No file is left out of the table above."""
    files = {path.name for path in (shared_data / "llm_replies").glob("*.txt")}
    assert files == set(EXPECTED)


RECORDED = Path(__file__).parent / "replies"


@pytest.mark.parametrize(
    "case",
    [
        json.loads(line)
        for line in (RECORDED / "expected.jsonl").read_text(encoding="utf-8").splitlines()
    ],
    ids=lambda case: case["file"],
)
def test_recorded_reply_gives_the_queries_a_reader_finds(case: dict) -> None:
    """Replies that a small model gave us, and shapes that we wrote: see replies/README.md."""
    reading = read((RECORDED / case["file"]).read_text(encoding="utf-8"))
    assert [draft.text for draft in reading.drafts] == case["queries"]
    assert case["problem"] in " ".join(reading.problems)
    assert bool(reading.problems) == bool(case["problem"])


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ('{"queries": [{"query": "a b"}, {"query": "c d"}]}', ["a b", "c d"]),
        ('{"query": "a b", "query": "c d"}', ["a b", "c d"]),
        ('{"query1": "a b", "query 2": "c d"}', ["a b", "c d"]),
        ('{"query": ["a b", "c d"]}', ["a b", "c d"]),
        ('["a b", "c d"]', ["a b", "c d"]),
        ('[{"query": "a b"}]\n\n[{"query": "c d"}]', ["a b", "c d"]),
        ('draft: [{"query": "a b"}] final: [{"query": "a b"}, {"query": "c d"}]', ["a b", "c d"]),
        ('[{"query": "say "hi" to all"}, {"query": "c, d"}]', ['say "hi" to all', "c, d"]),
        ('[{"query": "he said "a", then b", "style": "x"}]', ['he said "a", then b']),
        ("[{'query': 'what's new'}, {'query': 'c d'}]", ["what's new", "c d"]),
        ("{query: 'a b', style: keywords}", ["a b"]),
        ('[{"query": "a b"} {"query": "c d"}]', ["a b", "c d"]),
        ('[{"query": "line\nbreak"}]', ["line break"]),
        ('[{"query": "a \\u00e9 \\"b\\""}]', ['a é "b"']),
        ('[{"query": "a \\d+ b"}]', ["a \\d+ b"]),
        ("“query”: “a b”", ["a b"]),
        ('[{"query": “a b”}]', ["a b"]),
        ("<think>maybe [{'query': 'no'}]</think>[{\"query\": \"a b\"}]", ["a b"]),
        ('first I consider {"query": "no"}</think>\n{"query": "a b"}', ["a b"]),
        ('[{"query": "a b"}, // one\n {"query": "c d"}]', ["a b", "c d"]),
        ('{"keywords": "a b", "question": "how a?"}', ["a b", "how a?"]),
        ('[{"keywords": ["a b", "c d"]}]', ["a b", "c d"]),
        ('{"style": "question", "question": "how a?"}', ["how a?"]),
        ('query: "a b"\nquery: c d', ["a b", "c d"]),
        ("1. How do I a?\n2. How do I b?", ["How do I a?", "How do I b?"]),
        ('Here:\n- "a b"\n- **c d**', ["a b", "c d"]),
        ("1. Keywords: a b c\n2. Natural question: how a?", ["a b c", "how a?"]),
        ('\ufeff[{"query": "a b"}]', ["a b"]),
        ('[{"query": "a b",\n "style": "keywords\n}, {"query": "c d"}]', ["a b", "c d"]),
    ],
)
def test_shapes_that_models_give(reply: str, queries: list[str]) -> None:
    """One shape each, all of it recovered."""
    reading = read(reply)
    assert [draft.text for draft in reading.drafts] == queries


@pytest.mark.parametrize(
    ("reply", "queries", "failure"),
    [
        ("", [], "empty reply"),
        ("   \n", [], "empty reply"),
        ("I cannot help with that.", [], "no query"),
        ("<think>let me see [", [], "thinking"),
        ('[{"query": "a b"}, {"query": "how do I op', ["a b"], "cut off"),
        ('[{"query": "a b"}, {"query":', ["a b"], "no value"),
        ('[{"query": "a b"}, {"query": 7}]', ["a b"], "7"),
        ('[{"query": "a b"}, {"query": "..."}]', ["a b"], "placeholder"),
        ('[{"query": null}]', [], "empty"),
        ("1. Query 1:\n2. how do I a?", ["how do I a?"], "a label"),
        ("[" * 5000, [], "no query"),
        ('{"a":' * 5000, [], "no query"),
        ("x = ['foo', 'bar'] and [see below]", ["foo", "bar"], ""),
    ],
)
def test_what_is_missing_is_said(reply: str, queries: list[str], failure: str) -> None:
    """A part that cannot be recovered is a stated failure, and the rest is kept."""
    reading = read(reply)
    assert [draft.text for draft in reading.drafts] == queries
    assert failure in " ".join(reading.problems)


def test_style_and_earlier_turn_come_along() -> None:
    """The fields beside the query are kept."""
    reply = '[{"style": "follow-up", "earlier": "how do I open a zip", "query": "and as text?"}]'
    assert read(reply).drafts == (Drafted("and as text?", "follow-up", "how do I open a zip"),)


QUERIES = st.lists(
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20).filter(
        lambda text: not PLACEHOLDER.fullmatch(text) and not LABEL_ALONE.fullmatch(text)
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(QUERIES, st.sampled_from(["{}", "```json\n{}\n```", "Sure! {}\nDone."]))
@settings(max_examples=100, deadline=None)
def test_valid_json_is_read_exactly(queries: list[str], around: str) -> None:
    """Whatever characters the queries hold, valid JSON gives them back as they are."""
    body = json.dumps([{"query": query} for query in queries], ensure_ascii=False)
    assert texts(around.replace("{}", body)) == queries


@given(st.text(max_size=120) | st.text("[]{}\":,'`\\ ab\n", max_size=60))
@settings(max_examples=400, deadline=None)
def test_no_reply_is_silent(reply: str) -> None:
    """Any text at all: queries, or a stated failure, never neither and never an exception."""
    reading = read(reply)
    assert reading.drafts or reading.problems
    assert all(draft.text.strip() for draft in reading.drafts)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_cut_reply_gives_no_invented_query(data: st.DataObject) -> None:
    """A reply cut anywhere gives a beginning of its queries, and says what is missing."""
    queries = ["how do I open a file", "csv header", "what's a 'tuple'?"]
    whole = json.dumps([{"style": "x", "query": query} for query in queries])
    reading = read(whole[: data.draw(st.integers(0, len(whole) - 2))])
    found = [draft.text for draft in reading.drafts]
    assert found == queries[: len(found)]
    assert len(found) == len(queries) or reading.problems
