"""The pairs that could not be judged, by queue, and what leads have said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelkit.errors import Conflict
from labelkit.judging.adjudicating import waits_for
from labelkit.model import Cause, Document, Query, Role
from labelkit.store import Connection, Workspace, documents, mending, people, queries
from labelkit.store.mending import CauseGiven, Mending


@dataclass(frozen=True, slots=True)
class StoppedPair:
    """One pair in one queue: who could not judge it and why, and how many gave it a level."""

    pair_id: int
    cause: Cause
    query: Query
    document: Document
    given: tuple[CauseGiven, ...]
    levels: int


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair of a query that has levels; one that a lead settled is not asked again."""

    pair_id: int
    doc_id: str
    title: str
    levels: int
    settled: bool


def stopped(workspace: Workspace, person_id: str) -> list[StoppedPair]:
    """The pairs that wait for a lead, oldest pair first.

    A pair that this lead could still be given to judge is left out, as its reasons would tell.
    Raises NotAllowed where the person is not a lead.
    """
    lead = people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        by_pair: dict[tuple[int, Cause], list[CauseGiven]] = {}
        for one in mending.stopped(db):
            by_pair.setdefault((one.pair_id, one.cause), []).append(one)
        return [
            _stopped(db, cause, given)
            for (_, cause), given in by_pair.items()
            if not waits_for(db, (given[0].query_id, given[0].doc_id), lead)
        ]


def count_stopped(workspace: Workspace, person_id: str) -> int:
    """How many pairs wait for this lead, one in several queues once; 0 for anyone else."""
    lead = people.get(workspace, person_id)
    if lead is None or Role.LEAD not in lead.roles:
        return 0
    with workspace.reading() as db:
        waiting = {one.pair_id: (one.query_id, one.doc_id) for one in mending.stopped(db)}
        return sum(not waits_for(db, pair, lead) for pair in waiting.values())


def _stopped(db: Connection, cause: Cause, given: Sequence[CauseGiven]) -> StoppedPair:
    first = given[0]
    query, document = queries.get(db, first.query_id), documents.get(db, first.doc_id)
    if query is None or document is None:
        raise Conflict(f"The query or document of pair {first.pair_id} is gone: reload the page.")
    levels = mending.count_levels(db, first.pair_id)
    return StoppedPair(first.pair_id, cause, query, document, tuple(given), levels)


def judged_of_query(workspace: Workspace, person_id: str, query_id: str) -> list[JudgedPair]:
    """The query's pairs that were judged by its present text, for the choice what to ask again."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        return [
            JudgedPair(pair_id, doc_id, _title(db, doc_id), levels, settled)
            for pair_id, doc_id, levels, settled in mending.judged_of_query(db, query_id)
        ]


def _title(db: Connection, doc_id: str) -> str:
    document = documents.get(db, doc_id)
    return document.title if document else doc_id


def notes_for_rater(workspace: Workspace, pair_id: int) -> list[str]:
    """What leads wrote for whoever judges this pair after it was opened again, oldest first."""
    with workspace.reading() as db:
        return mending.notes(db, pair_id)


def mendings(workspace: Workspace, person_id: str, limit: int = 20) -> list[Mending]:
    """The last decisions, newest first, for leads."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        return mending.history(db, limit)
