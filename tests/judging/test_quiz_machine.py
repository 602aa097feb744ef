"""Labels that are left out until a quiz is passed, and come back: nothing is counted twice.

A model of a few lines says whose labels count; the project, its agreement and its releases must
say the same after every step, whatever came between.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
import small_project as small
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labelkit import judging, releases
from labelkit.errors import NotReady
from labelkit.judging import agreeing, quiz, third_labels
from labelkit.judging.quiz import KIND, TRUSTED
from labelkit.store import Workspace, training

Key = tuple[str, str]
KEYS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
PEOPLE = st.sampled_from(small.RATERS)


def require_quiz(workspace: Workspace) -> None:
    """Require a quiz as the verb does, without the dozen agreed pairs it would be drawn from."""
    rule = {"on": True, "size": 6, "pass_mark": 0.8, "measure": "exact", "attempts": 2}
    with workspace.writing() as db:
        training.set_up(db, KIND, rule, small.LEAD)
        third_labels.settle_all(db)


class Quiz(RuleBasedStateMachine):
    """`said` is everyone's level by pair, counted or not; `vouched` are those who passed."""

    @initialize(quotas=st.lists(st.integers(1, 2), min_size=3, max_size=3))
    def start(self, quotas: list[int]) -> None:
        self.stack = ExitStack()
        folder = self.stack.enter_context(small.folder_in_memory())
        self.workspace = small.build(folder / "w", document_count=2, pooled=False)
        for key, quota in zip(KEYS, quotas, strict=True):
            small.pool(self.workspace, [key], quota)
        self.said: dict[Key, dict[str, int]] = {key: {} for key in KEYS}
        self.order: dict[str, list[Key]] = {person: [] for person in small.RATERS}
        self.required = False
        self.vouched: set[str] = set()
        self.frozen = 0

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.stack.close()

    def counting(self) -> set[str]:
        return self.vouched if self.required else set(small.RATERS)

    def levels(self, key: Key) -> dict[str, int]:
        return {who: level for who, level in self.said[key].items() if who in self.counting()}

    @rule(person=PEOPLE, level=st.sampled_from([0, 2, 1]))
    def judge(self, person: str, level: int) -> None:
        if person not in self.counting():
            with pytest.raises(NotReady, match="quiz"):
                judging.claim(self.workspace, person)
            return
        task = judging.claim(self.workspace, person)
        if isinstance(task, judging.Task):
            key = (task.query.query_id, task.document.doc_id)
            assert person not in self.said[key]
            small.say(self.workspace, person, task, level)
            self.said[key][person] = level
            self.order[person].append(key)

    @rule(person=PEOPLE)
    def undo(self, person: str) -> None:
        withdrawn = judging.undo(self.workspace, person)
        assert (withdrawn is None) == (not self.order[person])
        if withdrawn is not None:
            del self.said[self.order[person].pop()][person]

    @rule()
    def require(self) -> None:
        require_quiz(self.workspace)
        self.required = True

    @rule()
    def stop_requiring(self) -> None:
        quiz.stop_requiring(self.workspace, small.LEAD)
        self.required = False

    @rule(person=PEOPLE)
    def vouch(self, person: str) -> None:
        quiz.vouch(self.workspace, small.LEAD, person, TRUSTED)
        self.vouched.add(person)

    @precondition(lambda self: any(self.levels(key) for key in KEYS))
    @rule()
    def freeze(self) -> None:
        self.frozen += 1
        tag = f"v{self.frozen}"
        if any(len(set(self.levels(key).values())) > 1 for key in KEYS):
            with pytest.raises(NotReady):
                releases.freeze(self.workspace, tag, small.LEAD)
            return
        made = releases.freeze(self.workspace, tag, small.LEAD)
        assert releases.verify(made.folder).ok
        lines = (made.folder / "judgments.jsonl").read_text().splitlines()
        rows = [(one["query_id"], one["doc_id"], one["level"]) for one in map(json.loads, lines)]
        wanted = [(*key, level) for key in KEYS for level in self.levels(key).values()]
        assert sorted(rows) == sorted(wanted)

    @invariant()
    def what_counts_is_what_the_model_counts(self) -> None:
        if not hasattr(self, "frozen"):
            return
        state = judging.load(self.workspace)
        wanted = {(*key, who, level) for key in KEYS for who, level in self.levels(key).items()}
        held = [(j.query_id, j.doc_id, j.person_id, j.level) for j in state.judgments]
        assert sorted(held) == sorted(wanted)
        labels = [
            (label.unit, label.rater, label.value) for label in agreeing.labels_of(self.workspace)
        ]
        assert sorted(labels) == sorted((f"{q}\t{d}", who, level) for q, d, who, level in wanted)
        counts = judging.count(state)
        distinct = [set(self.levels(key).values()) for key in KEYS]
        assert counts.pairs_resolved == sum(len(found) == 1 for found in distinct)
        assert counts.pairs_unresolved == sum(len(found) > 1 for found in distinct)
        assert counts.pairs_second_labelled == sum(len(self.levels(key)) > 1 for key in KEYS)

    @invariant()
    def the_kept_table_of_waiting_pairs_is_right(self) -> None:
        if not hasattr(self, "frozen"):
            return
        with self.workspace.reading() as db:
            kept, wanted = (
                [tuple(row) for row in db.execute(f"select * from {name} order by pair_id")]
                for name in ("waiting_pairs", "pairs_that_wait")
            )
        assert kept == wanted


TestQuiz = Quiz.TestCase
TestQuiz.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_a_label_that_comes_back_with_0_against_2_asks_for_a_third(tmp_path: Path) -> None:
    """Known from our own list: the rule looked at a pair only when somebody saved."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    small.say(workspace, small.ANN, small.claim(workspace, small.ANN), 0)
    require_quiz(workspace)
    quiz.vouch(workspace, small.LEAD, small.BO, TRUSTED)
    small.say(workspace, small.BO, small.claim(workspace, small.BO), 2)
    assert third_labels.standing(workspace, small.LEAD).asked == 0
    quiz.vouch(workspace, small.LEAD, small.ANN, TRUSTED)
    quiz.vouch(workspace, small.LEAD, small.CY, TRUSTED)
    assert third_labels.standing(workspace, small.LEAD).asked == 1
    small.claim(workspace, small.CY)
    quiz.stop_requiring(workspace, small.LEAD)
    assert third_labels.standing(workspace, small.LEAD).asked == 1
