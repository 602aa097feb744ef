"""Preflights of candidates that encode nothing, and candidates whose own code fails in panels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_release import FAST

from labelkit.bench import run_benchmark
from labelkit.bench.latency import latency
from labelkit.bench.preflight import preflight_all
from labelkit.bench.preflight_found import Preflight
from labelkit.bench.robustness import robustness
from labelkit.releases import Release
from labelkit.retrieval import Candidate

BM25 = FAST[0]


def by_length(query: str, texts: list[str]) -> list[float]:
    """A sound reranker."""
    return [float(len(text)) for text in texts]


def by_place(query: str, texts: list[str]) -> list[float]:
    """A reranker that looks at the order it is given."""
    return [float(place) for place in range(len(texts))]


def too_few(query: str, texts: list[str]) -> list[float]:
    """A reranker that loses a text."""
    return [1.0] * (len(texts) - 1)


def breaks(texts: list[str], side: str) -> None:
    """An encoder with a fault of its own."""
    raise ZeroDivisionError("in somebody's code")


def look(candidate: Candidate, release: Release, cache: Path) -> Preflight:
    """The preflight of one candidate."""
    return preflight_all([candidate], release.documents, release.queries, cache)[0]


def reranked(function: str) -> Candidate:
    """BM25, reranked by a function of this file."""
    name = f"test_preflight_kinds:{function}"
    return Candidate("again", "rerank", parts=(BM25,), function=name)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        ("by_length", ""),
        ("by_place", "gives a pair another score in another order"),
        ("too_few", "the reranker gave 0 scores for 1 text;"),
    ],
)
def test_a_reranker_is_tried_and_timed(
    function: str, problem: str, release: Release, cache: Path
) -> None:
    """Eight documents for each of six queries."""
    found = look(reranked(function), release, cache)
    assert found.problems == ((problem,) if problem else ()) or problem in found.problems[0]
    if not problem:
        assert "scores 48 pairs: 8 documents for each of 6 queries" in found.notes


def stored(folder: Path, release: Release, vectors: np.ndarray, **settings: int) -> Candidate:
    """Vectors for the release's documents, and random ones for its queries."""
    rng = np.random.default_rng(0)
    for side, ids, held in (
        ("docs", [one.doc_id for one in release.documents], vectors),
        ("queries", [one.query_id for one in release.queries], rng.normal(size=(6, 4))),
    ):
        np.save(folder / f"{side}.npy", held.astype(np.float32))
        (folder / f"{side}.ids.txt").write_text("\n".join(ids) + "\n")
    return Candidate(
        "stored", "vectors", document_vectors=str(folder / "docs.npy"),
        query_vectors=str(folder / "queries.npy"), **settings,  # type: ignore[arg-type]
    )  # fmt: skip


def test_stored_vectors_are_read_before_the_run(release: Release, tmp_path: Path) -> None:
    """Zeros, doubles and width are seen; sound ones are described."""
    rng = np.random.default_rng(1)
    sound = rng.normal(size=(8, 4))
    sound[1] = 0
    found = look(stored(tmp_path, release, sound), release, tmp_path)
    assert found.passed
    assert (found.dimensions, found.zero_vectors, found.duplicate_vectors) == (4, 1, 0)
    for vectors, settings, problem in (
        (np.zeros((8, 4)), {}, "vectors of zeros for every document"),
        (np.ones((8, 4)), {}, "the same vector for different documents (7 of 8)"),
        (sound, {"dimensions": 9}, "asks for 9 dimensions; the vectors have 4"),
        (np.full((8, 4), np.nan), {}, "is not finite"),
        (np.ones((7, 4)), {}, "8 ids for an array of shape"),
    ):
        wrong = stored(tmp_path, release, vectors, **settings)
        assert problem in "; ".join(look(wrong, release, tmp_path).problems)


def nan(texts: list[str], side: str) -> np.ndarray:
    """No number at all."""
    return np.full((len(texts), 3), np.nan)


def leaves(texts: list[str], side: str) -> np.ndarray:
    """Ends the program."""
    raise SystemExit(3)


def test_what_the_preflight_stops_stops_nobody_else_in_the_run(
    release: Release, tmp_path: Path
) -> None:
    """NaN, vectors of zeros in files, a callable that ends the program; the last one is sound."""
    zeros = stored(tmp_path, release, np.zeros((8, 4)))
    faulty = [Candidate(f.__name__, "function", function=f"{__name__}:{f.__name__}")
              for f in (nan, leaves)]  # fmt: skip
    found = run_benchmark(release, [*faulty, zeros, BM25], tmp_path / "run").candidates
    assert [one["state"] for one in found] == ["failed", "failed", "failed", "completed"]
    for one, why in zip(found, ("NaN", "SystemExit: 3", "zeros for every document"), strict=False):
        assert why in one["why"]


def test_a_language_without_a_stemmer_is_seen_before_the_run(
    release: Release, tmp_path: Path
) -> None:
    """BM25 encodes nothing, and can be wrong all the same."""
    assert look(BM25, release, tmp_path).passed
    (problem,) = look(replace(BM25, language="klingon"), release, tmp_path).problems
    assert "no stemmer for the language 'klingon'" in problem


def test_a_run_says_which_queries_it_lacks(release: Release, tmp_path: Path) -> None:
    """And a run of other queries is stopped."""
    path = tmp_path / "made.run"
    path.write_text("q1 Q0 csv.writer 1 2.5 made\n")
    candidate = Candidate("made", "run", run_file=str(path))
    assert look(candidate, release, tmp_path).notes == ("holds no document for 5 of 6 queries",)
    path.write_text("other Q0 csv.writer 1 2.5 made\n")
    assert "none of the release's queries" in look(candidate, release, tmp_path).problems[0]


def test_foreign_faults_stop_nobody_else(release: Release, cache: Path) -> None:
    """In panels as in runs; who is excluded is not asked."""
    bad = Candidate("bad", "function", function="test_preflight_kinds:breaks")
    out = replace(BM25, name="out", excluded="licence")
    for found in (
        robustness(release, [bad, out, BM25], cache, changes=["casing"]),
        latency(release, [bad, out, BM25], cache),
    ):
        assert [one.why for one in found] == [
            "bad: ZeroDivisionError: in somebody's code", "out: licence", "",
        ]  # fmt: skip
