"""Checks that need the whole corpus, made for many drafts at once and kept with them.

Real retrievers look for each draft: another document that stands at or above its own in every
one of them answers it as well, as far as search can tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from labelkit import retrieval
from labelkit.drafting import similar
from labelkit.drafting.checks import DEEP, Warning, check
from labelkit.drafting.words import stems
from labelkit.errors import InputError
from labelkit.model import Document, Query, QueryState
from labelkit.retrieval import Candidate, Hit
from labelkit.store import Connection, Workspace, documents, drafts, queries

RETRIEVERS = ("bm25", "all-MiniLM-L6-v2")
SHARE_GENERIC, FEWEST_GENERIC = 0.01, 20
"""Words that all stand in this share of the documents, and in at least so many, find nothing."""

COUNTED = (QueryState.ACCEPTED, QueryState.DRAFT)

Findings = list[dict[str, Any]]
Progress = Callable[[int, int, str], None]


def check_drafts(
    workspace: Workspace,
    *,
    names: Sequence[str] | None = None,
    progress: Progress = lambda done, total, message: None,
) -> int:
    """Check every draft whose wording was not checked yet; returns how many.

    `names` are built-in retrievers (default: bm25 and MiniLM); with none of them only words are
    counted. Raises InputError for a name that is no built-in candidate.
    """
    chosen = retrievers(RETRIEVERS if names is None else names)
    with workspace.reading() as db:
        waiting = set(drafts.unchecked(db))
        found = [q for q in queries.select(db, QueryState.DRAFT) if q.query_id in waiting]
        corpus = documents.all(workspace) if found else []
        known = [q for state in COUNTED for q in queries.select(db, state)] if found else []
    if not found or not corpus:
        return 0
    findings = examine(found, corpus, chosen, workspace, progress)
    for query_id, doubles in similar.alike(found, known, workspace.cache).items():
        findings[query_id] += doubles
    with workspace.writing() as db:
        drafts.save_findings(db, [(q.query_id, q.text, findings[q.query_id]) for q in found])
    return len(found)


def retrievers(names: Sequence[str]) -> list[Candidate]:
    """Built-in candidates by name; a follow-up is sought with its earlier turns."""
    known = {one.name: one for one in retrieval.default_candidates()}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"{unknown[0]!r} is no built-in retriever; known: {', '.join(known)}.")
    return [replace(known[name], turns="prepend") for name in names]


def examine(
    found: Sequence[Query],
    corpus: Sequence[Document],
    chosen: Sequence[Candidate],
    workspace: Workspace,
    progress: Progress,
) -> dict[str, Findings]:
    """What the corpus says of each draft."""
    findings: dict[str, Findings] = {query.query_id: [] for query in found}
    rankings: dict[str, dict[str, list[Hit]]] = {}
    for candidate in chosen:
        ranked = retrieval.retrieve(candidate, corpus, found, DEEP, workspace.cache, progress)
        rankings[candidate.name] = ranked.hits
    for query in found:
        hits = {name: ranked[query.query_id] for name, ranked in rankings.items()}
        if hits and query.source_doc_id:
            findings[query.query_id] += _elsewhere(query.source_doc_id, hits)
    for query_id, finding in _common_words(found, corpus).items():
        findings[query_id].append(finding)
    return findings


def _elsewhere(source: str, hits: Mapping[str, Sequence[Hit]]) -> Findings:
    """The ranks of the draft's own document, and another one that is never below it."""
    ranks = {name: rank_of(source, found) for name, found in hits.items()}
    better = [set(_at_or_above(source, found)) for found in hits.values()]
    rivals = set.intersection(*better)
    # Where no retriever finds the draft's own document, its rivals say nothing about it.
    if not rivals or not any(ranks.values()):
        return [{"ranks": ranks}]
    # The one that stands highest over all retrievers; of equals, the first by id.
    best = min(rivals, key=lambda doc: (sum(rank_of(doc, f) or 0 for f in hits.values()), doc))
    places = [
        f"{name}: {rank_of(best, found)} against {ranks[name] or f'none of {DEEP}'}"
        for name, found in hits.items()
    ]
    evidence = f"{best} stands at or above its own document in every ranking ({'; '.join(places)})"
    return [{"ranks": ranks}, {"name": "answered elsewhere", "evidence": evidence, "doc_id": best}]


def rank_of(doc_id: str, hits: Sequence[Hit]) -> int | None:
    """A document's rank, 1 the best, or None where it was not found."""
    return next((rank for rank, hit in enumerate(hits, 1) if hit.doc_id == doc_id), None)


def _at_or_above(source: str, hits: Sequence[Hit]) -> list[str]:
    score = next((hit.score for hit in hits if hit.doc_id == source), None)
    return [
        hit.doc_id for hit in hits if hit.doc_id != source and (score is None or hit.score >= score)
    ]


def _common_words(found: Sequence[Query], corpus: Sequence[Document]) -> dict[str, dict[str, Any]]:
    """The drafts whose content words all stand together in a great many documents."""
    asked = {q.query_id: frozenset(stems(q.text)) for q in found if not q.turns}
    needed = frozenset().union(*asked.values())
    counts: Counter[str] = Counter()
    for document in corpus:
        there = needed.intersection(stems(f"{document.title} {document.text}"))
        counts.update(query_id for query_id, wanted in asked.items() if wanted and wanted <= there)
    limit = max(FEWEST_GENERIC, SHARE_GENERIC * len(corpus))
    return {
        query_id: {
            "name": "too generic",
            "evidence": f"all its content words stand in {number:,} documents",
        }
        for query_id, number in counts.items()
        if number > limit
    }


def warnings(
    db: Connection, draft: Query, source: Document | None, others: Sequence[Query]
) -> tuple[Warning, ...]:
    """All warnings about a draft: those of its words, and those kept for this very wording.

    `others` are the queries that it may repeat: the accepted ones, and earlier drafts.
    """
    origin = drafts.origin(db, draft.query_id)
    passage = None if origin is None else str(origin.passage.get("text", ""))
    findings = drafts.findings(db, draft.query_id, draft.text) or ()
    present = {other.query_id for other in others}
    kept = [one for one in findings if one.get("query_id", "") in {"", *present}]
    return check(draft, source, others, passage=passage, findings=kept)
