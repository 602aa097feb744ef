"""Batches for named people, third labels, the order: who is given what, and what is said of it."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import Conflict, InputError, NotAllowed, NotReady
from labelkit.judging import EmptyQueue, assigning, ordering, third_labels
from labelkit.judging.assigning import Made, Wish
from labelkit.model import Role
from labelkit.store import Workspace, judgments, pairs, people

SOON = (datetime.now(UTC) + timedelta(days=9)).date().isoformat()


def batch(workspace: Workspace, *named: str, raters: int = 1, queries: str = "q1") -> Made:
    wish = Wish("First", raters, tuple(named), SOON, query_ids=tuple(queries.split()))
    return assigning.make(workspace, small.LEAD, wish)


def seen_by(workspace: Workspace, person: str) -> set[str]:
    return {task.query.query_id for task in small.work_through(workspace, person)}


def test_a_batch_goes_to_its_people_and_to_nobody_else(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    batch(workspace, small.ANN)
    assert seen_by(workspace, small.BO) == {"q2"}
    answer = judging.claim(workspace, small.BO)
    assert isinstance(answer, EmptyQueue)
    assert answer.counts["assigned to others"] == 3
    assert "named" in answer.reason
    assert seen_by(workspace, small.ANN) == {"q1"}


def test_a_pair_of_a_batch_cannot_be_claimed_by_its_number_either(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1)
    batch(workspace, small.ANN)
    with pytest.raises(Conflict):
        judging.claim_pair(workspace, small.BO, 1)


def test_closing_frees_what_waits_for_everyone(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1)
    made = batch(workspace, small.ANN)
    assert assigning.close(workspace, small.LEAD, made.batch.batch_id) == 3
    assert len(small.work_through(workspace, small.BO)) == 3
    with pytest.raises(Conflict):
        assigning.close(workspace, small.LEAD, made.batch.batch_id)


def test_a_pair_in_two_open_batches_goes_to_the_people_of_both(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1)
    batch(workspace, small.ANN)
    assert batch(workspace, small.BO).shared == 3
    assert isinstance(judging.claim(workspace, small.CY), EmptyQueue)
    small.claim(workspace, small.BO)


def test_more_raters_than_people_is_refused_at_once(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with pytest.raises(InputError, match="could never be finished"):
        batch(workspace, small.ANN, small.BO, raters=3)
    made = batch(workspace, small.ANN, small.BO, raters=2)
    with pytest.raises(InputError, match="could never be finished"):
        assigning.change(
            workspace, small.LEAD, made.batch.batch_id, people_named=[small.ANN], due=None
        )


def test_pairs_that_nobody_named_can_finish_are_counted(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    batch(workspace, small.ANN, small.BO, raters=2)
    assert assigning.standing(workspace, small.LEAD)[0].stuck == 0
    judging.deactivate(workspace, small.LEAD, small.BO)
    assert assigning.standing(workspace, small.LEAD)[0].stuck == 3
    number = assigning.standing(workspace, small.LEAD)[0].batch_id
    both = [small.ANN, small.CY]
    assigning.change(workspace, small.LEAD, number, people_named=both, due=SOON)
    assert assigning.standing(workspace, small.LEAD)[0].stuck == 0


def test_progress_and_due_day_are_told_to_lead_and_rater(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    batch(workspace, small.ANN)
    assert judging.progress(workspace, small.ANN).due == SOON
    assert judging.progress(workspace, small.BO).due is None
    small.work_through(workspace, small.ANN)
    held = assigning.standing(workspace, small.LEAD)[0]
    assert (held.pairs, held.waiting) == (3, 0)
    assert judging.progress(workspace, small.ANN).due is None
    assert assigning.is_overdue("2020-01-01")
    assert not assigning.is_overdue(SOON)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(""),
        Wish("b", raters=4),
        Wish("b", due="2020-01-01"),
        Wish("b", due="soon"),
        Wish("b", query_ids=("q9",)),
        Wish("b", retrievers=("nothing",)),
        Wish("b", depth=0),
    ],
)
def test_a_wish_that_cannot_be_is_refused(tmp_path: Path, wish: Wish) -> None:
    workspace = small.build(tmp_path / "w")
    with pytest.raises(InputError):
        assigning.make(workspace, small.LEAD, wish)
    assert assigning.standing(workspace, small.LEAD) == []


def test_only_leads_assign(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    for verb in (
        lambda: assigning.make(workspace, small.ANN, Wish("b")),
        lambda: assigning.standing(workspace, small.ANN),
        lambda: ordering.set_order(workspace, small.ANN, "random"),
        lambda: third_labels.set_share(workspace, small.ANN, 0.5),
        lambda: third_labels.standing(workspace, small.ANN),
    ):
        with pytest.raises(NotAllowed):
            verb()


def test_queries_without_judged_documents_can_be_chosen(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    small.say(workspace, small.ANN, task := small.claim(workspace, small.ANN))
    found = assigning.chosen(workspace, Wish("b", unjudged=True))
    assert [one.query_id for one in found] == [{"q1": "q2", "q2": "q1"}[task.query.query_id]]
    with pytest.raises(NotReady):
        assigning.chosen(workspace, Wish("b", sources=("failure",)))


def test_a_batch_pools_with_the_retrievers_that_were_chosen(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", document_count=5, pooled=False)
    wish = Wish("b", raters=2, retrievers=("bm25",), depth=2)
    made = assigning.make(workspace, small.LEAD, wish)
    with workspace.reading() as db:
        assert made.batch.pairs == pairs.count(db) > 0
        retrievers = db.execute("select distinct retriever from pair_sources").fetchall()
    assert [row[0] for row in retrievers] == ["bm25"]


def test_a_crowd_on_batches_passes_no_quota_and_no_border(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=3, document_count=8)
    crowd = []
    for number in range(16):
        crowd.append(people.add(workspace, f"Rater {number}", [Role.RATER]).person_id)
    batch(workspace, *crowd[:6], raters=2, queries="q1")
    batch(workspace, *crowd[6:9], raters=3, queries="q2")
    barrier = Barrier(len(crowd))

    def one(person: str) -> None:
        barrier.wait()
        small.work_through(workspace, person)

    with ThreadPoolExecutor(len(crowd)) as pool:
        list(pool.map(one, crowd))
    with workspace.reading() as db:
        events = judgments.history(db)
    held = Counter((one.query_id, one.doc_id) for one in events)
    wanted = {"q1": 2, "q2": 3, "q3": 1}
    assert all(count == wanted[key[0]] for key, count in held.items())
    assert len(held) == 24
    assert {one.person_id for one in events if one.query_id == "q1"} <= set(crowd[:6])
    assert {one.person_id for one in events if one.query_id == "q2"} == set(crowd[6:9])


class TestThirdLabels:
    """0 against 2 asks a third person."""

    @staticmethod
    def differing(path: Path, pair_count: int = 1) -> Workspace:
        workspace = small.build(path, query_count=1, document_count=pair_count, quota=2)
        small.work_through(workspace, small.ANN, lambda task: 0)
        small.work_through(workspace, small.BO, lambda task: 2)
        return workspace

    def test_the_third_is_asked_blind_and_the_pair_stays_a_disagreement(
        self, tmp_path: Path
    ) -> None:
        workspace = self.differing(tmp_path / "w")
        assert third_labels.standing(workspace, small.LEAD).asked == 1
        assert len(judging.disagreements(workspace, small.LEAD)) == 1
        task = small.claim(workspace, small.CY)
        assert task.draft is None
        small.say(workspace, small.CY, task, 2)
        assert third_labels.standing(workspace, small.LEAD).given == 1
        assert len(judging.disagreements(workspace, small.LEAD)) == 1
        people.add(workspace, "Dee Rater", [Role.RATER])
        assert isinstance(judging.claim(workspace, "dee-rater"), EmptyQueue)

    def test_one_level_apart_asks_nobody(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w", query_count=1, document_count=1, quota=2)
        small.work_through(workspace, small.ANN, lambda task: 1)
        small.work_through(workspace, small.BO, lambda task: 2)
        assert isinstance(judging.claim(workspace, small.CY), EmptyQueue)

    def test_an_undo_takes_the_request_back_unless_it_is_being_answered(
        self, tmp_path: Path
    ) -> None:
        workspace = self.differing(tmp_path / "w")
        judging.undo(workspace, small.BO)
        assert third_labels.standing(workspace, small.LEAD).asked == 0
        small.say(workspace, small.BO, small.claim(workspace, small.BO), 2)
        small.claim(workspace, small.CY)
        judging.undo(workspace, small.BO)
        small.say(workspace, small.BO, small.claim(workspace, small.BO), 0)
        assert small.say(workspace, small.CY, small.claim(workspace, small.CY)).level == 1

    def test_a_correction_asks_too(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w", query_count=1, document_count=1, quota=2)
        small.work_through(workspace, small.ANN, lambda task: 0)
        small.work_through(workspace, small.BO, lambda task: 1)
        last = judging.recent(workspace, small.BO, 1)[0]
        judging.correct(workspace, small.BO, last.judgment_id, level=2, reason="All of it.")
        assert third_labels.standing(workspace, small.LEAD).asked == 1

    def test_the_cap_holds_and_a_larger_one_asks_for_what_was_left_out(
        self, tmp_path: Path
    ) -> None:
        workspace = self.differing(tmp_path / "w", pair_count=8)
        found = third_labels.standing(workspace, small.LEAD)
        assert (found.asked, found.limit, found.left_out) == (5, 5, 3)
        assert third_labels.set_share(workspace, small.LEAD, 1.0) == 8
        assert len(small.work_through(workspace, small.CY)) == 8
        with pytest.raises(InputError):
            third_labels.set_share(workspace, small.LEAD, 1.2)

    def test_none_is_asked_where_none_is_wanted_or_nobody_could_give_it(
        self, tmp_path: Path
    ) -> None:
        workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
        batch(workspace, small.ANN, small.BO, raters=2)
        small.work_through(workspace, small.ANN, lambda task: 0)
        small.work_through(workspace, small.BO, lambda task: 2)
        assert third_labels.standing(workspace, small.LEAD).asked == 0
        other = small.build(tmp_path / "x", query_count=1, document_count=1, quota=2)
        third_labels.set_share(other, small.LEAD, 0)
        small.work_through(other, small.ANN, lambda task: 0)
        small.work_through(other, small.BO, lambda task: 2)
        assert isinstance(judging.claim(other, small.CY), EmptyQueue)


def changes(workspace: Workspace, person: str) -> tuple[int, list[tuple[str, str]]]:
    seen = small.keys(small.work_through(workspace, person))
    return sum(a[0] != b[0] for a, b in pairwise(seen)), seen


def test_fully_random_order_mixes_queries_and_is_ones_own(tmp_path: Path) -> None:
    orders = []
    for name, person in (("a", small.ANN), ("b", small.ANN), ("c", small.BO)):
        workspace = small.build(tmp_path / name, query_count=4, document_count=4)
        ordering.set_order(workspace, small.LEAD, "random")
        switches, seen = changes(workspace, person)
        assert switches > 5
        assert len(set(seen)) == 16
        orders.append(seen)
    assert orders[0] == orders[1] != orders[2]
    with pytest.raises(InputError):
        ordering.set_order(workspace, small.LEAD, "alphabetical")


def test_the_order_of_a_large_pool_shows_no_pattern(tmp_path: Path) -> None:
    """Of neighbours in the order about half go up; ranks hardly correlate with numbers."""
    workspace = small.build(tmp_path / "w", query_count=20, document_count=20)
    with workspace.reading() as db:
        order = [
            row[0]
            for row in db.execute(
                f"select w.pair_id from waiting_pairs w order by {pairs.SHUFFLED}",
                {"first": 123_456_789, "second": 987_654},
            )
        ]
    assert sorted(order) == list(range(1, 401))
    ups = sum(b > a for a, b in pairwise(order))
    assert 160 < ups < 240
    steps = Counter(b - a for a, b in pairwise(order))
    assert steps.most_common(1)[0][1] < 8


def test_what_someone_set_aside_fills_no_place(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2, quota=2)
    for person in (small.ANN, small.BO):
        judging.judge_later(workspace, person, small.claim(workspace, person).pair_id)
    small.expire_leases(workspace)
    assert len(small.work_through(workspace, small.CY)) == 2
    assert len(small.work_through(workspace, small.ANN)) == 1
    assert len(judging.judge_later_list(workspace, small.ANN)) == 1
    empty = judging.claim(workspace, small.ANN)
    assert isinstance(empty, EmptyQueue)
    assert (empty.counts["set aside by you"], empty.counts["waiting for another rater"]) == (1, 0)


def test_no_more_tasks_is_never_said_while_a_lease_is_stale(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=3)
    for person in (small.ANN, small.BO, small.CY):
        small.claim(workspace, person)
    late = people.add(workspace, "Dee Rater", [Role.RATER]).person_id
    assert isinstance(judging.claim(workspace, late), EmptyQueue)
    small.expire_leases(workspace)
    assert len(small.work_through(workspace, late)) == 3
