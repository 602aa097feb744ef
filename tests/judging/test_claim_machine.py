"""Claims and judgments against a model of a few lines: who may be given what, and when."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

import small_project as small
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labelkit import judging
from labelkit.errors import Conflict
from labelkit.judging import EmptyQueue
from labelkit.model import Cause
from labelkit.store import pairs

Key = tuple[str, str]
KEYS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
PEOPLE = st.sampled_from(small.RATERS)
PICK = st.integers(0, 2)
WHAT = st.sampled_from([0, 2, Cause.NEEDS_EXPERT, Cause.QUERY_UNCLEAR])
BLOCKING = set(Cause) - {Cause.NEEDS_EXPERT}


def one_of(people: Iterable[str], pick: int) -> str:
    """One of these people; which, the number decides."""
    found = sorted(people)
    return found[pick % len(found)]


class Claims(RuleBasedStateMachine):
    """The model: `said` is level or cause by pair and person, `held` is each person's pair."""

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

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.close()

    def judges(self) -> list[str]:
        return [person for person, judged in self.order.items() if judged]

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
            if holds or (not blocked and self.room(person, key)):
                found.add(key)
        return found

    def give(self, person: str, key: Key) -> None:
        self.held[person] = key
        self.live.add(person)

    def give_back(self, person: str) -> None:
        self.held.pop(person, None)
        self.live.discard(person)

    @rule(person=PEOPLE)
    def claim(self, person: str) -> None:
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
        if person not in self.held:
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
