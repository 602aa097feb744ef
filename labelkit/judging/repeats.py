"""Hidden repeats: a pair comes to the same person again, to see how steady that person is.

A repeat is open like any other pair; what is said of it goes to a table of its own and counts
nowhere. When one is due depends on the project's seed, the person and how many judgments of
theirs stand, so it is the same every time.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from labelkit.errors import InputError
from labelkit.measures.intervals import clopper_pearson
from labelkit.model import Role
from labelkit.store import Connection, Workspace, now, people, qualifications, training
from labelkit.store import repeats as stored

DEFAULT_SHARE = 0.05
SMALLEST_SHARE, LARGEST_SHARE = 0.01, 0.25

APART = 20
"""At least so many other pairs lie between a judgment and its repeat."""


@dataclass(frozen=True, slots=True)
class RepeatRule:
    """Whether pairs come again, and how many, as a share of a person's judgments."""

    on: bool
    share: float


@dataclass(frozen=True, slots=True)
class Consistency:
    """How often one person gave a repeated pair the same level: `same` of `n`.

    `low` and `high` bound the share: the exact binomial interval at 95 % (Clopper and Pearson
    1934); None without a repeat. `far` counts 0 once and 2 the other time.
    """

    person_id: str
    same: int
    n: int
    far: int
    low: float | None
    high: float | None


def repeat_rule(workspace: Workspace) -> RepeatRule:
    """The rule that holds: 5 % unless a lead chose otherwise."""
    with workspace.reading() as db:
        return _rule(db)


def set_repeats(workspace: Workspace, person_id: str, *, on: bool, share: float) -> None:
    """Switch repeats on or off and set their share.

    Raises NotAllowed where the person is not a lead, InputError for a share outside 1 to 25 %.
    """
    people.require(workspace, person_id, Role.LEAD)
    if not SMALLEST_SHARE <= share <= LARGEST_SHARE:
        raise InputError(f"A share of {share:.0%} is not possible: choose 1 % to 25 %.")
    with workspace.writing() as db:
        training.set_up(db, "repeats", {"on": on, "share": share}, person_id)


def draw_if_due(db: Connection, person_id: str, seed: str) -> None:
    """Open a repeat for this person where one is due now and a pair is far enough back."""
    rule, judged = _rule(db), qualifications.labels_of(db, person_id)
    if not rule.on or judged not in _due(person_id, seed, rule.share, judged, judged):
        return
    if judged in stored.drawn_at(db, person_id):
        return
    found = stored.eligible(db, person_id, APART)
    if found:
        chosen = min(found, key=lambda one: _hash(seed, person_id, "which", str(one)))
        stored.add(db, person_id, chosen, judged)


def still_to_come(db: Connection, person_id: str, seed: str, open_pairs: int) -> int:
    """How many repeats lie among the next `open_pairs` pairs and are not open yet.

    They are part of what the person sees as open, so that no repeat shows in a count that
    stands still.
    """
    rule, judged = _rule(db), qualifications.labels_of(db, person_id)
    if not rule.on:
        return 0
    last = judged + open_pairs - stored.count_open(db, person_id)
    due = set(_due(person_id, seed, rule.share, judged, last)) - stored.drawn_at(db, person_id)
    if judged in due and not stored.eligible(db, person_id, APART):
        due.discard(judged)
    return len(due)


def own_consistency(workspace: Workspace, person_id: str) -> Consistency:
    """The person's own figure, up to yesterday (UTC).

    Not up to now: a figure that moves with a save would tell which pair was a repeat.
    """
    today = now()[:10]
    with workspace.reading() as db:
        told = [row for row in stored.compared(db, today) if row[0] == person_id]
    return _consistency(person_id, told)


def consistency(workspace: Workspace, person_id: str) -> list[Consistency]:
    """Everyone's figure up to now, by person id; `person_id` is who asks.

    Raises NotAllowed unless they lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        compared = stored.compared(db, now())
    by_person: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for row in compared:
        by_person[row[0]].append(row)
    return [_consistency(rater, rows) for rater, rows in sorted(by_person.items())]


def _consistency(person_id: str, rows: list[tuple[str, int, int]]) -> Consistency:
    same = sum(first == again for _, first, again in rows)
    far = sum(abs(first - again) == 2 for _, first, again in rows)
    low, high = clopper_pearson(same, len(rows)) if rows else (None, None)
    return Consistency(person_id, same, len(rows), far, low, high)


def _rule(db: Connection) -> RepeatRule:
    held = training.current(db, "repeats")
    if held is None:
        return RepeatRule(True, DEFAULT_SHARE)
    return RepeatRule(held.on, float(held.value["share"]))


def _due(person_id: str, seed: str, share: float, first: int, last: int) -> Iterator[int]:
    """After how many judgments a repeat is due, from `first` to `last`.

    One somewhere in every 1/share judgments, from the first that has enough others behind it;
    where, is random per person, so that nobody can wait for it.
    """
    length, start = round(1 / share), APART + 1
    for block in range(max(0, (first - start) // length), max(0, (last - start) // length) + 1):
        offset = int.from_bytes(_hash(seed, person_id, "when", str(block))[:8], "big") % length
        if first <= start + block * length + offset <= last:
            yield start + block * length + offset


def _hash(*parts: str) -> bytes:
    return hashlib.sha256("\x1f".join(("repeat", *parts)).encode()).digest()
