"""Filling the pool: what retrievers rank high, and what people add by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from labelkit import retrieval
from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, QueryState, Role
from labelkit.retrieval import Candidate
from labelkit.store import Workspace, documents, pairs, people, queries

DEPTH = 10
HAND_ORIGINS = ("hand", "hole")


@dataclass(frozen=True, slots=True)
class PoolReport:
    """What pooling did: counts of queries, of pairs found, and of pairs that are new."""

    queries: int
    pairs_found: int
    pairs_new: int
    depth: int
    retrievers: tuple[str, ...]


def pool(
    workspace: Workspace,
    candidates: Sequence[Candidate] | None = None,
    *,
    depth: int = DEPTH,
    query_ids: Sequence[str] | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, message: None,
) -> PoolReport:
    """Pool the top `depth` documents of each retriever for accepted queries, and the document
    that a query was drafted from.

    Without `candidates`: BM25, wordllama and MiniLM. Pairs that are there stay as they are.
    Raises NotReady without documents or accepted queries, InputError for unknown query ids.
    """
    corpus = documents.all(workspace)
    accepted = queries.in_state(workspace, QueryState.ACCEPTED)
    if query_ids is not None:
        accepted = [query for query in accepted if query.query_id in set(query_ids)]
        missing = set(query_ids) - {query.query_id for query in accepted}
        if missing:
            raise InputError(f"No accepted query has the id {sorted(missing)[0]!r}.")
    if not corpus or not accepted:
        raise NotReady("Pooling needs documents and accepted queries: import them first.")
    chosen = list(candidates or pooling_candidates())
    found = retrieval.pool(corpus, accepted, chosen, depth, workspace.cache, progress)
    ranked = {(p.query_id, p.doc_id) for p in found}
    own = _own_sources(accepted, corpus)
    with workspace.writing() as db:
        new = pairs.add(db, sorted(ranked), "pool") + pairs.add(db, sorted(own), "source")
        pairs.add_sources(db, found)
    return PoolReport(
        queries=len(accepted),
        pairs_found=len(ranked | own),
        pairs_new=new,
        depth=depth,
        retrievers=tuple(candidate.name for candidate in chosen),
    )


def _own_sources(accepted: Iterable[Query], corpus: Iterable[Document]) -> set[tuple[str, str]]:
    """Each synthetic query with the document that it was drafted from, where that is here."""
    here = {document.doc_id for document in corpus}
    return {(q.query_id, q.source_doc_id) for q in accepted if q.source_doc_id in here}


def pooling_candidates() -> list[Candidate]:
    """The retrievers that fill a pool by default: the default candidates at full size."""
    return [c for c in retrieval.default_candidates() if c.dimensions is None]


def add_to_pool(
    workspace: Workspace, person_id: str, query_id: str, doc_id: str, *, origin: str = "hole"
) -> bool:
    """Send one pair to the labeling queue; returns False where it was there already.

    `origin` is "hole" (a candidate ranked it and nobody judged it) or "hand" (found by a
    person). Raises InputError for ids that do not exist.
    """
    people.require(workspace, person_id, *Role)
    if origin not in HAND_ORIGINS:
        raise InputError(f"{origin!r} is no origin of a hand-added pair; use hand or hole.")
    with workspace.writing() as db:
        if queries.get(db, query_id) is None or documents.get(db, doc_id) is None:
            raise InputError(
                f"The pair {query_id!r} with {doc_id!r} names a query or document that is not in "
                "this workspace; the run may be of another one."
            )
        return pairs.add(db, [(query_id, doc_id)], origin) == 1
