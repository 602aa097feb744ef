"""Reasons: what counts as one, and which a person wrote lately."""

from __future__ import annotations

from labelkit.errors import InputError
from labelkit.store import Workspace, judgments

LONGEST = 2_000
LOOK_BACK = 100
"""How many of a person's last judgments are searched for reasons to offer again."""


def check(reason: str) -> None:
    """Raise InputError unless the reason is a sentence: a letter in any script, not too long."""
    if not reason.strip():
        raise InputError("Write a reason first: one sentence on what in the document decides.")
    if not any(character.isalpha() for character in reason):
        raise InputError(
            f"“{reason.strip()[:40]}” is no reason: write in words what in the document decides."
        )
    if len(reason) > LONGEST:
        raise InputError(
            f"The reason has {len(reason):,} characters, and {LONGEST:,} is the most: keep it to "
            "one sentence."
        )


def recent_reasons(workspace: Workspace, person_id: str, limit: int = 6) -> list[str]:
    """This person's own last reasons, newest first, each once."""
    with workspace.reading() as db:
        found = judgments.recent_of(db, person_id, LOOK_BACK)
    return list({_folded(one.reason): one.reason for one in found}.values())[:limit]


def _folded(reason: str) -> str:
    return " ".join(reason.casefold().split())
