"""A model's grades: twice a pair, with reason and quote, in their own table, seen by few."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import fake_llm
import pytest
import small_project as small
from fake_llm import Reply
from small_drafting import MODEL, limits, quiet

from labelkit import judging
from labelkit.drafting import judge_report, llm_judge, running
from labelkit.drafting.endpoint import Endpoint
from labelkit.drafting.verdicts import Verdict, find_quote, read_verdict
from labelkit.errors import EndpointError, NotAllowed
from labelkit.judging.agreeing import labels_of
from labelkit.model import Cause, Document
from labelkit.rubric import Example, Rubric
from labelkit.store import Workspace, documents, llm, model_grades, people, rubrics

TEXT = "Thing 1 is mended with glue."


def verdict(
    level: object, quote: str = "is mended\nwith glue", reason: str = "It says how."
) -> Reply:
    """A model's grade."""
    return Reply(json.dumps({"reason": reason, "quote": quote, "level": level}))


def graded(workspace: Workspace, server: fake_llm.FakeServer, **changes: object) -> str:
    """A run over every pair, worked through; returns its id."""
    run_id = llm_judge.start(
        workspace, small.LEAD, Endpoint(server.url, MODEL), limits(), **changes
    )  # type: ignore[arg-type]
    llm_judge.go_on(workspace, run_id, key=None, progress=quiet)
    return run_id


def grades(workspace: Workspace, run_id: str) -> list[model_grades.ModelGrade]:
    """Every grade of a run, as only the store can see them."""
    with workspace.reading() as db:
        return model_grades.of_run(db, run_id)


def judged(workspace: Workspace, run_id: str) -> judge_report.JudgeReport:
    """What a run is worth, beside the project's independent labels."""
    return judge_report.report(workspace, small.LEAD, run_id, labels_of(workspace))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One query with two pooled documents; Lee leads, Ann and Bo rate."""
    return small.build(tmp_path / "w", query_count=1, document_count=2)


def test_each_pair_is_asked_twice_the_second_time_in_reverse(workspace, serve) -> None:
    """Two requests a pair; the levels stand in one order and then in the other."""
    server = serve(lambda number, seen: verdict(2))
    run_id = graded(workspace, server)
    assert len(server.seen) == 4
    orders = [
        re.findall(r"- level (\d)", seen.body["messages"][0]["content"]) for seen in server.seen
    ]
    assert orders == [["2", "1", "0"], ["0", "1", "2"]] * 2
    found = grades(workspace, run_id)
    assert [(one.doc_id, one.direction, one.level) for one in found] == [
        ("d1", "descending", 2), ("d1", "ascending", 2),
        ("d2", "descending", 2), ("d2", "ascending", 2),
    ]  # fmt: skip
    assert (found[0].quote, found[0].quote_start) == (
        "is mended with glue",
        TEXT.index("is mended"),
    )


def test_self_consistency_and_the_people_beside_it(workspace, serve) -> None:
    """One pair of two gets another level in reverse: 1 of 2; and a table against people."""
    levels = iter([2, 2, 2, 1])
    run_id = graded(workspace, serve(lambda number, seen: verdict(next(levels))))
    small.work_through(workspace, small.ANN, lambda task: 1)
    report = judged(workspace, run_id)
    assert (report.graded_twice, report.same_twice, report.self_consistency) == (2, 1, 0.5)
    assert report.table == {(1, 2): 2}
    with pytest.raises(NotAllowed):
        judge_report.report(workspace, small.ANN, run_id, [])


@pytest.mark.parametrize("level", [3, -1, 1.5, "high", True, None, "2.0"])
def test_grade_off_the_scale_is_refused(workspace, serve, level: object) -> None:
    """No grade is written, and the pair's failure says what was given."""
    run_id = graded(workspace, serve(lambda number, seen: verdict(level)), keys=[("q1", "d1")])
    assert grades(workspace, run_id) == []
    failed = judged(workspace, run_id).failed
    assert len(failed) == 2
    assert "scale" in failed[0].why or "no object with a level" in failed[0].why


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (verdict(2, quote="is mended with tape"), "does not stand in the document"),
        (verdict(1, quote=""), "the quote is missing"),
        (verdict(2, reason=" "), "no reason"),
        (Reply("It answers, so 2."), "no object with a level"),
        (Reply('{"level": 2, "reason": "a"} {"level": 0, "reason": "b"}'), "several levels"),
    ],
)
def test_grade_without_what_it_rests_on_is_refused(workspace, serve, reply, why: str) -> None:
    """Reason and quote are required, and the quote has to stand there word for word."""
    run_id = graded(workspace, serve(lambda number, seen: reply), keys=[("q1", "d1")])
    assert grades(workspace, run_id) == []
    assert why in judged(workspace, run_id).failed[0].why


