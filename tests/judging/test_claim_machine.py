"""Claims and judgments against a model of a few lines: who may be given what, and when."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack

import pytest
import small_project as small
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labelkit import judging
from labelkit.errors import Conflict, NotAllowed
from labelkit.judging import EmptyQueue, assigning, ordering
from labelkit.judging.assigning import Wish
from labelkit.model import Cause
from labelkit.store import now, pairs

Key = tuple[str, str]
KEYS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
PEOPLE = st.sampled_from(small.RATERS)
PICK = st.integers(0, 2)
NAMED = st.sets(PEOPLE, max_size=2)
WHAT = st.sampled_from([0, 2, 0, 2, Cause.NEEDS_EXPERT, Cause.QUERY_UNCLEAR])
BLOCKING = set(Cause) - {Cause.NEEDS_EXPERT}


def one_of(people: Iterable[str], pick: int) -> str:
    """One of these people; which, the number decides."""
    found = sorted(people)
    return found[pick % len(found)]


class Claims(RuleBasedStateMachine):
    """The model: `said` is level or cause by pair and person, `held` is each person's pair.

    `batches` are [pairs, people, open]; `asked` are the pairs with a third label asked for.
    """

    @initialize(quotas=st.lists(st.integers(1, 2), min_size=3, max_size=3))
    def start(self, quotas: list[int]) -> None:
        self.stack = ExitStack()
        folder = self.stack.enter_context(small.folder_in_memory())
        self.workspace = small.build(folder / "w", document_count=2, pooled=False)
        self.quota = dict(zip(KEYS, quotas, strict=True))
        for key, quota in self.quota.items():
            small.pool(self.workspace, [key], quota)
        with self.workspace.reading() as db:
            self.number = {key: pairs.find(db, *key).pair_id for key in KEYS}
        self.said: dict[Key, dict[str, int | Cause]] = {key: {} for key in KEYS}
        self.held: dict[str, Key] = {}
        self.live: set[str] = set()
        self.parked: dict[tuple[str, Key], str] = {}
        self.order: dict[str, list[Key]] = {person: [] for person in small.RATERS}
        self.drafts: dict[tuple[str, Key], int | None] = {}
        self.here = set(small.RATERS)
        self.batches: list[tuple[int, list[Key], set[str], int]] = []
        self.closed: set[int] = set()
        self.asked: set[Key] = set()

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.close()

    def judges(self) -> list[str]:
        return [one for one, judged in self.order.items() if judged and one in self.here]

    def levels(self, key: Key, without: str = "") -> int:
        return sum(isinstance(what, int) for who, what in self.said[key].items() if who != without)

    def at_work(self, key: Key, without: str) -> int:
        return sum(
            who != without and self.held[who] == key and not self.has_level(who, key)
            for who in self.live
        )

    def has_level(self, person: str, key: Key) -> bool:
        return isinstance(self.said[key].get(person), int)

    def room(self, person: str, key: Key) -> bool:
        return self.levels(key, person) + self.at_work(key, person) < self.quota[key]

    def open_for(self, person: str) -> set[Key]:
        found = set()
        for key in KEYS:
            if person in self.said[key] or self.levels(key, person) >= self.quota[key]:
                continue
            holds = self.held.get(person) == key and person in self.live
            blocked = BLOCKING & set(self.said[key].values())
            meant = person in self.meant(key)
            if holds or (not blocked and meant and self.room(person, key)):
                found.add(key)
        return found

    def meant(self, key: Key) -> set[str]:
        """The people of the open batches that hold the pair; everyone, if one names nobody."""
        named = [
            who
            for number, keys, who, _ in self.batches
            if number not in self.closed and key in keys
        ]
        if not named or not all(named):
            return set(small.RATERS)
        return set().union(*named)

    def settle(self, key: Key) -> None:
        """Ask for a third label on 0 against 2, if somebody can give it; take back what is idle."""
        levels = [what for what in self.said[key].values() if isinstance(what, int)]
        far = len(levels) == 2 and max(levels) - min(levels) == 2
        others = self.here & self.meant(key) - set(self.said[key])
        if far and key not in self.asked:
            if others and self.quota[key] < 3:
                self.asked.add(key)
                self.quota[key] = 3
        elif key in self.asked and not far and len(levels) < 3 and not self.at_work(key, ""):
            self.asked.discard(key)
            wanted = [raters for _, keys, _, raters in self.batches if key in keys]
            self.quota[key] = max([2, *wanted])

    def give(self, person: str, key: Key) -> None:
        self.held[person] = key
        self.live.add(person)

    def give_back(self, person: str) -> None:
        self.held.pop(person, None)
        self.live.discard(person)

    @rule(person=PEOPLE)
    def claim(self, person: str) -> None:
        if person not in self.here:
            with pytest.raises(NotAllowed):
                judging.claim(self.workspace, person)
            return
        allowed = self.open_for(person)
        free = {key for key in allowed if (person, key) not in self.parked}
        skipped = [
            key
            for (who, key), kind in self.parked.items()
            if who == person and kind == "skip" and key in allowed
        ]
        found = judging.claim(self.workspace, person)
        if self.held.get(person) in allowed:
            free = {self.held[person]}
        if isinstance(found, EmptyQueue):
            assert not free
            assert not skipped
            return
        key = (found.query.query_id, found.document.doc_id)
        assert key in free if free else key == skipped[0]
        if (person, key) in self.drafts:
            assert found.draft is not None
            assert found.draft.level == self.drafts[person, key]
        self.give(person, key)
        self.parked.pop((person, key), None)

    @rule(person=PEOPLE, what=WHAT)
    def claim_and_record(self, person: str, what: int | Cause) -> None:
        self.claim(person)
        if person in self.held:
            self.record(person, what, self.held[person])

    @precondition(lambda self: self.held)
    @rule(pick=PICK, what=WHAT)
    def record_what_is_open(self, pick: int, what: int | Cause) -> None:
        person = one_of(self.held, pick)
        self.record(person, what, self.held[person])

    @rule(person=PEOPLE, key=st.sampled_from(KEYS))
    def record_anything(self, person: str, key: Key) -> None:
        if person not in self.held and person in self.here:
            self.record(person, 1, key)

    def record(self, person: str, what: int | Cause, key: Key) -> None:
        allowed = self.held.get(person) == key and key in self.open_for(person)
        said = {"cause": what} if isinstance(what, Cause) else {"level": what}
        try:
            judging.record(
                self.workspace,
                person,
                self.number[key],
                reason="Because.",
                seconds_on_screen=small.LOOKED,
                **said,
            )
        except Conflict:
            assert not allowed
        else:
            assert allowed
            self.said[key][person] = what
            self.order[person].append(key)
            self.drafts.pop((person, key), None)
        self.give_back(person)
        if allowed:
            self.settle(key)

    @precondition(lambda self: self.judges())
    @rule(pick=PICK)
    def undo(self, pick: int) -> None:
        person = one_of(self.judges(), pick)
        withdrawn = judging.undo(self.workspace, person)
        assert withdrawn is not None
        key = self.order[person].pop()
        assert (withdrawn.query_id, withdrawn.doc_id) == key
        what = self.said[key].pop(person)
        self.drafts[person, key] = None if isinstance(what, Cause) else what
        self.settle(key)
        if key in self.open_for(person):
            self.give(person, key)

    @precondition(lambda self: self.judges())
    @rule(pick=PICK, level=st.sampled_from([0, 1, 2]))
    def correct(self, pick: int, level: int) -> None:
        person = one_of(self.judges(), pick)
        key = self.order[person][-1]
        last = judging.recent(self.workspace, person, 1)[0]
        allowed = self.has_level(person, key) or self.room(person, key)
        try:
            judging.correct(
                self.workspace, person, last.judgment_id, level=level, reason="On reflection."
            )
        except Conflict:
            assert not allowed
        else:
            assert allowed
            self.said[key][person] = level
            self.settle(key)

    @precondition(lambda self: self.held)
    @rule(pick=PICK, kind=st.sampled_from(["skip", "later"]))
    def set_aside(self, pick: int, kind: str) -> None:
        person = one_of(self.held, pick)
        key = self.held[person]
        verb = judging.skip if kind == "skip" else judging.judge_later
        verb(self.workspace, person, self.number[key])
        self.parked.pop((person, key), None)
        self.parked[person, key] = kind
        self.give_back(person)

    @rule(
        keys=st.sampled_from([("q1",), ("q2",), ("q1", "q2")]),
        named=NAMED,
        raters=st.integers(1, 2),
    )
    def make_a_batch(self, keys: tuple[str, ...], named: Collection[str], raters: int) -> None:
        people = set(named) & self.here
        if people and len(people) < raters:
            return
        wish = Wish("batch", raters=raters, people=tuple(people), query_ids=keys)
        made = assigning.make(self.workspace, small.LEAD, wish)
        held = [key for key in KEYS if key[0] in keys]
        self.batches.append((made.batch.batch_id, held, people, raters))
        for key in held:
            self.quota[key] = max(self.quota[key], raters)

    @precondition(lambda self: len(self.batches) > len(self.closed))
    @rule()
    def close_a_batch(self) -> None:
        number = next(one for one, *_ in self.batches if one not in self.closed)
        assigning.close(self.workspace, small.LEAD, number)
        self.closed.add(number)

    @rule(person=PEOPLE)
    def leave_or_come_back(self, person: str) -> None:
        if person not in self.here:
            judging.reactivate(self.workspace, small.LEAD, person)
            self.here.add(person)
            return
        judging.deactivate(self.workspace, small.LEAD, person)
        self.here.discard(person)
        self.give_back(person)
        self.parked = {one: kind for one, kind in self.parked.items() if one[0] != person}
        self.drafts = {one: level for one, level in self.drafts.items() if one[0] != person}

    @rule(wanted=st.sampled_from(ordering.ORDERS))
    def set_the_order(self, wanted: str) -> None:
        ordering.set_order(self.workspace, small.LEAD, wanted)

    @rule()
    def half_an_hour_passes(self) -> None:
        small.expire_leases(self.workspace)
        self.live.clear()

    @invariant()
    def no_quota_is_passed_and_what_stands_is_what_was_said(self) -> None:
        if not hasattr(self, "drafts"):
            return
        state = judging.load(self.workspace)
        found: dict[Key, dict[str, int | Cause]] = {key: {} for key in KEYS}
        for held in state.judgments:
            key = (held.query_id, held.doc_id)
            assert held.person_id not in found[key]
            found[key][held.person_id] = held.cause if held.level is None else held.level
        assert found == self.said
        for key in KEYS:
            assert self.levels(key) <= self.quota[key]

    @invariant()
    def the_count_and_the_kept_table_say_what_is_open(self) -> None:
        if not hasattr(self, "drafts"):
            return
        with self.workspace.reading() as db:
            for person in self.here:
                free = {key for key in self.open_for(person) if (person, key) not in self.parked}
                assert pairs.count_open(db, person, now()) == len(free)
                assert set(pairs.open_queries(db, person, now())) == {key[0] for key in free}
            kept, wanted = (
                [tuple(row) for row in db.execute(f"select * from {name} order by pair_id")]
                for name in ("waiting_pairs", "pairs_that_wait")
            )
        assert kept == wanted

    @invariant()
    def the_later_list_holds_what_can_still_be_judged(self) -> None:
        if not hasattr(self, "drafts"):
            return
        for person in small.RATERS:
            wanted = [
                self.number[key]
                for (who, key), kind in self.parked.items()
                if who == person and kind == "later" and key in self.open_for(person)
            ]
            listed = [pair_id for pair_id, _, _ in judging.judge_later_list(self.workspace, person)]
            assert listed == wanted


TestClaims = Claims.TestCase
TestClaims.settings = settings(
    max_examples=30,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
