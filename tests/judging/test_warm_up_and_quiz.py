"""Getting good: a warm-up that tells the level after each pair, a quiz that makes labels count."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

import pytest
import small_project as small

from labelkit import judging, releases
from labelkit.errors import Conflict, InputError, NotAllowed, NotReady
from labelkit.judging import agreed, quiz, scoring, warm_up
from labelkit.judging.quiz import QuizRule
from labelkit.model import LEVELS, Role
from labelkit.rubric import STARTER, parse_rubric
from labelkit.store import Workspace, independent, judgments, people, rubrics

NEW = "nora-new"


def level_of(pair_id: int) -> int:
    """What everyone in these tests agrees on."""
    return pair_id % 3


def build(path: Path, *, agreed_pairs: int = 30, open_pairs: int = 6) -> Workspace:
    """Ann and Bo agree on pairs; others wait for one label; Nora is new."""
    workspace = small.build(path, query_count=6, document_count=8, pooled=False)
    keys = [(f"q{q}", f"d{d}") for q in range(1, 7) for d in range(1, 9)]
    small.pool(workspace, keys[:agreed_pairs], 2)
    for person in (small.ANN, small.BO):
        small.work_through(workspace, person, lambda task: level_of(task.pair_id))
    small.pool(workspace, keys[agreed_pairs : agreed_pairs + open_pairs])
    people.add(workspace, "Nora New", [Role.RATER])
    return workspace


def with_examples(workspace: Workspace, levels: tuple[int, ...]) -> None:
    """A rubric that has boundary examples of these levels, each with its passage."""
    found = [
        {
            "boundary": "0/1" if level < 1 else "1/2",
            "query": f"boundary {number}",
            "doc_id": f"elsewhere-{number}",
            "level": level,
            "why": f"Because of {number}.",
            "passage": f"Words about {number}.",
        }
        for number, level in enumerate(levels)
    ]
    with workspace.writing() as db:
        rubrics.save(db, parse_rubric({**STARTER.body(), "examples": found}, 2), small.LEAD)


def take_quiz(workspace: Workspace, person: str, *, right: int) -> quiz.QuizResult:
    """Take an attempt with this many right answers, the others one level off."""
    result, number = None, 0
    found = quiz.begin(workspace, person)
    while result is None:
        with workspace.reading() as db:
            row = db.execute("select level from training_items where item_id=?", (found.item_id,))
            level = row.fetchone()[0]
        said = level if number < right else (level + 1 if level < 2 else 1)
        result = quiz.answer(workspace, person, found.item_id, level=said, reason="Glue decides.")
        number += 1
        if result is None:
            found = quiz.begin(workspace, person)
    return result


def rows(workspace: Workspace, table: str) -> list[tuple[object, ...]]:
    with workspace.reading() as db:
        return [tuple(row) for row in db.execute(f"select * from {table}")]


# Warm-up


def test_six_boundary_examples_are_enough_and_tell_the_level_after_each(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with_examples(workspace, (0, 0, 1, 1, 2, 2))
    items = warm_up.set_up(workspace, small.LEAD)
    assert sorted(item.level for item in items) == [0, 0, 1, 1, 2, 2]
    assert warm_up.standing(workspace, small.ANN).due
    for item in items:
        shown = warm_up.begin(workspace, small.ANN)
        assert shown.document.text == item.passage
        assert all(e.query != item.query_text for e in shown.rubric.examples)
        told = warm_up.answer(workspace, small.ANN, shown.item_id, level=0, reason="Glue decides.")
        assert (told.agreed_level, told.agreed_reason) == (item.level, item.reason)
    after = warm_up.standing(workspace, small.ANN)
    assert (after.due, after.finished, len(after.told)) == (False, True, 6)
    assert rows(workspace, "judgments") == []


def test_the_draw_is_the_same_every_time_and_even_over_levels(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    first = warm_up.set_up(workspace, small.LEAD, size=9)
    again = warm_up.set_up(workspace, small.LEAD, size=9)
    assert [agreed.identity(i) for i in first] == [agreed.identity(i) for i in again]
    assert [sum(item.level == level for item in first) for level in LEVELS] == [3, 3, 3]
    assert {item.source for item in first} == {"agreed"}


def test_too_few_pairs_or_a_missing_level_is_said_and_stops_nobody(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with_examples(workspace, (0, 1, 1, 0))
    with pytest.raises(NotReady, match="6 pairs are needed and 4 pairs can be drawn; no pair has"):
        warm_up.set_up(workspace, small.LEAD)
    assert not warm_up.standing(workspace, small.ANN).due
    small.claim(workspace, small.ANN)


def test_a_warm_up_comes_first_only_for_who_is_new_and_can_be_repeated(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    warm_up.set_up(workspace, small.LEAD)
    assert warm_up.standing(workspace, NEW).due
    assert not warm_up.standing(workspace, small.ANN).due
    assert not warm_up.standing(workspace, small.LEAD).due
    for _ in range(2):
        for _ in range(6):
            shown = warm_up.begin(workspace, NEW)
            warm_up.answer(workspace, NEW, shown.item_id, level=1, reason="Glue decides.")
    assert warm_up.standing(workspace, NEW).finished
    warm_up.switch_off(workspace, small.LEAD)
    assert not warm_up.standing(workspace, small.CY).on
    with pytest.raises(NotReady):
        warm_up.begin(workspace, NEW)
    with pytest.raises(NotAllowed):
        warm_up.set_up(workspace, NEW)


def test_an_answer_belongs_to_the_pair_that_is_next(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    warm_up.set_up(workspace, small.LEAD)
    shown = warm_up.begin(workspace, NEW)
    with pytest.raises(InputError, match="level"):
        warm_up.answer(workspace, NEW, shown.item_id, level=None, reason="Glue decides.")
    warm_up.answer(workspace, NEW, shown.item_id, level=0, reason="Glue decides.")
    with pytest.raises(Conflict, match="another tab"):
        warm_up.answer(workspace, NEW, shown.item_id, level=2, reason="Glue decides.")


def test_whoever_was_told_a_level_is_never_asked_for_it(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w", open_pairs=0)
    items = warm_up.set_up(workspace, small.LEAD)
    for _ in items:
        shown = warm_up.begin(workspace, NEW)
        warm_up.answer(workspace, NEW, shown.item_id, level=1, reason="Glue decides.")
    with workspace.writing() as db:
        db.execute("update pairs set quota = 3")
    given = {task.pair_id for task in small.work_through(workspace, NEW)}
    assert given == set(range(1, 31)) - {item.pair_id for item in items}


# Quiz


def test_the_quiz_shares_no_pair_with_the_warm_up_and_retakes_are_fresh(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    warm = {agreed.identity(item) for item in warm_up.set_up(workspace, small.LEAD)}
    draws = quiz.require(workspace, small.LEAD, QuizRule(size=9, attempts=2))
    found = [{agreed.identity(item) for item in items} for items in draws]
    assert [len(one) for one in found] == [9, 9]
    assert not (found[0] & found[1])
    assert not (warm & (found[0] | found[1]))


def test_boundary_examples_are_no_quiz_for_they_stand_in_the_rubric(tmp_path: Path) -> None:
    workspace = small.build(tmp_path / "w")
    with_examples(workspace, (0, 0, 1, 1, 2, 2))
    with pytest.raises(NotReady, match="6 pairs are needed and 0 pairs can be drawn"):
        quiz.require(workspace, small.LEAD, QuizRule(size=6))


def test_nobody_short_of_the_quiz_is_given_a_real_pair(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    held = small.claim(workspace, NEW)
    quiz.require(workspace, small.LEAD, QuizRule(size=6))
    with pytest.raises(NotReady, match="quiz"):
        judging.claim(workspace, NEW)
    with pytest.raises(NotReady, match="quiz"):
        small.say(workspace, NEW, held)
    with pytest.raises(NotReady, match="quiz"):
        judging.claim_pair(workspace, NEW, held.pair_id)
    small.claim(workspace, small.LEAD)


def test_labels_from_before_count_nowhere_until_the_quiz_is_passed(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    said = small.work_through(workspace, NEW, lambda task: 2)
    with_them = judging.count(judging.load(workspace))
    trusted = [small.ANN, small.BO]
    quiz.require(workspace, small.LEAD, QuizRule(size=6, attempts=3), trusted=trusted)
    without = judging.count(judging.load(workspace))
    assert with_them.judgments - without.judgments == len(said) == 6
    assert without.pairs_unjudged == 6
    assert NEW not in str(judging.agreement_report(workspace))
    frozen = releases.freeze(workspace, "v1", small.LEAD)
    assert frozen.counts["judgments"] == 60
    assert "rater-03" not in (frozen.folder / "history.jsonl").read_text()
    with workspace.reading() as db:
        assert {event.person_id for event in judgments.history(db)} == {small.ANN, small.BO}
        assert {event.person_id for event in independent.unswayed(db)} == {small.ANN, small.BO}
        assert len(judgments.recent_of(db, NEW, -1)) == 6
    assert isinstance(judging.claim(workspace, small.LEAD), judging.Task)
    take_quiz(workspace, NEW, right=6)
    assert judging.count(judging.load(workspace)) == with_them
    passed = quiz.standing(workspace, NEW).qualification
    assert passed is not None
    assert (passed.how, passed.labels_before) == ("quiz", 6)


def test_a_quota_is_open_again_while_its_label_does_not_count(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w", open_pairs=1)
    small.say(workspace, NEW, small.claim(workspace, NEW))
    assert isinstance(judging.claim(workspace, small.LEAD), judging.EmptyQueue)
    quiz.require(workspace, small.LEAD, QuizRule(size=6))
    assert isinstance(judging.claim(workspace, small.LEAD), judging.Task)


def test_a_failed_attempt_explains_each_difference_and_a_retake_can_pass(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    quiz.require(workspace, small.LEAD, QuizRule(size=10, pass_mark=0.8, attempts=2))
    quiz.begin(workspace, NEW)
    assert quiz.standing(workspace, NEW).results == ()
    failed = take_quiz(workspace, NEW, right=7)
    assert (failed.score, failed.passed) == (0.7, False)
    differing = [one for one in failed.told if one.distance]
    assert len(differing) == 3
    assert all(one.agreed_reason.startswith("Thing and glue") for one in differing)
    assert quiz.standing(workspace, NEW).required
    passed = take_quiz(workspace, NEW, right=8)
    assert (passed.number, passed.score, passed.passed) == (2, 0.8, True)
    assert not quiz.standing(workspace, NEW).required
    small.claim(workspace, NEW)


def test_no_attempt_beyond_those_allowed_until_a_lead_vouches(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    quiz.require(workspace, small.LEAD, QuizRule(size=6, attempts=1))
    take_quiz(workspace, NEW, right=0)
    with pytest.raises(NotReady, match="every attempt"):
        quiz.begin(workspace, NEW)
    with pytest.raises(InputError, match="why"):
        quiz.vouch(workspace, small.LEAD, NEW, " ")
    with pytest.raises(NotAllowed):
        quiz.vouch(workspace, NEW, NEW, "I know it.")
    held = quiz.vouch(workspace, small.LEAD, NEW, "Worked on the first project.")
    assert (held.how, held.granted_by) == ("lead", small.LEAD)
    small.claim(workspace, NEW)
    shown = {one.person_id: one for one in quiz.standings(workspace, small.LEAD)}
    assert shown[NEW].counts
    assert shown[NEW].scores == (0.0,)


def test_who_passed_stays_qualified_when_the_quiz_is_drawn_again(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    trusted = [small.ANN, small.BO]
    quiz.require(workspace, small.LEAD, QuizRule(size=6), trusted=trusted)
    take_quiz(workspace, NEW, right=6)
    quiz.require(workspace, small.LEAD, QuizRule(size=8, pass_mark=1.0))
    small.claim(workspace, NEW)


def test_requiring_says_beforehand_whose_labels_stop_counting(tmp_path: Path) -> None:
    workspace = build(tmp_path / "w")
    before = quiz.left_out_if_required(workspace)
    assert before == {small.ANN: 30, small.BO: 30}
    quiz.require(workspace, small.LEAD, QuizRule(size=6))
    left_out = {s.person_id: s.labels_left_out for s in quiz.standings(workspace, small.LEAD)}
    assert {who: n for who, n in left_out.items() if n} == before


@pytest.mark.parametrize(
    "rule",
    [
        QuizRule(size=3),
        QuizRule(pass_mark=0.0),
        QuizRule(pass_mark=1.5),
        QuizRule(attempts=0),
        QuizRule(measure="kappa"),
    ],
)
def test_an_impossible_rule_is_refused(tmp_path: Path, rule: QuizRule) -> None:
    workspace = build(tmp_path / "w")
    with pytest.raises(InputError):
        quiz.require(workspace, small.LEAD, rule)


@pytest.mark.parametrize("measure", ["exact", "distance"])
def test_the_chance_of_a_guesser_is_that_of_all_guesses(measure: str) -> None:
    levels = [0, 1, 1, 2, 2, 2]
    scores = [
        scoring.score(measure, zip(guess, levels, strict=True))
        for guess in itertools.product(LEVELS, repeat=len(levels))
    ]
    passing = sum(score >= scoring.Fraction(2, 3) for score in scores) / len(scores)
    assert scoring.chance_to_pass(measure, levels, 0.6667) <= passing
    assert scoring.chance_to_pass(measure, levels, 0.6666) == pytest.approx(passing)
    assert scoring.by_chance(measure, levels) == pytest.approx(float(sum(scores) / len(scores)))


def test_a_constant_answer_scores_its_share(tmp_path: Path) -> None:
    assert scoring.by_one_level("exact", [0, 1, 1, 2, 2, 2]) == (2, 0.5)
    assert scoring.by_one_level("distance", [0, 0, 2, 2])[0] in LEVELS
    assert float(scoring.score("distance", [(1, 2), (0, 2), (2, 2)])) == 0.5


@pytest.mark.parametrize(
    "table", ["training_setups", "training_items", "training_answers", "qualifications"]
)
def test_what_was_asked_and_answered_is_never_changed(tmp_path: Path, table: str) -> None:
    workspace = build(tmp_path / "w")
    quiz.require(workspace, small.LEAD, QuizRule(size=6))
    take_quiz(workspace, NEW, right=6)
    for statement in (f"delete from {table}", f"update {table} set rowid = rowid"):
        with pytest.raises(sqlite3.IntegrityError, match="never"), workspace.writing() as db:
            db.execute(statement)
