"""The Model judge page: empty, plan with what is too long, start, result, who may see it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
import small_project as small
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import jobs
from labelkit.drafting import judge_report, llm_judge
from labelkit.drafting.endpoint import Endpoint, Limits
from labelkit.judging.agreeing import labels_of
from labelkit.model import Document, Role
from labelkit.store import Workspace, documents, meta, pairs, people

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "drafting"))

import fake_llm  # noqa: E402 (the server of the drafting tests)


def level_two(number: int, seen: fake_llm.Seen) -> fake_llm.Reply:
    """Every pair gets a 2."""
    verdict = {"reason": "It says how.", "quote": "is mended with glue", "level": 2}
    return fake_llm.Reply(json.dumps(verdict))


def opened(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, who: str) -> AppTest:
    """The page as this person sees it."""
    monkeypatch.setenv("LABELKIT_WORKSPACE", str(workspace.path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=20)
    app.session_state["lk_person"] = who
    app.run()
    return app.switch_page("pages/model_judge.py").run()


def everything(app: AppTest) -> str:
    """All text of the page."""
    return f"{words(app)} {said(app)}"


def graded(workspace: Workspace) -> str:
    """A finished run over every pair."""
    with fake_llm.serving(level_two) as server:
        endpoint = Endpoint(server.url, "m")
        run_id = llm_judge.start(workspace, small.LEAD, endpoint, Limits(timeout=5))
        llm_judge.go_on(workspace, run_id, key=None, progress=lambda *_: None)
    return run_id


def test_plan_start_and_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too long is named before anything is paid; the result keeps people apart."""
    workspace = small.build(tmp_path / "w", query_count=2, document_count=2)
    with workspace.writing() as db:
        documents.save(db, [Document("d2", "Long", "glue " * 6000)])
    small.work_through(workspace, small.ANN, lambda task: 1)
    with fake_llm.serving(level_two) as server:
        app = opened(workspace, monkeypatch, small.LEAD)
        app.text_input(key="lk_llm_url").set_value(server.url)
        app.text_input(key="lk_llm_model").set_value("m")
        app = press(app.run(), "Work out the plan")
        text = everything(app)
        assert "2 pairs, each asked twice" in text
        assert "4 requests (0 are answered already)" in text
        assert "30,000" in text
        assert server.seen == []
        app = press(app, "Start grading")
        deadline = time.monotonic() + 40
        while jobs.running(workspace, "grade") is not None:
            assert time.monotonic() < deadline, "the job did not end"
            time.sleep(0.1)
        text = everything(app.run())
    assert "gradings done 4 of 4" in text
    assert "the model with people" in text
    assert "same level both times 100%" in text
    assert not app.exception


def test_pairs_that_the_lead_may_still_judge_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lead who rates as well sees no level of a pair before having judged it."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=2)
    run_id = graded(workspace)
    both = people.add(workspace, "Max Both", [Role.RATER, Role.LEAD]).person_id
    with workspace.writing() as db:
        pairs.raise_quota(db, [pairs.find(db, "q1", name).pair_id for name in ("d1", "d2")], 2)
    small.work_through(workspace, small.ANN, lambda task: 1)
    labels = labels_of(workspace)
    assert judge_report.report(workspace, both, run_id, labels).differing == 2
    assert judge_report.differing(workspace, both, run_id, labels) == []
    app = opened(workspace, monkeypatch, both)
    app.toggle[0].set_value(True).run()
    assert "2 not shown: you may still judge them" in everything(app)
    small.work_through(workspace, both, lambda task: 1)
    assert len(judge_report.differing(workspace, both, run_id, labels_of(workspace))) == 2


def test_who_sees_it_is_the_leads_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch is kept; a rater has no such page; without pairs it says where to begin."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    app = opened(workspace, monkeypatch, small.LEAD)
    app.toggle(key="lk_judge_to_raters").set_value(True).run()
    assert meta.get(workspace, llm_judge.TO_RATERS) == "yes"
    assert "How far does a model" not in everything(opened(workspace, monkeypatch, small.ANN))
    empty = small.build(tmp_path / "e", query_count=1, document_count=1, pooled=False)
    assert "none is pooled yet" in everything(opened(empty, monkeypatch, small.LEAD))


def test_the_note_is_drawn_only_for_who_has_judged(tmp_path: Path) -> None:
    """Ann sees nothing, nothing after judging while the project forbids it, then both grades."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    graded(workspace)
    with workspace.reading() as db:
        pair = pairs.find(db, "q1", "d1")
    assert pair is not None

    def script(path: str, person_id: str, pair_id: int) -> None:
        from types import SimpleNamespace

        import streamlit as st

        from labelkit.store import Workspace, people
        from labelkit.ui.model_grades import model_grade_note

        workspace = Workspace.open(path)
        person = people.require(workspace, person_id, "rater")
        here = SimpleNamespace(workspace=workspace, person=person)
        st.caption(f"drawn: {model_grade_note(here, pair_id)}")

    def shown() -> str:
        given = (str(workspace.path), small.ANN, pair.pair_id)
        app = AppTest.from_function(script, args=given, default_timeout=20).run()
        assert not app.exception
        return " ".join([everything(app), *(one.value for one in app.caption)])

    assert "drawn: False" in shown()
    llm_judge.show_to_raters(workspace, small.LEAD, allowed=True)
    assert "level" not in shown(), "she may still judge the pair"
    small.work_through(workspace, small.ANN, lambda task: 1)
    text = shown()
    assert "drawn: True" in text
    assert text.count("says level 2") == 2
    assert "It says how." in text
