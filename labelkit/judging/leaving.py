"""A rater who leaves, and one who comes back."""

from __future__ import annotations

from labelkit.model import Role
from labelkit.store import Workspace, leaving, people
from labelkit.store.leaving import Held


def holdings(workspace: Workspace, lead_id: str, person_id: str) -> Held:
    """What a person holds now, and how many judgments stand under their name; for leads."""
    people.require(workspace, lead_id, Role.LEAD)
    with workspace.reading() as db:
        return leaving.held(db, person_id)


def deactivate(workspace: Workspace, lead_id: str, person_id: str) -> Held:
    """Let a person no longer in, and return at once all they hold; gives what was returned.

    Their judgments stay and count; pages show a pseudonym beside them, as releases always do.
    Raises InputError for the last lead or an unknown id.
    """
    people.require(workspace, lead_id, Role.LEAD)
    with workspace.writing() as db:
        returned = leaving.held(db, person_id)
        people.set_active(db, person_id, active=False)
        leaving.give_back(db, person_id)
        return returned


def reactivate(workspace: Workspace, lead_id: str, person_id: str) -> None:
    """Let a person in again, with the roles they had; their judgments bear their name again."""
    people.require(workspace, lead_id, Role.LEAD)
    with workspace.writing() as db:
        people.set_active(db, person_id, active=True)
