"""Hidden repeats: far enough apart, like any other pair to the rater, and never counted."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_project as small
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelkit import judging, releases
from labelkit.errors import InputError, NotAllowed
from labelkit.judging import EmptyQueue, Task, repeats
from labelkit.model import Cause
from labelkit.rubric import STARTER, parse_rubric
from labelkit.store import Workspace, meta, rubrics


def build(path: Path, *, pairs: int = 60, share: float = 0.2, seed: str = "7") -> Workspace:
    """Queries with six documents each, and many repeats."""
    workspace = small.build(path, query_count=pairs // 6, document_count=6)
    meta.put(workspace, "seed", seed)
    repeats.set_repeats(workspace, small.LEAD, on=True, share=share)
    return workspace


def number_of(workspace: Workspace, table: str) -> int:
    with workspace.reading() as db:
        return int(db.execute(f"select count(*) from {table}").fetchone()[0])


def to_the_first_repeat(workspace: Workspace) -> tuple[Task, list[Task]]:
    """Judge until a pair comes again; returns it, and what was judged before it."""
    seen: list[Task] = []
    while (task := small.claim(workspace, small.ANN)).pair_id not in {t.pair_id for t in seen}:
        small.say(workspace, small.ANN, task, level=len(seen) % 3)
        seen.append(task)
    return task, seen


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10_000),
    share=st.sampled_from([0.05, 0.1, 0.2, 0.25]),
    levels=st.lists(st.sampled_from([0, 1, 2]), min_size=7, max_size=7),
)
def test_a_repeat_comes_after_twenty_others_and_counts_nowhere(
    seed: int, share: float, levels: list[int]
) -> None:
    with small.folder_in_memory() as folder:
        workspace = build(folder / "w", pairs=48, share=share, seed=str(seed))
        seen: list[int] = []
        before = judging.progress(workspace, small.ANN)
        while isinstance(task := judging.claim(workspace, small.ANN), Task):
            assert 1 <= task.position <= task.of == 6
            small.say(workspace, small.ANN, task, levels[len(seen) % 7])
            seen.append(task.pair_id)
            after = judging.progress(workspace, small.ANN)
            assert after.open_for_me == before.open_for_me - 1
            assert after.mine == before.mine + 1 == len(seen)
            assert judging.recent(workspace, small.ANN, 1)[0].pair_id == task.pair_id
            before = after
        assert before.open_for_me == 0
        assert len(set(seen)) == 48
        for at, pair_id in enumerate(seen):
            if pair_id in seen[:at]:
                since = seen[seen.index(pair_id) + 1 : at]
                assert len(set(since)) >= repeats.APART
        assert max(map(seen.count, seen)) <= 2
        assert number_of(workspace, "judgments") == 48
        assert judging.count(judging.load(workspace)).judgments == 48
        again = len(seen) - 48
        assert number_of(workspace, "repeat_judgments") == again
        assert abs(again - (48 - repeats.APART) * share) <= 1.5


def test_the_same_seed_gives_the_same_repeats(tmp_path: Path) -> None:
    def order(name: str, seed: str) -> list[int]:
        workspace = build(tmp_path / name, seed=seed)
        return [task.pair_id for task in small.work_through(workspace, small.ANN)]

    assert order("a", "7") == order("b", "7")
    assert order("c", "8") != order("a2", "7")


def test_a_repeat_shows_nothing_of_what_was_said(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    again, seen = to_the_first_repeat(workspace)
    first = next(task for task in seen if task.pair_id == again.pair_id)
    assert again.draft is None or (again.draft.level, again.draft.reason) == (None, "")
    assert (again.query, again.document) == (first.query, first.document)
    assert small.claim(workspace, small.ANN).pair_id == again.pair_id


def test_a_repeat_waits_for_nobody_else_and_takes_no_place(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    again, seen = to_the_first_repeat(workspace)
    others = [task.pair_id for task in small.work_through(workspace, small.BO)]
    assert again.pair_id not in others
    assert len(others) >= 60 - len(seen)


def test_undo_of_a_repeat_opens_it_again_with_its_words(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    again, seen = to_the_first_repeat(workspace)
    small.say(workspace, small.ANN, again, 2)
    undone = judging.undo(workspace, small.ANN)
    assert undone is not None
    assert undone.level == 2
    assert judging.progress(workspace, small.ANN).mine == len(seen)
    reopened = small.claim(workspace, small.ANN)
    assert reopened.pair_id == again.pair_id
    assert reopened.draft is not None
    assert reopened.draft.level == 2
    small.say(workspace, small.ANN, reopened, 0)
    assert judging.recent(workspace, small.ANN, 1)[0].level == 0
    assert number_of(workspace, "judgments") == len(seen)


def test_a_repeat_is_corrected_like_any_other(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    again, seen = to_the_first_repeat(workspace)
    said = small.say(workspace, small.ANN, again, 2)
    judging.correct(workspace, small.ANN, said.judgment_id, level=0, reason="On reflection.")
    stands = judging.recent(workspace, small.ANN, 1)[0]
    assert (stands.level, stands.corrected) == (0, True)
    shown = judging.to_correct(workspace, small.ANN, stands.judgment_id)
    assert [event.level for event in shown.history] == [2, 0]
    first = next(n for n, task in enumerate(seen) if task.pair_id == again.pair_id)
    own = repeats.consistency(workspace, small.LEAD)[0]
    assert (own.same, own.n) == (int(first % 3 == 0), 1)


@pytest.mark.parametrize("set_aside", [judging.skip, judging.judge_later])
def test_a_repeat_can_be_set_aside_and_comes_back(tmp_path: Path, set_aside: object) -> None:
    workspace = build(tmp_path / "w", share=0.05)
    again, _ = to_the_first_repeat(workspace)
    set_aside(workspace, small.ANN, again.pair_id)  # type: ignore[operator]
    assert small.claim(workspace, small.ANN).pair_id != again.pair_id
    later = [pair_id for pair_id, _, _ in judging.judge_later_list(workspace, small.ANN)]
    assert later == ([again.pair_id] if set_aside is judging.judge_later else [])
    rest = [task.pair_id for task in small.work_through(workspace, small.ANN)]
    if set_aside is judging.skip:
        assert again.pair_id in rest
    else:
        judging.claim_pair(workspace, small.ANN, again.pair_id)
        small.say(workspace, small.ANN, again, 1)
    assert isinstance(judging.claim(workspace, small.ANN), EmptyQueue)


def test_a_cause_the_second_time_compares_nothing(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    again, _ = to_the_first_repeat(workspace)
    judging.record(
        workspace,
        small.ANN,
        again.pair_id,
        cause=Cause.QUERY_UNCLEAR,
        reason="Unclear to me now.",
        seconds_on_screen=small.LOOKED,
    )
    assert repeats.consistency(workspace, small.LEAD) == []
    assert judging.count(judging.load(workspace)).pairs_cannot_judge == 0


def test_a_new_rubric_asks_for_no_repeat_of_what_was_said_under_the_old(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    again, _ = to_the_first_repeat(workspace)
    body = {**STARTER.body(), "title": "Another"}
    with workspace.writing() as db:
        rubrics.save(db, parse_rubric(body, 2), small.LEAD)
    assert small.claim(workspace, small.ANN).pair_id != again.pair_id


def test_a_release_is_the_same_with_and_without_repeats(tmp_path: Path) -> None:
    hashes = []
    for name, on in (("with", True), ("without", False)):
        workspace = build(tmp_path / name)
        repeats.set_repeats(workspace, small.LEAD, on=on, share=0.2)
        seen = small.work_through(workspace, small.ANN, lambda task: task.pair_id % 3)
        assert (len(seen) > 60) is on
        hashes.append(releases.freeze(workspace, "v1", small.LEAD).content_sha256)
    assert hashes[0] == hashes[1]


def test_ones_own_figure_waits_for_tomorrow_and_a_leads_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = build(tmp_path / "w")
    again, seen = to_the_first_repeat(workspace)
    first = next(n for n, task in enumerate(seen) if task.pair_id == again.pair_id)
    small.say(workspace, small.ANN, again, first % 3)
    assert repeats.own_consistency(workspace, small.ANN).n == 0
    seen_by_lead = repeats.consistency(workspace, small.LEAD)
    assert [(one.person_id, one.same, one.n) for one in seen_by_lead] == [(small.ANN, 1, 1)]
    monkeypatch.setattr(repeats, "now", lambda: "2999-01-02T00:00:00")
    own = repeats.own_consistency(workspace, small.ANN)
    assert (own.same, own.n, own.high) == (1, 1, 1.0)
    assert own.low == pytest.approx(0.025)
    assert repeats.own_consistency(workspace, small.BO).n == 0
    with pytest.raises(NotAllowed):
        repeats.consistency(workspace, small.ANN)


def test_only_a_lead_sets_a_share_that_is_possible(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    assert repeats.repeat_rule(workspace) == repeats.RepeatRule(True, 0.05)
    with pytest.raises(InputError, match="1 % to 25 %"):
        repeats.set_repeats(workspace, small.LEAD, on=True, share=0.9)
    with pytest.raises(NotAllowed):
        repeats.set_repeats(workspace, small.ANN, on=False, share=0.05)
