"""Follow-ups put so that they stand without their turns; what the user typed stays beside it.

Which wait for it, and a form that a person writes. A model writes them in `drafting.rewriting`.
"""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.errors import InputError
from labelkit.intake import follow_ups
from labelkit.model import Query, QueryState, Role
from labelkit.store import Workspace, people, queries
from labelkit.store import query_history as events

LONGEST = 1000
"""Characters beyond which a reply is an essay and no query."""


def to_rewrite(workspace: Workspace) -> list[Query]:
    """Accepted follow-ups without a rewritten form, by id.

    A follow-up is a query that a rule or a person gave that type, or, where no types are set,
    one in which the rules see that it leans on its turns.
    """
    return [
        query
        for query in queries.in_state(workspace, QueryState.ACCEPTED)
        if query.turns and query.rewritten_text is None and _is_follow_up(query)
    ]


def set_rewritten(
    workspace: Workspace, person_id: str, query_id: str, text: str, *, by: str = ""
) -> None:
    """Keep a rewritten form, by a model or by this person; an empty one from a person takes the
    form away.

    Raises InputError for an unknown id, a query without turns, or what is no query.
    """
    person = people.require(workspace, person_id, Role.LEAD)
    said = " ".join(text.split())
    if by and not said:
        raise InputError(f"{query_id}: the answer of {by} is empty.")
    if len(said) > LONGEST:
        raise InputError(
            f"{query_id}: {len(said):,} characters are no query; {LONGEST:,} are the most."
        )
    [query] = _named(workspace, [query_id])
    if not query.turns:
        raise InputError(f"{query_id} has no earlier turns, so there is nothing to rewrite.")
    if said == (query.rewritten_text or ""):
        return
    with workspace.writing() as db:
        events.set_rewritten(db, query_id, said or None, by or person.name, person_id)


def _named(workspace: Workspace, query_ids: Sequence[str]) -> list[Query]:
    with workspace.reading() as db:
        found = {query_id: queries.get(db, query_id) for query_id in dict.fromkeys(query_ids)}
    missing = [query_id for query_id, query in found.items() if query is None]
    if missing:
        raise InputError(f"There is no query {missing[0]!r}: see the list for the ids that are.")
    return [query for query in found.values() if query is not None]


def _is_follow_up(query: Query) -> bool:
    if query.types_by:
        return "follow-up" in query.types
    return follow_ups.leaning(query.text, query.turns) is not None
