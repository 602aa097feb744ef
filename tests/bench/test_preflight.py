"""Before money or hours are spent: what a candidate is sent, and what would make it worthless."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_release import FAST, QUERIES, TEXTS

from labelkit.bench.preflight import Preflight, doubles, gap, preflight_all, spread
from labelkit.model import Document
from labelkit.retrieval import Candidate, default_candidates
from labelkit.retrieval.candidate_tables import About

DOCUMENTS = [Document(name, name, text) for name, text in TEXTS.items()]
MINILM = default_candidates()[3]


def look(candidate: Candidate, tmp_path: Path, documents: list[Document] = DOCUMENTS) -> Preflight:
    """The preflight of a candidate on the small corpus."""
    (found,) = preflight_all([candidate], documents, QUERIES, tmp_path)
    return found


def vectors_of(texts: list[str]) -> np.ndarray:
    """Something that depends on the text alone."""
    return np.array([[len(text), text.count("e"), 1.0] for text in texts])


def sound(texts: list[str], side: str) -> np.ndarray:
    """A callable without faults."""
    return vectors_of(texts)


def unordered(texts: list[str], side: str) -> np.ndarray:
    """Answers sorted by text, as a careless client would."""
    return vectors_of(sorted(texts))


def constant(texts: list[str], side: str) -> np.ndarray:
    """Reads nothing."""
    return np.ones((len(texts), 3))


def zeros(texts: list[str], side: str) -> np.ndarray:
    """Says nothing."""
    return np.zeros((len(texts), 3))


def not_numbers(texts: list[str], side: str) -> np.ndarray:
    """NaN for one text."""
    found = vectors_of(texts)
    found[-1, 0] = np.nan
    return found


def by_batch(texts: list[str], side: str) -> np.ndarray:
    """Depends on what stands beside it."""
    found = vectors_of(texts)
    found[:, 1] += 40 * len(texts)
    return found


def deaf_to_queries(texts: list[str], side: str) -> np.ndarray:
    """Sound for documents only."""
    return vectors_of(texts) * (side == "document")


def narrow_for_queries(texts: list[str], side: str) -> np.ndarray:
    """Another width for each side."""
    return vectors_of(texts)[:, : 3 if side == "document" else 2]


def wide_by_batch(texts: list[str], side: str) -> np.ndarray:
    """Another width for each call."""
    return np.ones((len(texts), 2 + len(texts)))


def leaves(texts: list[str], side: str) -> np.ndarray:
    """Ends the program."""
    raise SystemExit(3)


def broken(texts: list[str], side: str) -> np.ndarray:
    """A bug of its own."""
    raise RuntimeError("no such thing")


def test_a_sound_encoder_is_described(tmp_path: Path) -> None:
    """Prompt, counts, shape, lengths, estimates; nothing to object."""
    candidate = replace(MINILM, query_prompt="query: ", about=About(price=0.02))
    long = Document("long", "", "csv " * 600)
    found = look(candidate, tmp_path, [*DOCUMENTS, long, Document("none", "", "")])
    assert found.passed
    assert found.queries is not None
    assert found.documents is not None
    assert found.queries.prompt == "query: "
    assert (found.documents.texts, found.documents.empty, found.documents.to_encode) == (10, 1, 10)
    assert found.truncated_share == pytest.approx(0.1)
    assert (found.dimensions, found.dtype) == (384, "float32")
    assert found.norms == pytest.approx((1, 1), abs=1e-3)
    assert found.order_gap is not None
    assert found.order_gap < 1e-5
    assert (found.seconds or 0) > 0
    assert (found.cost or 0) > 0
    assert found.disk_bytes == 4 * 384 * (10 + len({query.text for query in QUERIES}))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("sound", ""),
        ("unordered", "in another order"),
        ("constant", "the same vector for different texts"),
        ("zeros", "vectors of zeros for every text"),
        ("not_numbers", "NaN or infinity"),
        ("by_batch", "another vector in another"),
        ("deaf_to_queries", "vectors of zeros for every query"),
        ("narrow_for_queries", "documents 3 dimensions and queries 2"),
        ("wide_by_batch", "gives vectors of 3 dimensions and of 5"),
        ("leaves", "SystemExit: 3"),
        ("broken", "RuntimeError: no such thing"),
        ("nowhere", "cannot be imported"),
    ],
)
def test_a_fault_stops_the_candidate_with_its_reason(
    name: str, problem: str, tmp_path: Path
) -> None:
    """Each of these would give figures that mean nothing."""
    found = look(Candidate("mine", "function", function=f"test_preflight:{name}"), tmp_path)
    assert found.passed == (not problem)
    assert problem in "; ".join(found.problems)
    json.dumps(found.as_dict(), allow_nan=False)  # as a run's record keeps it


def test_parts_are_looked_at_and_named(tmp_path: Path) -> None:
    """A fusion is as sound as its parts."""
    bad = Candidate("bad", "function", function="test_preflight:constant")
    hybrid = Candidate("hybrid", "fusion", parts=(FAST[0], bad))
    assert look(hybrid, tmp_path).problems[0].startswith("bad: ")
    assert look(FAST[0], tmp_path).passed
    assert look(replace(FAST[0], excluded="licence"), tmp_path).notes == ("not run: licence",)


def test_too_many_dimensions_are_seen_before_the_run(tmp_path: Path) -> None:
    """Not after an hour of encoding."""
    found = look(replace(FAST[1], dimensions=999), tmp_path)
    assert found.problems == ("asks for 999 dimensions; the model has 256",)


def test_small_helpers() -> None:
    """A spread sample, doubled vectors, gaps of directions."""
    assert spread(["a", "bbb", "a", "cc", "dddd"], 3) == ["a", "bbb", "dddd"]
    assert doubles(["a", "b", "c"], np.array([[1, 0], [1, 0], [0, 0]], dtype=np.float32)) == 1
    assert gap(np.array([[2.0, 0.0]], np.float32), np.array([[5.0, 0.0]], np.float32)) == 0
