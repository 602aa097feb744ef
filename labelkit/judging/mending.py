"""The decisions that end the waiting of a pair that could not be judged.

A pair is opened again by an event that supersedes the cause, so that the one who gave it can be
given the pair once more; the cause stays in the history.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from labelkit.errors import Conflict, InputError
from labelkit.model import Cause, Query, QueryState, Role
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    mending,
    people,
    queries,
)


def edit_query(
    workspace: Workspace,
    person_id: str,
    query_id: str,
    *,
    text: str,
    note: str,
    requeue: Collection[int] = (),
) -> int:
    """Reword an unclear query and open its stopped pairs again; returns how many were opened.

    Both texts are kept. `requeue` names those of its judged pairs that are to be judged anew by
    the new text; the others keep their levels, and that is recorded too. Raises InputError for
    an empty or unchanged text, Conflict where nothing is stopped any more.
    """
    _check(workspace, person_id, note)
    wanted = text.strip()
    with workspace.writing() as db:
        query = _accepted(db, query_id)
        if not wanted or wanted == query.text:
            raise InputError("Write the query as it should read: its text is unchanged or empty.")
        waiting = _waiting(db, Cause.QUERY_UNCLEAR, query_id=query_id)
        judged = {row[0]: row[3] for row in mending.judged_of_query(db, query_id)}
        _check_requeue(judged, requeue)
        number = mending.record(
            db, "query_edited", person_id, note.strip(), query_id=query_id,
            texts=(query.text, wanted),
        )  # fmt: skip
        mending.reword(db, query_id, wanted, person_id)
        mending.give_back(db, query_id=query_id)
        again = sorted(set(requeue) - set(waiting))
        kept = sorted(set(judged) - set(again) - set(waiting))
        _reopen(db, number, waiting, [Cause.QUERY_UNCLEAR], "query reworded")
        for pair_id in requeue:
            _withdraw(db, number, pair_id, None, "query reworded")
        mending.add_outcome(db, number, again, "requeued")
        mending.add_outcome(db, number, kept, "kept")
        return len(waiting) + len(again)


def _check_requeue(judged: dict[int, bool], requeue: Collection[int]) -> None:
    unknown = set(requeue) - set(judged)
    if unknown:
        raise Conflict("One of the pairs to be judged anew has no level any more: reload the page.")
    if any(judged[pair_id] for pair_id in requeue):
        raise InputError(
            "A pair that a lead settled is not judged anew: settle it again, on this page, where "
            "the new text changes its level."
        )


def retire_query(workspace: Workspace, person_id: str, query_id: str, *, note: str) -> int:
    """Take an unclear query out of queues and releases; returns how many pairs had stopped."""
    _check(workspace, person_id, note)
    with workspace.writing() as db:
        _accepted(db, query_id)
        waiting = _waiting(db, Cause.QUERY_UNCLEAR, query_id=query_id)
        number = mending.record(db, "query_retired", person_id, note.strip(), query_id=query_id)
        queries.move(
            db,
            query_id,
            before=QueryState.ACCEPTED,
            after=QueryState.RETIRED,
            person_id=person_id,
            detail=f"could not be judged: {note.strip()}",
        )
        mending.add_outcome(db, number, waiting, "retired")
        return len(waiting)


def correct_document(
    workspace: Workspace, person_id: str, doc_id: str, *, title: str, text: str, note: str
) -> int:
    """Give an unreadable document its right text and open its stopped pairs again.

    The earlier text stays as a revision. Returns how many pairs were opened. Raises InputError
    for an empty or unchanged text, Conflict where nothing is stopped any more.
    """
    _check(workspace, person_id, note)
    with workspace.writing() as db:
        held = documents.get(db, doc_id)
        waiting = _waiting(db, Cause.DOCUMENT_UNREADABLE, doc_id=doc_id)
        if held is None or not text.strip():
            raise InputError("Write the document's text, or declare it unreadable.")
        corrected = replace(held, title=title.strip() or held.title, text=text)
        if corrected == held:
            raise InputError("The document is unchanged: correct its title or text first.")
        documents.save(db, [corrected])
        mending.give_back(db, doc_id=doc_id)
        number = mending.record(db, "document_corrected", person_id, note.strip(), doc_id=doc_id)
        _reopen(db, number, waiting, [Cause.DOCUMENT_UNREADABLE], "document corrected")
        return len(waiting)


def declare_unreadable(workspace: Workspace, person_id: str, doc_id: str, *, note: str) -> int:
    """Leave the document's stopped pairs unjudged for good; returns how many.

    Their causes stand and are frozen as causes. A level that someone else gave stands as well.
    """
    _check(workspace, person_id, note)
    with workspace.writing() as db:
        waiting = _waiting(db, Cause.DOCUMENT_UNREADABLE, doc_id=doc_id)
        number = mending.record(db, "document_unreadable", person_id, note.strip(), doc_id=doc_id)
        mending.add_outcome(db, number, waiting, "unjudged")
        return len(waiting)


def clarify_rubric(
    workspace: Workspace, person_id: str, pair_ids: Collection[int], *, note: str
) -> int:
    """Open pairs again that the rubric did not cover; the note tells raters what is clear now."""
    _check(workspace, person_id, note)
    with workspace.writing() as db:
        waiting = _waiting(db, Cause.RUBRIC_GAP, pair_ids=pair_ids)
        number = mending.record(db, "rubric_clarified", person_id, note.strip())
        _reopen(db, number, waiting, [Cause.RUBRIC_GAP], "rubric clarified")
        return len(waiting)


def judge_anyway(
    workspace: Workspace, person_id: str, pair_ids: Collection[int], *, note: str
) -> int:
    """Open pairs again, whatever stopped them; raters see the note on each. Returns how many."""
    _check(workspace, person_id, note)
    with workspace.writing() as db:
        waiting = sorted({one.pair_id for one in mending.stopped(db)} & set(pair_ids))
        if not waiting:
            raise _mended_by_now()
        number = mending.record(db, "judge_anyway", person_id, note.strip())
        _reopen(db, number, waiting, list(Cause), "to be judged anyway")
        return len(waiting)


def name_experts(
    workspace: Workspace,
    person_id: str,
    pair_ids: Collection[int],
    experts: Collection[str],
    *,
    note: str,
) -> int:
    """Give pairs that need an expert to named people, and to nobody else; returns how many.

    One of the named who had said so themselves is asked again. Raises InputError without names,
    NotAllowed for somebody who left or judges nothing.
    """
    _check(workspace, person_id, note)
    if not experts:
        raise InputError("Choose at least one person who can judge this.")
    for expert in experts:
        people.require(workspace, expert, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        waiting = _waiting(db, Cause.NEEDS_EXPERT, pair_ids=pair_ids)
        number = mending.record(db, "experts_named", person_id, note.strip())
        mending.add_outcome(db, number, waiting, "reopened")
        mending.add_experts(db, number, sorted(set(experts)))
        for pair_id in waiting:
            _withdraw(db, number, pair_id, [Cause.NEEDS_EXPERT], "named as expert", experts)
        return len(waiting)


def _check(workspace: Workspace, person_id: str, note: str) -> None:
    people.require(workspace, person_id, Role.LEAD)
    if not note.strip():
        raise InputError("Write why, one sentence: the decision is recorded with it.")


def _accepted(db: Connection, query_id: str) -> Query:
    query = queries.get(db, query_id)
    if query is None or query.state is not QueryState.ACCEPTED:
        raise _mended_by_now()
    return query


def _waiting(
    db: Connection,
    cause: Cause,
    *,
    query_id: str | None = None,
    doc_id: str | None = None,
    pair_ids: Collection[int] | None = None,
) -> list[int]:
    """The stopped pairs of this cause, all of them or those named; raises Conflict for none."""
    found = {
        one.pair_id
        for one in mending.stopped(db)
        if one.cause is cause
        and query_id in (None, one.query_id)
        and doc_id in (None, one.doc_id)
        and (pair_ids is None or one.pair_id in pair_ids)
    }
    if not found:
        raise _mended_by_now()
    return sorted(found)


def _mended_by_now() -> Conflict:
    return Conflict("Nothing waits there any more: another lead decided by now. Reload the page.")


def _reopen(
    db: Connection, number: int, pair_ids: Iterable[int], causes: Collection[Cause], why: str
) -> None:
    """Put pairs back into everyone's queue, also of those who gave one of the causes."""
    opened = list(pair_ids)
    mending.add_outcome(db, number, opened, "reopened")
    for pair_id in opened:
        _withdraw(db, number, pair_id, causes, why)


def _withdraw(
    db: Connection,
    number: int,
    pair_id: int,
    causes: Collection[Cause] | None,
    why: str,
    only: Collection[str] | None = None,
) -> None:
    """Supersede what stands on a pair: all of it, or what has one of the causes."""
    for one in mending.standing(db, pair_id):
        if (causes is None or one.cause in causes) and (only is None or one.person_id in only):
            judgments.append(
                db,
                pair_id=pair_id,
                person_id=one.person_id,
                rubric_version=one.rubric_version,
                level=None,
                cause=None,
                reason=f"opened again by a lead: {why}",
                kind="withdrawal",
                round=one.round,
                provenance=f"mending {number}",
                supersedes=one.judgment_id,
            )
