"""Click-through: a weak signal. What users opened is worth judging, and is never a judgment.

People click what stands on top, what has a catchy title, and by mistake; they do not click what
they never saw. So a click only puts a pair into the queue, where a rater sees it like any other.
"""

from __future__ import annotations

from labelkit.model import Role
from labelkit.store import Connection, Workspace, intake, pairs, people

AT_LEAST = 1
PER_QUERY = 5
ORIGIN = "import"


def propose(
    workspace: Workspace, person_id: str, *, at_least: int = AT_LEAST, per_query: int = PER_QUERY
) -> int:
    """Pool the documents opened most for accepted queries; returns how many pairs are new.

    Documents that are not here yet are passed over: propose again once they are imported.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        return propose_in(db, at_least, per_query)


def propose_in(db: Connection, at_least: int = AT_LEAST, per_query: int = PER_QUERY) -> int:
    """The same as `propose`, inside the caller's transaction."""
    found = intake.clicked_pairs(db, at_least, per_query)
    return pairs.add(db, [(query_id, doc_id) for query_id, doc_id, _ in found], ORIGIN)
