"""Seeded changes of queries and documents, and what they cost."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_release import FAST, QUERIES

from labelkit.bench.perturbing import CHANGES, QUERY_CHANGES, perturbed
from labelkit.bench.robustness import PLAIN, reachable, robustness, robustness_text
from labelkit.errors import CandidateError, InputError
from labelkit.model import Document
from labelkit.releases import Release
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidate_tables import Http

DOCUMENT = Document("d", "title", "the very first part of the text\nsecond part of the text")


@given(st.text(max_size=60), st.integers(0, 50))
def test_changes_take_any_text_and_empty_none(text: str, seed: int) -> None:
    """Whatever a user typed; what had words keeps some."""
    for change in QUERY_CHANGES.values():
        found = change(text, random.Random(seed))
        assert bool(found.strip()) >= bool(text.strip())


def test_a_change_is_the_same_for_a_seed_and_does_what_it_says() -> None:
    """By hand, one each."""
    for name in CHANGES:
        assert perturbed(name, [DOCUMENT], QUERIES, 7) == perturbed(name, [DOCUMENT], QUERIES, 7)
    asked = {name: perturbed(name, [], QUERIES[1:2], 0)[1][0].text for name in QUERY_CHANGES}
    assert asked["casing"] == "WAIT TWO SECONDS BEFORE GOING ON"
    assert sorted(asked["spelling"]) == sorted(QUERIES[1].text)
    assert asked["spelling"] != QUERIES[1].text
    assert len(asked["dropped word"].split()) == 5
    assert QUERIES[1].text in asked["query boilerplate"]
    assert perturbed("punctuation", [], QUERIES[5:], 0)[1][0].text == "and as JSON"
    documents = perturbed("answer at the end", [DOCUMENT], [], 0)[0]
    assert documents[0].text == "second part of the text\nthe very first part of the text"
    copies = perturbed("duplicates", [DOCUMENT], [], 0)[0]
    assert [one.doc_id for one in copies] == ["d", "d~copy"]
    framed = perturbed("document boilerplate", [DOCUMENT], [], 0)[0][0].text
    assert DOCUMENT.text in framed
    assert framed != DOCUMENT.text


def test_rewritten_follow_ups_are_changed_as_well() -> None:
    """Else the variant that sends them would look immune."""
    query = replace(QUERIES[5], rewritten_text="write rows as JSON")
    assert perturbed("casing", [], [query], 0)[1][0].rewritten_text == "WRITE ROWS AS JSON"


def test_losses_are_paired_and_said(release: Release, cache: Path) -> None:
    """BM25 does not mind capitals and minds misspelled words; a failing candidate is named."""
    broken = Candidate("klingon", "bm25", language="klingon")
    found = robustness(
        release, [FAST[0], broken], cache, changes=["casing", "spelling", "duplicates"]
    )
    casing, spelling, _ = found[0].comparisons
    assert (casing.a, casing.b, casing.difference, casing.losses) == ("casing", PLAIN, 0.0, 0)
    assert spelling.difference <= 0
    assert found[0].changed == {"casing": 6, "spelling": 6, "duplicates": None}
    assert "no stemmer" in found[1].why
    text = robustness_text(found, "ndcg@10")
    assert "casing: +0.000" in text
    assert "no stemmer" in text
    with pytest.raises(InputError, match="choose changes among spelling"):
        robustness(release, FAST[:1], cache, changes=["nothing"])


def test_a_candidate_that_cannot_see_a_change_is_not_called_immune_to_it() -> None:
    """A run made elsewhere reads nothing anew; a live service has its own documents."""
    with pytest.raises(CandidateError, match="reads no changed query or document"):
        reachable(Candidate("old", "run", run_file="old.run"), QUERY_CHANGES)
    live = Candidate("live", "http", http=Http("http://127.0.0.1:9", "ids"))
    assert reachable(live, ["casing", "duplicates"]) == ["casing"]
    mixed = Candidate("mixed", "fusion", parts=(FAST[0], live))
    with pytest.raises(CandidateError, match="no changed document"):
        reachable(mixed, ["duplicates"])
