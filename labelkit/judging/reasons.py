"""Reasons: what counts as one, which a person wrote lately, and which are always the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from labelkit.errors import InputError
from labelkit.model import Role
from labelkit.store import Workspace, judgments, people

LONGEST = 2_000
LOOK_BACK = 100
"""How many of a person's last judgments are searched for reasons to offer again."""


@dataclass(frozen=True, slots=True)
class IdenticalReasons:
    """How often one rater gave the same reason: `identical` of `judgments` share theirs."""

    person_id: str
    judgments: int
    identical: int
    commonest: str
    commonest_count: int


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


def identical_reasons(workspace: Workspace, person_id: str) -> list[IdenticalReasons]:
    """For each rater, how many standing judgments share their reason with another of theirs.

    Case and spacing do not matter. The rater with the most comes first. `person_id` is who
    asks: raises NotAllowed unless they lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        standing = judgments.current(db)
    by_person: dict[str, Counter[str]] = defaultdict(Counter)
    for judgment in standing:
        by_person[judgment.person_id][_folded(judgment.reason)] += 1
    found = [_identical(rater, counted) for rater, counted in by_person.items()]
    return sorted(found, key=lambda one: (-one.identical, one.person_id))


def _identical(person_id: str, counted: Counter[str]) -> IdenticalReasons:
    commonest, count = counted.most_common(1)[0]
    return IdenticalReasons(
        person_id=person_id,
        judgments=counted.total(),
        identical=sum(number for number in counted.values() if number > 1),
        commonest=commonest,
        commonest_count=count,
    )


def _folded(reason: str) -> str:
    return " ".join(reason.casefold().split())
