"""Which pair a rater sees next; one transactional function gives it out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from labelkit.errors import Conflict
from labelkit.judging import repeats
from labelkit.model import Document, Query, Role
from labelkit.rubric import Rubric
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    label_drafts,
    meta,
    now,
    pairs,
    people,
    qualifications,
    queries,
    rubrics,
)
from labelkit.store.label_drafts import LabelDraft
from labelkit.store.pairs import Pair

LEASE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Task:
    """One pair to judge, and nothing that could bias the rater: no rank, retriever or label."""

    pair_id: int
    query: Query
    document: Document
    rubric: Rubric
    position: int
    of: int
    draft: LabelDraft | None


@dataclass(frozen=True, slots=True)
class EmptyQueue:
    """Why there is nothing to judge now, in counts and words."""

    reason: str
    counts: Mapping[str, int]
    next_step: str


def claim(workspace: Workspace, person_id: str) -> Task | EmptyQueue:
    """Lease the next pair to this person; calling again returns the same pair.

    The order of queries, and of documents within a query, is random per rater and fixed by
    the project's seed; queries with a pair drawn for a second label come before the others, else
    the sample would be done only when everything is. Raises NotAllowed where the person is not
    a rater or lead.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    seed = meta.get(workspace, "seed") or "0"
    with workspace.writing() as db:
        qualifications.require(db, person_id)
        pair = _held(db, person_id)
        if pair is None:
            repeats.draw_if_due(db, person_id, seed)
            pair = _next(db, person_id, seed)
        if pair is None:
            return _empty(db, person_id)
        pairs.lease(db, pair.pair_id, person_id, lease_end())
        pairs.unpark(db, pair.pair_id, person_id)
        return _task(db, pair, person_id)


def claim_pair(workspace: Workspace, person_id: str, pair_id: int) -> Task:
    """Lease one chosen pair, such as one that was set aside.

    Raises Conflict where it is no longer open for this person.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        qualifications.require(db, person_id)
        pair = pairs.get(db, pair_id)
        if pair is None or not pairs.is_open(db, person_id, pair_id, now()):
            raise Conflict("That pair is no longer open for you: go on with the next one.")
        pairs.lease(db, pair_id, person_id, lease_end())
        pairs.unpark(db, pair_id, person_id)
        return _task(db, pair, person_id)


def skip(workspace: Workspace, person_id: str, pair_id: int) -> None:
    """Set the pair aside; it comes back at the end of this person's queue."""
    _park(workspace, person_id, pair_id, "skip")


def judge_later(workspace: Workspace, person_id: str, pair_id: int) -> None:
    """Put the pair on this person's own list of pairs to judge later."""
    _park(workspace, person_id, pair_id, "later")


def _park(workspace: Workspace, person_id: str, pair_id: int, kind: str) -> None:
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        if pairs.held_by(db, person_id) != pair_id:
            raise Conflict("Another pair is open for you by now: look at it before you go on.")
        pairs.park(db, pair_id, person_id, kind)


def judge_later_list(workspace: Workspace, person_id: str) -> list[tuple[int, str, str]]:
    """This person's pairs set aside by "judge later": (pair_id, query text, document title)."""
    with workspace.reading() as db:
        return [
            (pair.pair_id, _query_text(db, pair), _title(db, pair))
            for pair in pairs.parked_by(db, person_id, now(), "later")
        ]


def _held(db: Connection, person_id: str) -> Pair | None:
    """The pair this person has open already, if it still is."""
    pair_id = pairs.held_by(db, person_id)
    if pair_id is None or not pairs.is_open(db, person_id, pair_id, now()):
        return None
    return pairs.get(db, pair_id)


def _next(db: Connection, person_id: str, seed: str) -> Pair | None:
    """The next pair: the rest of the query in hand, else another query, else what was skipped."""
    open_queries = pairs.open_queries(db, person_id, now())
    if not open_queries:
        return next(iter(pairs.parked_by(db, person_id, now(), "skip")), None)
    last = judgments.recent_of(db, person_id, 1)
    if last and last[0].query_id in open_queries:
        query_id = last[0].query_id
    else:
        drawn = pairs.open_drawn_queries(db, person_id, now())
        query_id = min(
            drawn or open_queries, key=lambda candidate: _shuffle(seed, person_id, candidate)
        )
    open_pairs = pairs.open_pairs(db, person_id, query_id, now())
    return min(open_pairs, key=lambda pair: _shuffle(seed, person_id, query_id, pair.doc_id))


def _shuffle(*parts: str) -> bytes:
    """A sort key that looks random and is the same every time."""
    return hashlib.sha256("\x1f".join(parts).encode()).digest()


def lease_end() -> str:
    """When a lease given now runs out."""
    return (datetime.now(UTC) + LEASE).isoformat(timespec="microseconds")


def _task(db: Connection, pair: Pair, person_id: str) -> Task:
    query, document = queries.get(db, pair.query_id), documents.get(db, pair.doc_id)
    if query is None or document is None:
        raise Conflict(f"The query or document of pair {pair.pair_id} is gone: reload the page.")
    done = pairs.count_judged_in_query(db, person_id, pair.query_id)
    left = len(pairs.open_pairs(db, person_id, pair.query_id, now()))
    return Task(
        pair_id=pair.pair_id,
        query=_as_asked(query),
        document=document,
        rubric=rubrics.current(db),
        position=done + 1,
        of=done + max(left, 1),
        draft=label_drafts.get(db, person_id, pair.pair_id),
    )


def _as_asked(query: Query) -> Query:
    """The query without what would tell the rater where the pair or its query came from."""
    return replace(query, source_doc_id=None, drafted_text=None, note="")


def _empty(db: Connection, person_id: str) -> EmptyQueue:
    """Say why nothing is left, the reason that someone can act on first."""
    moment = now()
    counts = {
        "pooled": pairs.count(db),
        "judged by you": judgments.count_of(db, person_id),
        "set aside by you": len(pairs.parked_by(db, person_id, moment, "later")),
        "held by others now": pairs.count_held_by_others(db, person_id, moment),
        "waiting for another rater": pairs.count_short_of_quota(db),
        "waiting for a lead": pairs.count_blocked_by_cause(db),
    }
    reason, next_step = _why_empty(counts)
    return EmptyQueue(reason, counts, next_step)


def _why_empty(counts: Mapping[str, int]) -> tuple[str, str]:
    if not counts["pooled"]:
        return (
            "No pairs have been pooled yet.",
            "A lead imports documents and queries and pools them: on the Import page, or with "
            "'labelkit pool'.",
        )
    if counts["set aside by you"]:
        return (
            f"Only the {counts['set aside by you']} pairs that you set aside are left.",
            "Open them from the list below.",
        )
    if counts["held by others now"]:
        return (
            f"The last {counts['held by others now']} pairs are open on other people's screens.",
            "They come back within 30 minutes if they are not judged.",
        )
    if counts["waiting for another rater"]:
        return (
            f"You have judged your part; {counts['waiting for another rater']} pairs wait for "
            "another person's independent label.",
            "Ask a second rater to sign in.",
        )
    if counts["waiting for a lead"]:
        return (
            f"{counts['waiting for a lead']} pairs could not be judged and wait for a lead.",
            "A lead mends the query, the document or the rubric.",
        )
    return ("Everything that was pooled is judged.", "Look at the agreement, then freeze.")


def _query_text(db: Connection, pair: Pair) -> str:
    query = queries.get(db, pair.query_id)
    return query.text if query else pair.query_id


def _title(db: Connection, pair: Pair) -> str:
    document = documents.get(db, pair.doc_id)
    return document.title if document else pair.doc_id
