"""Who is given which pair: never too many people, never the same pair twice, and why none."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import pytest
import small_project as small

from labelkit import judging
from labelkit.errors import Conflict, NotAllowed
from labelkit.judging import EmptyQueue, Task
from labelkit.model import Cause, Query, QuerySource, Role
from labelkit.store import Workspace, meta, people, queries

CROWD = 50


def crowded(path: Path, document_count: int, quota: int = 1) -> Workspace:
    """A project with one query and fifty raters."""
    workspace = small.build(path, query_count=1, document_count=document_count, quota=quota)
    with workspace.writing() as db:
        for number in range(CROWD):
            people.save(db, f"Rater {number:02d}", [Role.RATER])
    return workspace


def all_claim_at_once(workspace: Workspace) -> list[Task | EmptyQueue]:
    barrier = Barrier(CROWD)

    def one(number: int) -> Task | EmptyQueue:
        barrier.wait()
        return judging.claim(workspace, f"rater-{number:02d}")

    with ThreadPoolExecutor(CROWD) as pool:
        return list(pool.map(one, range(CROWD)))


def test_fifty_people_at_the_same_moment_get_fifty_different_pairs(tmp_path: Path) -> None:
    found = all_claim_at_once(crowded(tmp_path / "w", CROWD))
    given = [task.pair_id for task in found if isinstance(task, Task)]
    assert len(given) == len(set(given)) == CROWD


def test_fifty_people_on_a_pool_with_room_for_thirty_fill_it_and_no_more(tmp_path: Path) -> None:
    found = all_claim_at_once(crowded(tmp_path / "w", 15, quota=2))
    given = Counter(task.pair_id for task in found if isinstance(task, Task))
    assert set(given.values()) == {2}
    assert len(given) == 15
    turned_away = [answer for answer in found if isinstance(answer, EmptyQueue)]
    assert len(turned_away) == 20
    assert all("other people's screens" in answer.reason for answer in turned_away)


def test_claiming_again_gives_the_pair_that_is_open(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    first = small.claim(workspace, small.ANN)
    assert small.claim(workspace, small.ANN).pair_id == first.pair_id


def test_a_pair_never_goes_to_the_same_person_twice(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", quota=3)
    seen = small.work_through(workspace, small.ANN)
    assert len(seen) == len({task.pair_id for task in seen}) == 6
    assert isinstance(judging.claim(workspace, small.ANN), EmptyQueue)


def test_a_lease_that_ran_out_frees_its_pair_in_the_next_claim(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    held = small.claim(workspace, small.ANN)
    assert isinstance(judging.claim(workspace, small.BO), EmptyQueue)
    small.expire_leases(workspace)
    assert small.claim(workspace, small.BO).pair_id == held.pair_id
    with pytest.raises(Conflict):
        small.say(workspace, small.ANN, held)
    small.say(workspace, small.BO, held)


def test_a_late_save_counts_where_nobody_was_given_the_pair_meanwhile(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    held = small.claim(workspace, small.ANN)
    small.expire_leases(workspace)
    assert small.say(workspace, small.ANN, held, 0).level == 0


def test_the_order_is_random_per_person_and_the_same_every_time(tmp_path: Path) -> None:
    def order(path: Path, seed: str, person: str) -> list[tuple[str, str]]:
        workspace = small.build(path, query_count=3, document_count=3, quota=3)
        meta.put(workspace, "seed", seed)
        return small.keys(small.work_through(workspace, person))

    ann = order(tmp_path / "a", "1", small.ANN)
    assert order(tmp_path / "b", "1", small.ANN) == ann
    others = [order(tmp_path / "c", "1", small.BO), order(tmp_path / "d", "2", small.ANN)]
    for other in others:
        assert sorted(other) == sorted(ann)
        assert other != ann


def test_the_documents_of_one_query_come_together(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=3, document_count=3)
    asked = [query_id for query_id, _ in small.keys(small.work_through(workspace, small.ANN))]
    changes = sum(before != after for before, after in pairwise(asked))
    assert changes == 2


def test_position_counts_through_the_querys_documents(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=3)
    seen = small.work_through(workspace, small.ANN)
    assert [(task.position, task.of) for task in seen] == [(1, 3), (2, 3), (3, 3)]


def test_a_skipped_pair_comes_back_at_the_end(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=3)
    skipped = small.claim(workspace, small.ANN)
    judging.skip(workspace, small.ANN, skipped.pair_id)
    seen = small.work_through(workspace, small.ANN)
    assert [task.pair_id for task in seen][-1] == skipped.pair_id
    assert len(seen) == 3


def test_judge_later_has_its_own_list_and_comes_back_only_from_there(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=3)
    later = small.claim(workspace, small.ANN)
    judging.judge_later(workspace, small.ANN, later.pair_id)
    seen = small.work_through(workspace, small.ANN)
    assert later.pair_id not in [task.pair_id for task in seen]
    listed = judging.judge_later_list(workspace, small.ANN)
    assert listed == [(later.pair_id, later.query.text, later.document.title)]
    answer = judging.claim(workspace, small.ANN)
    assert isinstance(answer, EmptyQueue)
    assert answer.counts["set aside by you"] == 1
    opened = judging.claim_pair(workspace, small.ANN, later.pair_id)
    small.say(workspace, small.ANN, opened)
    assert judging.judge_later_list(workspace, small.ANN) == []


def test_what_is_set_aside_is_still_open_to_others(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    task = small.claim(workspace, small.ANN)
    judging.judge_later(workspace, small.ANN, task.pair_id)
    assert small.claim(workspace, small.BO).pair_id == task.pair_id


def test_a_pair_that_another_person_finished_leaves_the_later_list_and_the_reason(
    tmp_path: Path,
) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    judging.judge_later(workspace, small.ANN, small.claim(workspace, small.ANN).pair_id)
    small.work_through(workspace, small.BO)
    assert judging.judge_later_list(workspace, small.ANN) == []
    answer = judging.claim(workspace, small.ANN)
    assert isinstance(answer, EmptyQueue)
    assert answer.counts["set aside by you"] == 0
    assert answer.reason == "Everything that was pooled is judged."


def test_only_the_pair_that_is_open_can_be_set_aside(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    task = small.claim(workspace, small.ANN)
    with pytest.raises(Conflict):
        judging.skip(workspace, small.BO, task.pair_id)
    with pytest.raises(Conflict):
        judging.judge_later(workspace, small.ANN, task.pair_id + 1)


def test_a_closed_pair_cannot_be_claimed_by_its_number(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    task = small.claim(workspace, small.ANN)
    for person, number in ((small.BO, task.pair_id), (small.ANN, 10_000)):
        with pytest.raises(Conflict):
            judging.claim_pair(workspace, person, number)


class TestAnEmptyQueueSaysWhy:
    """An empty queue is never only empty."""

    @staticmethod
    def why(workspace: Workspace, person: str) -> EmptyQueue:
        answer = judging.claim(workspace, person)
        assert isinstance(answer, EmptyQueue)
        assert answer.next_step
        return answer

    def test_nothing_was_pooled(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w", pooled=False)
        assert "No pairs have been pooled" in self.why(workspace, small.ANN).reason

    def test_others_hold_the_last_pairs(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w", query_count=1, document_count=2)
        small.claim(workspace, small.ANN)
        small.claim(workspace, small.BO)
        assert self.why(workspace, small.CY).counts["held by others now"] == 2

    def test_a_second_rater_is_awaited(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w", quota=2)
        small.work_through(workspace, small.ANN)
        answer = self.why(workspace, small.ANN)
        assert answer.counts["waiting for another rater"] == 6
        assert "independent label" in answer.reason

    def test_another_person_on_a_pair_of_ones_own_is_no_reason_to_wait(
        self, tmp_path: Path
    ) -> None:
        workspace = small.build(tmp_path / "w", query_count=1, document_count=1, quota=2)
        small.work_through(workspace, small.ANN)
        small.claim(workspace, small.BO)
        assert self.why(workspace, small.ANN).counts["held by others now"] == 0

    def test_a_cause_waits_for_a_lead(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
        cannot(workspace, small.ANN, Cause.RUBRIC_GAP)
        assert "1 pair waits for a lead" in self.why(workspace, small.BO).reason

    def test_everything_is_judged(self, tmp_path: Path) -> None:
        workspace = small.build(tmp_path / "w")
        small.work_through(workspace, small.ANN)
        for person in (small.ANN, small.BO):
            assert self.why(workspace, person).reason == "Everything that was pooled is judged."


def cannot(workspace: Workspace, person: str, cause: Cause) -> None:
    judging.record(
        workspace,
        person,
        small.claim(workspace, person).pair_id,
        cause=cause,
        reason="The second half is missing.",
        seconds_on_screen=small.LOOKED,
    )


def test_a_cause_is_no_zero_and_does_not_fill_the_quota(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    cannot(workspace, small.ANN, Cause.NEEDS_EXPERT)
    counts = judging.count(judging.load(workspace))
    assert (counts.level_0, counts.pairs_cannot_judge, counts.pairs_resolved) == (0, 1, 0)
    small.say(workspace, small.BO, small.claim(workspace, small.BO), 2)
    assert judging.count(judging.load(workspace)).level_2 == 1


@pytest.mark.parametrize("cause", [one for one in Cause if one is not Cause.NEEDS_EXPERT])
def test_a_cause_that_its_owner_must_mend_takes_the_pair_out_of_every_queue(
    tmp_path: Path, cause: Cause
) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1, quota=3)
    cannot(workspace, small.ANN, cause)
    assert isinstance(judging.claim(workspace, small.BO), EmptyQueue)


def test_someone_who_has_the_pair_open_can_save_after_anothers_cause(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1, quota=2)
    task = small.claim(workspace, small.BO)
    cannot(workspace, small.ANN, Cause.QUERY_UNCLEAR)
    assert small.say(workspace, small.BO, task).level == 1


def test_a_retired_or_drafted_querys_pairs_are_given_to_nobody(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    with workspace.writing() as db:
        queries.move(
            db,
            "q1",
            before=queries.QueryState.ACCEPTED,
            after=queries.QueryState.RETIRED,
            person_id=small.LEAD,
            detail="the product is gone",
        )
    assert isinstance(judging.claim(workspace, small.ANN), EmptyQueue)


def test_who_is_no_rater_and_who_is_nobody_may_not_claim(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    people.add(workspace, "Rev", [Role.REVIEWER])
    for person in ("rev", "nobody"):
        with pytest.raises(NotAllowed):
            judging.claim(workspace, person)


def test_a_task_holds_nothing_of_rank_retriever_source_or_others_labels(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w", pooled=False)
    drafted = Query(
        "q9",
        "glue for thing 1",
        QuerySource.SYNTHETIC,
        source_doc_id="d1",
        drafted_text="which glue mends thing 1",
        note="spot check",
    )
    with workspace.writing() as db:
        queries.save(db, [drafted])
    small.pool(workspace, [("q9", "d1")], quota=2)
    small.work_through(workspace, small.ANN)
    task = small.claim(workspace, small.BO)
    assert task.query == Query("q9", "glue for thing 1", QuerySource.SYNTHETIC)
    assert task.document == small.document(1)
    names = {field.name for field in fields(Task)}
    assert names == {"pair_id", "query", "document", "rubric", "position", "of", "draft"}
    assert task.draft is None
