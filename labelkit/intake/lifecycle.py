"""What becomes of a query once it is here: retired, restored, given types; and its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labelkit.errors import InputError
from labelkit.intake import query_types
from labelkit.model import Query, QueryState, Role
from labelkit.store import Connection, Workspace, people, queries
from labelkit.store import query_history as events
from labelkit.store.query_history import QueryEvent

RETIREMENTS: Mapping[str, str] = {
    "document_gone": "the document that answers it is gone",
    "duplicate": "asks what another query asks",
    "ambiguous": "ambiguous beyond repair",
    "other": "another reason (write it down)",
}
BACK_TO = {QueryState.RETIRED: QueryState.ACCEPTED, QueryState.REJECTED: QueryState.DRAFT}


def retire(
    workspace: Workspace, person_id: str, query_ids: Sequence[str], *, cause: str, note: str = ""
) -> int:
    """Take accepted queries out of queues and releases, all of them or none; returns how many.

    Nothing is deleted: pairs and judgments stay, and `restore` brings all of it back. Raises
    InputError for an unknown cause, a missing note or an unknown id, Conflict where a query is
    not accepted (any more).
    """
    people.require(workspace, person_id, Role.LEAD)
    if cause not in RETIREMENTS:
        raise InputError(f"Choose why: {', '.join(RETIREMENTS)}.")
    if cause == "other" and not note.strip():
        raise InputError("Write the reason down: one sentence.")
    detail = RETIREMENTS[cause] if cause != "other" else "another reason"
    detail += f": {note.strip()}" if note.strip() else ""
    with workspace.writing() as db:
        for query_id in dict.fromkeys(query_ids):
            _held(db, query_id)
            queries.move(
                db,
                query_id,
                before=QueryState.ACCEPTED,
                after=QueryState.RETIRED,
                person_id=person_id,
                detail=detail,
            )
    return len(dict.fromkeys(query_ids))


def restore(
    workspace: Workspace, person_id: str, query_ids: Sequence[str], *, note: str = ""
) -> int:
    """Bring retired queries back as accepted, rejected ones as drafts; returns how many.

    Raises InputError for an unknown id or a query that is neither retired nor rejected.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        for query_id in dict.fromkeys(query_ids):
            held = _held(db, query_id)
            if held.state not in BACK_TO:
                raise InputError(
                    f"Query {query_id!r} is {held.state.value}: only a retired or rejected query "
                    "can be restored."
                )
            queries.move(
                db,
                query_id,
                before=held.state,
                after=BACK_TO[held.state],
                person_id=person_id,
                detail=note.strip() or "restored",
            )
    return len(dict.fromkeys(query_ids))


def history(workspace: Workspace, query_id: str) -> list[QueryEvent]:
    """Everything that happened to a query, oldest first; raises InputError for an unknown id."""
    with workspace.reading() as db:
        held = _held(db, query_id)
        found = events.events(db, query_id)
        if found and found[0].action == "added":
            return found
        first = QueryEvent(events.added_at(db, query_id), "", "added", held.source.value)
        return [first, *found]


def set_types(
    workspace: Workspace, person_id: str, query_id: str, types: Sequence[str]
) -> tuple[str, ...]:
    """Say what types a query has, in place of what rules or people said; returns them in order.

    No type at all is an answer too, and no rule overwrites it. Raises InputError for an unknown
    id or type.
    """
    people.require(workspace, person_id, Role.LEAD)
    chosen = query_types.check(types)
    with workspace.writing() as db:
        held = _held(db, query_id)
        if (held.types, held.types_by) != (chosen, "person"):
            said = f"{_words(held.types)} to {_words(chosen)}"
            events.set_types(db, query_id, chosen, "person", person_id, said)
    return chosen


def suggest_missing(workspace: Workspace, person_id: str) -> int:
    """Give the types that the rules suggest to every query in use that has none set.

    Returns how many queries; the history of each says which rules fired.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        waiting = events.untyped(db)
        for query_id in waiting:
            held = _held(db, query_id)
            found = query_types.suggest(held.text, held.turns)
            said = "; ".join(one.sentence for one in found)
            types = query_types.check([one.type for one in found])
            events.set_types(db, query_id, types, "rule", person_id, said)
    return len(waiting)


def _held(db: Connection, query_id: str) -> Query:
    held = queries.get(db, query_id)
    if held is None:
        raise InputError(f"There is no query {query_id!r}: see the list for the ids that are.")
    return held


def _words(types: Sequence[str]) -> str:
    return ", ".join(types) or "none"
