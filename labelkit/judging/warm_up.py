"""The warm-up: pairs with an agreed level that a new rater grades first, told the level after each.

Off until a lead switches it on: a project begins without agreed pairs. It never stands in the way
of somebody who has judged before, and nothing that is said in it is a judgment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelkit.errors import NotReady
from labelkit.judging import agreed, training
from labelkit.judging import state as project
from labelkit.judging.training import Exercise, Feedback
from labelkit.model import LEVELS, Role, Span
from labelkit.store import Connection, Workspace, judgments, meta, people
from labelkit.store import training as stored
from labelkit.store.training import Item, Setup

SMALLEST = 6
"""Pairs in a warm-up, at least."""

KIND, DRAW = "warm_up", 1


@dataclass(frozen=True, slots=True)
class WarmUpState:
    """Where one person stands: whether there is a warm-up, and whether it comes first for them.

    `exercise` is the next pair of the attempt that runs; `told` is what was said in the last one.
    """

    on: bool
    due: bool
    finished: bool
    exercise: Exercise | None
    told: tuple[Feedback, ...]


def set_up(workspace: Workspace, person_id: str, *, size: int = SMALLEST) -> list[Item]:
    """Draw a warm-up and switch it on; returns its pairs in order.

    Boundary examples come first, then adjudicated and agreed pairs; the draw is seeded, levels as
    even as they come. Raises NotReady, saying what to add, where there are fewer than six pairs
    or a level is missing; NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    seed = meta.get(workspace, "seed") or "0"
    with workspace.writing() as db:
        size = max(size, SMALLEST)
        found = _draw(db, size, seed)
        missing = agreed.lacking(found, SMALLEST)
        if missing:
            raise NotReady(f"No warm-up yet: {'; '.join(missing)}. {WHAT_TO_ADD}")
        value = {"on": True, "size": len(found), "seed": seed}
        stored.save_items(db, stored.set_up(db, KIND, value, person_id), DRAW, found)
        return found


WHAT_TO_ADD = (
    "Add boundary examples to the rubric (with a passage, or a document of the corpus), let two "
    "people judge the same pairs, or adjudicate where they differ."
)


def offered(workspace: Workspace, person_id: str) -> int:
    """How many pairs a warm-up could have now; 0 where a lead has decided on it, or it cannot be.

    Raises NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        if stored.current(db, KIND) is not None:
            return 0
        found = _draw(db, SMALLEST, "0")
        return 0 if agreed.lacking(found, SMALLEST) else sum(map(len, _sources(db)))


def switch_off(workspace: Workspace, person_id: str) -> None:
    """Let everyone begin with real pairs again; what was said stays on record."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        stored.set_up(db, KIND, {"on": False}, person_id)


def supply(workspace: Workspace) -> Mapping[str, Mapping[int, int]]:
    """How many pairs there are to draw from: by source ("example", "settled"), then level."""
    with workspace.reading() as db:
        sources = dict(zip(("example", "settled"), _sources(db), strict=True))
    return {
        name: {level: sum(item.level == level for item in items) for level in LEVELS}
        for name, items in sources.items()
    }


def pairs(workspace: Workspace, person_id: str) -> list[Item]:
    """The pairs of the warm-up that is on, for a lead to look at; none where it is off."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        setup = _setup(db)
        return stored.items(db, setup.setup_id, DRAW) if setup else []


def _sources(db: Connection) -> tuple[list[Item], list[Item]]:
    state = project.read(db)
    return agreed.examples(db, state), agreed.settled(db, state)


def _draw(db: Connection, size: int, seed: str) -> list[Item]:
    quiz = stored.current(db, "quiz")
    draws = range(1, 1 + (int(quiz.value.get("attempts", 0)) if quiz else 0))
    used = training.taken(db, quiz, draws)
    sources = [agreed.without(source, used) for source in _sources(db)]
    seen = {agreed.identity(item) for item in sources[0]}
    return agreed.draw([sources[0], agreed.without(sources[1], seen)], size, f"warm-up {seed}")


def _setup(db: Connection) -> Setup | None:
    held = stored.current(db, KIND)
    return held if held is not None and held.on else None


def standing(workspace: Workspace, person_id: str) -> WarmUpState:
    """Where this person stands; it comes first for raters who have not judged anything yet."""
    with workspace.reading() as db:
        setup = _setup(db)
        person = people.get(workspace, person_id) if setup is not None else None
        if setup is None or person is None:
            return WarmUpState(False, False, False, None, ())
        done = stored.ever_finished(db, KIND, person_id)
        attempt = training.running(db, setup, person_id)
        held = stored.attempts(db, setup.setup_id, person_id)
        new = Role.LEAD not in person.roles and not judgments.count_of(db, person_id)
        return WarmUpState(
            on=True,
            due=new and not done,
            finished=done,
            exercise=training.exercise(db, attempt) if attempt else None,
            told=tuple(training.feedback(db, held[-1])) if held else (),
        )


def begin(workspace: Workspace, person_id: str) -> Exercise:
    """Begin the warm-up, or begin it anew; one that runs goes on where it is.

    Raises NotReady where it is off.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        setup = _setup(db)
        if setup is None:
            raise NotReady("There is no warm-up now: go on with the pairs themselves.")
        attempt = training.running(db, setup, person_id)
        attempt = attempt or stored.begin(db, setup.setup_id, person_id, DRAW)
        found = training.exercise(db, attempt)
    if found is None:
        raise NotReady("The warm-up has no pairs: a lead draws it again.")
    return found


def answer(
    workspace: Workspace,
    person_id: str,
    item_id: int,
    *,
    level: int | None,
    reason: str,
    evidence: Sequence[Span] = (),
) -> Feedback:
    """Write what the person says of the pair that is next, and tell what is agreed.

    Raises InputError without level, reason or the evidence that the rubric requires, Conflict
    where another pair is next by now.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        setup = _setup(db)
        attempt = None if setup is None else training.running(db, setup, person_id)
        return training.answer(db, attempt, item_id, level, reason, evidence)
