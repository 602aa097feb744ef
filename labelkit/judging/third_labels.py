"""A third label where two people differ by two levels, within caps, in the saving transaction.

The third person is given the pair like any other and sees nothing of the two. The pair stays
among the disagreements until a lead settles it.
"""

from __future__ import annotations

from dataclasses import dataclass

from labelkit.errors import InputError
from labelkit.model import Role
from labelkit.store import Connection, Workspace, judge_settings, judgments, now, pairs, people
from labelkit.store import third_labels as stored

MOST_RATERS = 3
"""No pair is given to more people than this because of what they said."""

DEFAULT_SHARE = 0.2
FEWEST = 5
"""So many third labels are asked for at least, however few pairs are judged twice."""


@dataclass(frozen=True, slots=True)
class ThirdLabels:
    """The rule and where it stands.

    `share` of the doubly judged pairs may get a third label, 0 for none; `limit` is what that
    comes to now; `left_out` counts pairs with 0 against 2 that have none asked for.
    """

    share: float
    limit: int
    asked: int
    given: int
    left_out: int


def settle(db: Connection, pair_id: int) -> None:
    """Ask for a third label on this pair, or take that back, as its levels now require."""
    levels = _levels(db, pair_id)
    asked = stored.is_asked(db, pair_id)
    far = len(levels) == 2 and max(levels.values()) - min(levels.values()) == 2
    if far and not asked:
        _ask(db, pair_id)
    elif asked and not far and pairs.count_at_work(db, pair_id, now()) == len(levels) < MOST_RATERS:
        # Nobody has it open: else the third, or the one who undid, would lose the place.
        stored.note(db, pair_id, "taken back")
        pairs.set_quota(db, pair_id, stored.usual_quota(db, pair_id))


def settle_all(db: Connection) -> None:
    """Ask for third labels, or take them back, after a change of whose labels count."""
    for pair_id in sorted({*stored.far_apart(db), *stored.asked(db)}):
        settle(db, pair_id)


def _levels(db: Connection, pair_id: int) -> dict[str, int]:
    """Each person's level; of several the one under the newest rubric."""
    held = sorted(judgments.of_pair(db, pair_id), key=lambda j: (j.rubric_version, j.judgment_id))
    newest = {one.person_id: one.level for one in held if one.round != "check"}
    return {person: level for person, level in newest.items() if level is not None}


def _ask(db: Connection, pair_id: int) -> None:
    pair = pairs.get(db, pair_id)
    if pair is None or pair.quota >= MOST_RATERS or not pairs.someone_may_judge(db, pair_id):
        return
    if stored.count_asked(db) < _limit(db):
        stored.note(db, pair_id, "asked")
        pairs.set_quota(db, pair_id, MOST_RATERS)


def _limit(db: Connection) -> int:
    share = _share(db)
    return max(FEWEST, int(share * stored.count_doubly_judged(db))) if share else 0


def _share(db: Connection) -> float:
    held = judge_settings.get(db, "third_labels")
    return DEFAULT_SHARE if held is None else float(held)


def standing(workspace: Workspace, person_id: str) -> ThirdLabels:
    """The rule and its counts; raises NotAllowed unless the person is a lead."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        left_out = sum(not stored.is_asked(db, pair_id) for pair_id in stored.far_apart(db))
        return ThirdLabels(
            share=_share(db),
            limit=_limit(db),
            asked=stored.count_asked(db),
            given=stored.count_given(db),
            left_out=left_out,
        )


def set_share(workspace: Workspace, person_id: str, share: float) -> int:
    """Set how many of the doubly judged pairs may get a third label, and ask where that allows it.

    0 asks for no more; what was asked for stays. Returns how many are asked for now. Raises
    InputError for a share outside 0 to 1, NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    if not 0 <= share <= 1:
        raise InputError(f"A share of {share:.0%} is not possible: choose 0 % to 100 %.")
    with workspace.writing() as db:
        judge_settings.put(db, "third_labels", repr(share), person_id)
        for pair_id in stored.far_apart(db):
            settle(db, pair_id)
        return stored.count_asked(db)
