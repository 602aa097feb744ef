"""Queries alone and at the same time, and a process from its start to its first answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from small_release import FAST

from labelkit.bench.latency import AT_ONCE, latency, latency_text
from labelkit.releases import Release
from labelkit.retrieval import Candidate, retrieve
from labelkit.retrieval.embed import silent
from labelkit.retrieval.live import ready
from labelkit.retrieval.request import Request

HYBRID = Candidate("hybrid", "fusion", parts=(FAST[0], FAST[1]))
SMALL = Candidate("small", "static", model="wordllama", precision="int8", dimensions=64)
DEEP = Candidate(
    "deep", "rerank", parts=(FAST[1],), rerank_depth=8, function="test_latency:shortest_first"
)
RUN = Candidate("theirs", "run", run_file="theirs.run")


def shortest_first(query: str, texts: list[str]) -> list[float]:
    """A reranker whose answer depends on how deep it reads."""
    return [-float(len(text)) for text in texts]


def test_a_candidate_kept_ready_answers_as_in_a_run(release: Release, cache: Path) -> None:
    """The same documents and scores, whatever its kind."""
    for candidate in (*FAST, HYBRID, SMALL, DEEP):
        request = Request(release.documents, release.queries, 5, cache, silent)
        ask = ready(candidate, request)
        found = retrieve(candidate, release.documents, release.queries, 5, cache)
        for query_id, text in request.texts(candidate.turns).items():
            answer = ask(text)
            assert [hit.doc_id for hit in answer] == [hit.doc_id for hit in found.hits[query_id]]
            np.testing.assert_allclose(
                [hit.score for hit in answer], [hit.score for hit in found.hits[query_id]]
            )


def test_levels_and_the_first_answer_are_measured(release: Release, cache: Path) -> None:
    """Percentiles in order; a run made elsewhere cannot be asked."""
    bm25, theirs = latency(release, [FAST[0], RUN], cache)
    assert [level.at_once for level in bm25.levels] == list(AT_ONCE)
    assert all(0 < level.p50 <= level.p95 <= level.p99 for level in bm25.levels)
    assert bm25.first_answer_seconds is not None
    assert 0 < bm25.first_answer_seconds < 60
    assert "answers no new query" in theirs.why
    assert "16 at once" in latency_text([bm25, theirs])
