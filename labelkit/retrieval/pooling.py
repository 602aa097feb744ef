"""The pairs worth judging: what several retrievers rank high, merged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from labelkit.errors import InputError
from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.embed import Progress, silent
from labelkit.retrieval.retrieve import retrieve
from labelkit.retrieval.search import Hit

SOURCE_DOCUMENT = "source-document"
"""The "retriever" of a pair that is in the pool because the query was drafted from the document;
its rank is 0."""

MARGIN_DEPTH = 10
NEAR_TIE = 1e-5
"""Another machine's float32 arithmetic moves a score by about 1e-7 to 1e-6. A document this close
below the last of the pool could stand in it there, so it is pooled too."""


class PooledPair(NamedTuple):
    """One reason why a pair is in the pool; a pair found by two retrievers stands there twice."""

    query_id: str
    doc_id: str
    retriever: str
    rank: int


def pool(
    documents: Sequence[Document],
    queries: Sequence[Query],
    candidates: Sequence[Candidate],
    depth: int,
    cache_dir: Path,
    progress: Progress = silent,
) -> list[PooledPair]:
    """The top `depth` documents of every candidate, and a synthetic query's own document.

    In the order of queries, then candidates, then ranks (1 is the best). Raises InputError when
    two candidates share a name or a source document is not in the corpus.
    """
    if len({candidate.name for candidate in candidates}) < len(candidates):
        raise InputError("two candidates of the pool share a name; give each its own")
    found: dict[str, list[PooledPair]] = {query.query_id: [] for query in queries}
    for candidate in candidates:
        named = name_progress(progress, candidate.name)
        ranking = retrieve(candidate, documents, queries, depth + MARGIN_DEPTH, cache_dir, named)
        for query_id, hits in ranking.hits.items():
            found[query_id] += contribution(query_id, candidate.name, hits, depth)
    known = {document.doc_id for document in documents}
    for query in queries:
        found[query.query_id] += source_pair(query, known)
    return [pair for pairs in found.values() for pair in pairs]


def name_progress(progress: Progress, name: str) -> Progress:
    """Progress that says which candidate is at work."""
    return lambda done, total, message: progress(done, total, f"{name}: {message}")


def contribution(query_id: str, retriever: str, hits: list[Hit], depth: int) -> list[PooledPair]:
    """The top `depth` hits, and those just below that arithmetic could lift among them."""
    if not hits[:depth]:
        return []
    last = hits[:depth][-1].score
    kept = [hit for rank, hit in enumerate(hits) if rank < depth or 0 < last - hit.score < NEAR_TIE]
    return [
        PooledPair(query_id, hit.doc_id, retriever, rank) for rank, hit in enumerate(kept, start=1)
    ]


def source_pair(query: Query, known: set[str]) -> list[PooledPair]:
    """A synthetic query's own source document, whatever the retrievers say."""
    if query.source is not QuerySource.SYNTHETIC or query.source_doc_id is None:
        return []
    if query.source_doc_id not in known:
        raise InputError(
            f"query {query.query_id!r} was drafted from {query.source_doc_id!r}, "
            "which is not among the documents; import it or retire the query"
        )
    return [PooledPair(query.query_id, query.source_doc_id, SOURCE_DOCUMENT, 0)]