def test_transport_error_is_never_a_grade(workspace, serve) -> None:
    """A server that fails: the run says so, the pairs wait, the table of grades is empty."""
    server = serve(lambda number, seen: fake_llm.error(401, "no"))
    run_id = llm_judge.start(workspace, small.LEAD, Endpoint(server.url, MODEL), limits())
    with pytest.raises(EndpointError):
        llm_judge.go_on(workspace, run_id, key=None, progress=quiet)
    assert grades(workspace, run_id) == []
    assert running.standing(workspace, run_id).waiting == 4


def test_human_slots_and_agreement_do_not_see_the_model(workspace, serve) -> None:
    """After grading, every pair still waits for its humans and no judgment is there."""
    before = judging.count(judging.load(workspace))
    graded(workspace, serve(lambda number, seen: verdict(2)))
    assert judging.count(judging.load(workspace)) == before
    assert not judging.load(workspace).judgments
    assert judging.progress(workspace, small.ANN).open_for_me == 2


def test_nobody_who_may_still_judge_sees_a_grade(workspace, serve) -> None:
    """A lead who has not judged, a rater before and after, with and without permission."""
    graded(workspace, serve(lambda number, seen: verdict(2)))
    task = small.claim(workspace, small.ANN)

    def seen_by(person_id: str) -> int:
        return len(llm_judge.grades_of(workspace, person_id, task.pair_id))

    assert [seen_by(who) for who in (small.ANN, small.BO, small.LEAD)] == [0, 0, 0]
    small.say(workspace, small.ANN, task)
    assert seen_by(small.ANN) == 0, "the project has not allowed it"
    llm_judge.show_to_raters(workspace, small.LEAD, allowed=True)
    assert seen_by(small.ANN) == 2
    assert seen_by(small.BO) == 0
    assert seen_by(small.LEAD) == 2, "the pair has what it needs and is given to nobody more"
    with workspace.reading() as db:
        assert set(model_grades.viewers(db, task.pair_id)) == {small.ANN, small.LEAD}
    with pytest.raises(NotAllowed):
        llm_judge.show_to_raters(workspace, small.ANN, allowed=True)


def test_cause_is_no_commitment(workspace, serve) -> None:
    """Who said that a pair cannot be judged may still give it a level, and sees nothing."""
    graded(workspace, serve(lambda number, seen: verdict(2)))
    llm_judge.show_to_raters(workspace, small.LEAD, allowed=True)
    people.add(workspace, "Lee Lead", ["rater"])
    for who in (small.ANN, small.LEAD):
        task = small.claim(workspace, who)
        judging.record(
            workspace, who, task.pair_id, cause=Cause.NEEDS_EXPERT, reason="Unclear.",
            seconds_on_screen=3.0,
        )  # fmt: skip
        assert llm_judge.grades_of(workspace, who, task.pair_id) == []


