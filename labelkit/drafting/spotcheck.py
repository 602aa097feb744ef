"""Spot-checks: a random sample of the drafts is read first, the rest follows a lead's choice."""

from __future__ import annotations

import math
import random
import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.drafting.review import pool_source, waiting_drafts
from labelkit.errors import InputError, NotReady
from labelkit.measures import Estimate, estimate
from labelkit.model import UNREVIEWED, QueryState, Role
from labelkit.store import Connection, Workspace, people, queries, query_history, reviews
from labelkit.store.reviews import Checked, ChoiceRow, SampleRow

SHARES = (10, 15, 20, 30, 100)
"""Shares of the waiting drafts that can be drawn, in per cent."""

FEWEST = 10
"""Below this many decisions a rate is shown as too few to go by."""

UNTYPED, UNWARNED = "(no type)", "(no warning)"


@dataclass(frozen=True, slots=True)
class SampleStanding:
    """How far a spot-check sample is, and what it says.

    `drawn` of `population` drafts were drawn, `read` of them decided on, `open` wait. `outside`
    lists the drafts of the population that were not drawn and wait for the lead's choice; `later`
    counts drafts that came after the sample. `rate` is the share accepted among those read, with
    its exact binomial interval, `edited` how many of them were edited first.
    """

    sample: SampleRow
    population: int
    drawn: int
    read: int
    open: int
    outside: tuple[str, ...]
    later: int
    rate: Estimate
    edited: int
    by_type: dict[str, Estimate]
    by_warning: dict[str, Estimate]

    @property
    def done(self) -> bool:
        """Whether every drawn draft was decided on."""
        return not self.open

    @property
    def enough(self) -> bool:
        """Whether enough was read for the rate to say anything."""
        return self.read >= FEWEST


def draw(workspace: Workspace, person_id: str, share: int, *, seed: int | None = None) -> int:
    """Draw a share (one of SHARES, in per cent) of the waiting drafts at random; returns how many.

    The whole population, the seed (a random one if None) and who drew are recorded. While the
    present sample is not settled, only a larger share can be drawn: the same drafts in the same
    order, so that those read already stay in. Raises InputError for another share, NotReady
    where no draft waits or the present sample is not settled.
    """
    people.require(workspace, person_id, Role.LEAD)
    if share not in SHARES:
        raise InputError(f"A sample is {', '.join(map(str, SHARES))} % of the drafts, not {share}.")
    with workspace.writing() as db:
        present = reviews.last_sample(db)
        if present is not None and _unsettled(db, present):
            return _enlarge(db, person_id, present, share)
        waiting = [draft.query_id for draft in waiting_drafts(db)]
        if not waiting:
            raise NotReady("No draft waits, so there is nothing to draw from.")
        chosen = secrets.randbelow(2**31) if seed is None else seed
        return _save(db, person_id, waiting, share, chosen, None)


def _unsettled(db: Connection, sample: SampleRow) -> bool:
    waiting = {draft.query_id for draft in waiting_drafts(db)}
    return not waiting.isdisjoint(reviews.members(db, sample.sample_id))


def _enlarge(db: Connection, person_id: str, present: SampleRow, share: int) -> int:
    if share <= present.share:
        raise NotReady(
            f"The sample of {present.share} % drawn by {present.drawn_by} is not settled: read its "
            "drafts and decide on those outside it, or draw a larger share, which keeps it."
        )
    population = list(reviews.members(db, present.sample_id))
    return _save(db, person_id, population, share, present.seed, present.sample_id)


def _save(
    db: Connection,
    person_id: str,
    population: Sequence[str],
    share: int,
    seed: int,
    enlarges: int | None,
) -> int:
    drawn = drawn_of(population, share, seed)
    reviews.add_sample(
        db,
        [(query_id, query_id in drawn) for query_id in population],
        share=share,
        seed=seed,
        person_id=person_id,
        enlarges=enlarges,
    )
    return len(drawn)


def drawn_of(population: Iterable[str], share: int, seed: int) -> frozenset[str]:
    """The drafts that a seed draws; a larger share of the same drafts holds every smaller one."""
    order = sorted(population)
    random.Random(seed).shuffle(order)
    return frozenset(order[: math.ceil(len(order) * share / 100)])


def sample_standing(workspace: Workspace) -> SampleStanding | None:
    """Where the newest sample stands, or None where none was drawn."""
    with workspace.reading() as db:
        sample = reviews.last_sample(db)
        return None if sample is None else _standing(db, sample)


