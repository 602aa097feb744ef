"""Which pair a rater sees next; one transactional function gives it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from labelkit.errors import Conflict
from labelkit.judging import ordering, repeats
from labelkit.model import Document, Query, Role, Span
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
from labelkit.wording import counted

LEASE = timedelta(minutes=30)
NO_AGE = timedelta(minutes=1)


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

    The order is random per rater and fixed by the project's seed (`ordering`); pairs drawn for
    one more label come before the others, else the sample would be done only when everything is.
    Raises NotAllowed where the person is not a rater or lead.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.reading() as db:
        task = _on_screen(db, person_id)
    if task is not None:
        return task
    seed = meta.get(workspace, "seed") or "0"
    with workspace.writing(durable=False) as db:
        qualifications.require(db, person_id)
        pair = _held(db, person_id)
        if pair is None:
            repeats.draw_if_due(db, person_id, seed)
            pair = ordering.next_pair(db, person_id, seed)
        if pair is None:
            return _empty(db, person_id)
        pairs.lease(db, pair.pair_id, person_id, lease_end())
        pairs.unpark(db, pair.pair_id, person_id)
        return _task(db, pair, person_id)


def _on_screen(db: Connection, person_id: str) -> Task | None:
    """The pair that was given within the last minute: a page that draws itself again asks often,
    and a lease that has hardly aged needs no write."""
    qualifications.require(db, person_id)
    pair = _held(db, person_id)
    if pair is None or pairs.lease_ends(db, person_id, pair.pair_id) < lease_end(NO_AGE):
        return None
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


def lease_end(earlier: timedelta = timedelta()) -> str:
    """When a lease given now runs out; or one that was given so much earlier."""
    return (datetime.now(UTC) + LEASE - earlier).isoformat(timespec="microseconds")


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
        draft=_kept(db, person_id, pair.pair_id, document),
    )


def _kept(db: Connection, person_id: str, pair_id: int, document: Document) -> LabelDraft | None:
    """The draft, without what it says by an earlier rubric or of an earlier text."""
    draft = label_drafts.get(db, person_id, pair_id)
    if draft is None:
        return None
    level = draft.level if draft.updated_at >= rubrics.saved_at(db) else None
    return replace(draft, level=level, evidence=standing(draft.evidence, document.text))


def standing(evidence: Sequence[Span], text: str) -> tuple[Span, ...]:
    """The passages that stand in a text, character by character."""
    return tuple(one for one in evidence if text[one.start : one.end] == one.quote)


def changed(shown: Task, rubric: Rubric, document: Document | None) -> str:
    """What a rater who was shown this task would read otherwise now, in words; "" for nothing."""
    if shown.rubric.version != rubric.version:
        return f"the rubric changed (it is v{rubric.version} now)"
    before, after = shown.document, document
    if after is None or (before.title, before.text) != (after.title, after.text):
        return "the document's text changed"
    return ""


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
        "waiting for another rater": pairs.count_short_of_quota(db, person_id),
        "waiting for a lead": pairs.count_blocked_by_cause(db),
        "assigned to others": pairs.count_for_others(db, person_id),
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
    aside, held = counts["set aside by you"], counts["held by others now"]
    short, stopped = counts["waiting for another rater"], counts["waiting for a lead"]
    if aside:
        what = "pair that you set aside is" if aside == 1 else "pairs that you set aside are"
        only = "Only the one" if aside == 1 else f"Only the {aside:,}"
        return f"{only} {what} left.", "Open what you set aside from the list below."
    if held:
        what = "pair is" if held == 1 else f"{held:,} pairs are"
        return (
            f"The last {what} open on other people's screens.",
            "What is not judged there comes back within 30 minutes.",
        )
    others = counts["assigned to others"]
    if others:
        what = counted(others, "pair waits", "pairs wait")
        return (
            f"You have judged your part; {what} for people whom a lead named.",
            "A lead can add you to a batch on the Assign page.",
        )
    if short:
        what = counted(short, "pair waits", "pairs wait")
        return (
            f"You have judged your part; {what} for another person's independent label.",
            "Ask a second rater to sign in.",
        )
    if stopped:
        what = counted(stopped, "pair waits", "pairs wait")
        return (
            f"{what} for a lead, because it could not be judged."
            if stopped == 1
            else f"{what} for a lead, because they could not be judged.",
            "A lead mends the query, the document or the rubric.",
        )
    return ("Everything that was pooled is judged.", "Look at the agreement, then freeze.")


def _query_text(db: Connection, pair: Pair) -> str:
    query = queries.get(db, pair.query_id)
    return query.text if query else pair.query_id


def _title(db: Connection, pair: Pair) -> str:
    document = documents.get(db, pair.doc_id)
    return document.title if document else pair.doc_id