def test_a_models_grades_fill_no_persons_place(tmp_path, serve) -> None:
    """Two people are wanted on each pair, and two are found, whatever a model said before."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2, quota=2)
    assert len(grades(workspace, graded(workspace, serve(lambda number, seen: verdict(2))))) == 4
    assert len(small.work_through(workspace, small.ANN)) == 2
    assert len(small.work_through(workspace, small.BO)) == 2
    assert len(small.work_through(workspace, small.CY)) == 0


def test_grades_are_guarded_in_the_database(workspace, serve) -> None:
    """Even from the sqlite3 shell: no change, no deletion, no level of 3."""
    graded(workspace, serve(lambda number, seen: verdict(2)))
    for statement in (
        "update model_grades set level = 1",
        "delete from model_grades",
        "insert or replace into model_grades select * from model_grades",
        "update llm_requests set reply = 'x'",
        "delete from llm_requests",
        "update llm_runs set model = 'another'",
    ):
        with pytest.raises(sqlite3.IntegrityError), workspace.writing() as db:
            db.execute(statement)
    with pytest.raises(sqlite3.IntegrityError), workspace.writing() as db:
        model_grades.add(
            db, request_id=1, pair_id=1, rubric_version=1, direction="ascending", level=3,
            reason="x", quote="", quote_start=None,
        )  # fmt: skip


def test_rubric_with_examples_query_and_document_are_in_the_request(tmp_path, serve) -> None:
    """Levels, rules and boundary examples as instructions; query and document as data."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    starter = rubrics.read_current(workspace)
    example = Example("0/1", "glue for wood", "d9", 1, "it names the glue", "Use bone glue.")
    with workspace.writing() as db:
        rubrics.save(
            db, Rubric(0, starter.title, starter.levels, starter.rules, (example,)), small.LEAD
        )
    server = serve(lambda number, seen: verdict(2))
    graded(workspace, server)
    system, user = (message["content"] for message in server.seen[0].body["messages"])
    assert "Same topic alone is 0" in system
    assert "“Use bone glue.”: level 1, because it names the glue" in system
    assert user.startswith("<query>\nhow do I mend thing 1\n</query>\n\n<passage>\nTitle: Thing 1")


def test_changed_document_is_not_graded_for_the_old_one(workspace, serve) -> None:
    """A document that changed between start and request: a stated failure."""
    server = serve(lambda number, seen: verdict(2))
    run_id = llm_judge.start(workspace, small.LEAD, Endpoint(server.url, MODEL), limits())
    with workspace.writing() as db:
        documents.save(db, [Document("d1", "Thing 1", "Thing 1 was thrown away.")])
    llm_judge.go_on(workspace, run_id, key=None, progress=quiet)
    failed = judged(workspace, run_id).failed
    assert [item.item["doc_id"] for item in failed] == ["d1", "d1"]
    assert "was changed since" in failed[0].why
    assert len(server.seen) == 2


def test_second_run_of_the_same_grades_is_free(workspace, serve) -> None:
    """The cache holds for the judge too."""
    server = serve(lambda number, seen: verdict(1))
    first, second = graded(workspace, server), graded(workspace, server)
    assert len(server.seen) == 4
    assert grades(workspace, first) == grades(workspace, second)
    with workspace.reading() as db:
        assert llm.spent(db, second).answered == 0


def test_only_a_lead_starts_the_judge(workspace) -> None:
    """A rater cannot."""
    with pytest.raises(NotAllowed):
        llm_judge.start(workspace, small.ANN, Endpoint("http://127.0.0.1:1/v1", MODEL), limits())


@pytest.mark.parametrize(
    ("quote", "text", "place"),
    [
        ("b  c", "a b\nc d", (2, 5)),
        ("x &lt; y", "if x < y: z", (3, 8)),
        ("x &lt; y", "write x &lt; y", (6, 14)),
        ("B c", "a b c", None),
        ("", "a", None),
    ],
)
def test_quote_is_found_word_for_word(quote: str, text: str, place: object) -> None:
    """White space may differ, and the escapes that the model was shown; nothing else."""
    assert find_quote(quote, text) == place


def test_level_0_may_rest_on_nothing() -> None:
    """A document that does not help has no words to quote."""
    assert read_verdict('{"level": 0, "reason": "Other topic.", "quote": "none"}', TEXT) == Verdict(
        0, "Other topic."
    )


def test_what_a_rater_says_after_seeing_the_model_is_not_independent(workspace, serve) -> None:
    """Agreement keeps the level given before the look, however the rater corrects it later."""
    graded(workspace, serve(lambda number, seen: verdict(2)))
    llm_judge.show_to_raters(workspace, small.LEAD, allowed=True)
    task = small.claim(workspace, small.ANN)
    said = small.say(workspace, small.ANN, task, 0)
    assert llm_judge.grades_of(workspace, small.ANN, task.pair_id)
    judging.correct(workspace, small.ANN, said.judgment_id, level=2, reason="the model said so")
    assert dict(judging.agreement_report(workspace).label_mix) == {0: 1, 1: 0, 2: 0}