def _standing(db: Connection, sample: SampleRow) -> SampleStanding:
    members = reviews.members(db, sample.sample_id)
    read = reviews.checked(db, sample.sample_id)
    waiting = [draft.query_id for draft in waiting_drafts(db)]
    return SampleStanding(
        sample=sample,
        population=len(members),
        drawn=sum(members.values()),
        read=len(read),
        open=sum(members.get(query_id, False) for query_id in waiting),
        outside=tuple(q for q in waiting if members.get(q) is False),
        later=sum(query_id not in members for query_id in waiting),
        rate=estimate([one.accepted for one in read]),
        edited=sum(one.edited for one in read),
        by_type=_rates(read, lambda one: [one.document_type or UNTYPED]),
        by_warning=_rates(read, _warnings_of),
    )


def _warnings_of(one: Checked) -> Sequence[str]:
    return () if one.warnings is None else one.warnings or (UNWARNED,)


def _rates(read: Sequence[Checked], names: Any) -> dict[str, Estimate]:
    """The acceptance rate by name, most often named first; one draft may have several names."""
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for one in read:
        for name in names(one):
            groups[name].append(one.accepted)
    order = sorted(groups, key=lambda name: (-len(groups[name]), name))
    return {name: estimate(groups[name]) for name in order}


def settle_outside(workspace: Workspace, person_id: str, choice: str, *, note: str) -> int:
    """Accept unread, or hold, every draft outside the sample; returns how many.

    `choice` is "accepted" or "held". The choice is recorded with the note, the sample and its
    rate; an accepted query's provenance says that nobody read it. Raises InputError without a
    note, NotReady where no sample was drawn, its drafts are not all read (for accepting), or
    nothing is left outside it.
    """
    people.require(workspace, person_id, Role.LEAD)
    if choice not in ("accepted", "held"):
        raise InputError(f"Drafts outside the sample are accepted or held, not {choice!r}.")
    if not note.strip():
        raise InputError("Write down why: one sentence. It is kept with the choice.")
    with workspace.writing() as db:
        standing = _to_settle(db, choice)
        number = reviews.add_choice(
            db,
            standing.sample.sample_id,
            choice,
            drafts=len(standing.outside),
            rate=rate_row(standing.rate),
            note=note.strip(),
            person_id=person_id,
        )
        for query_id in standing.outside:
            _settle(db, query_id, person_id, choice, number, note.strip())
        return len(standing.outside)


def _to_settle(db: Connection, choice: str) -> SampleStanding:
    sample = reviews.last_sample(db)
    standing = None if sample is None else _standing(db, sample)
    if standing is None:
        raise NotReady("Draw a sample first: nothing is known about these drafts yet.")
    if not standing.outside:
        raise NotReady("No draft is left outside the sample; somebody may have been faster.")
    if choice == "accepted" and not standing.done:
        raise NotReady(
            f"{standing.open} of the {standing.drawn} drafts of the sample "
            f"{'waits' if standing.open == 1 else 'wait'} to be read; the others can be accepted "
            "once all of it is."
        )
    return standing


def _settle(
    db: Connection, query_id: str, person_id: str, choice: str, number: int, note: str
) -> None:
    draft = queries.get(db, query_id)
    if draft is None:
        return
    if choice == "accepted":
        queries.move(
            db,
            query_id,
            before=QueryState.DRAFT,
            after=QueryState.ACCEPTED,
            person_id=person_id,
            detail=UNREVIEWED,
        )
        parts = [part for part in (draft.provenance, UNREVIEWED) if part]
        reviews.set_provenance(db, query_id, ", ".join(parts))
        pool_source(db, draft)
    else:
        query_history.note(db, query_id, person_id, "held", note)
    reviews.record(db, query_id, person_id, choice, text=draft.text, note=note, choice_id=number)


def release_held(workspace: Workspace, person_id: str) -> int:
    """Let all held drafts wait for review again; returns how many.

    Raises NotReady where none is held.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        held = reviews.held(db)
        if not held:
            raise NotReady("No draft is held.")
        for query_id in held:
            draft = queries.get(db, query_id)
            reviews.record(db, query_id, person_id, "released", text=draft.text if draft else "")
            query_history.note(db, query_id, person_id, "released")
        return len(held)


def choices(workspace: Workspace) -> list[ChoiceRow]:
    """What leads chose for drafts outside their samples, newest first."""
    with workspace.reading() as db:
        return reviews.choices(db)


def rate_row(rate: Estimate) -> dict[str, Any]:
    """A rate as it is kept with a choice: share, exact 95 % interval, and n."""
    return {"share": rate.mean, "low": rate.low, "high": rate.high, "n": rate.n}
