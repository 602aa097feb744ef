"""The Draft queries page: what to set, plan and estimate, start, progress, failures, resume."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from fake_llm import Reply, Seen, good
from small_drafting import LEAD, drafted, go_on, project, started
from streamlit.testing.v1 import AppTest

from labelkit import drafting, jobs
from labelkit.store import Workspace

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "pages"))

from reading import press, said, words  # noqa: E402 (beside the other page tests)

KEY = "sk-labelkit-page-test-1b2c3d"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Open the page as the lead; its retriever check is left out of the job."""
    start = jobs.start
    monkeypatch.setattr(
        jobs,
        "start",
        lambda w, kind, given, *rest: start(w, kind, {**given, "retrievers": []}, *rest),
    )

    def opened(workspace: Workspace) -> AppTest:
        monkeypatch.setenv("LABELKIT_WORKSPACE", str(workspace.path))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=20)
        app.session_state["lk_person"] = LEAD
        app.run()
        return app.switch_page("pages/drafts.py").run()

    return opened


def fill(app: AppTest, url: str, model: str = "fake-1") -> AppTest:
    """Name the server and the model."""
    app.text_input(key="lk_llm_url").set_value(url)
    app.text_input(key="lk_llm_model").set_value(model)
    return app.run()


def everything(app: AppTest) -> str:
    """All text of the page."""
    return f"{words(app)} {said(app)}"


def settled(app: AppTest, workspace: Workspace) -> AppTest:
    """Wait for the job, and draw the page again."""
    deadline = time.monotonic() + 40
    while jobs.running(workspace, "draft") is not None:
        assert time.monotonic() < deadline, "the job did not end"
        time.sleep(0.1)
    return app.run()


def test_without_documents_it_says_where_to_begin(tmp_path: Path, page) -> None:
    """An empty project: import first."""
    workspace = project(tmp_path / "w", count=0)
    assert "none is here yet" in everything(page(workspace))


def test_without_an_endpoint_it_says_what_to_set(tmp_path: Path, page) -> None:
    """The variables by name, local servers, and drafts from a file."""
    text = everything(page(project(tmp_path / "w")))
    assert "LABELKIT_LLM_KEY" in text
    assert "Ollama" in text
    assert "come in as a file" in text


def test_plan_estimate_preview_start_and_review(tmp_path: Path, page, serve, monkeypatch) -> None:
    """From the fields to drafts: the plan by type, the estimate, the key unseen, the run."""
    monkeypatch.setenv("LABELKIT_LLM_KEY", KEY)
    workspace, server = project(tmp_path / "w"), serve(good)
    app = press(fill(page(workspace), server.url), "Work out the plan")
    text = everything(app)
    assert "4 passages, 8 queries" in text
    assert "guide" in text
    assert "4 requests (0 are answered already)" in text
    assert "<passage>" in text, "the preview shows the request"
    assert "A key for this address is set" in text
    assert KEY not in text
    app = settled(press(app, "Start drafting"), workspace)
    assert not app.exception
    text = everything(app)
    assert "passages done 4 of 4" in text
    assert "drafts 8" in text
    assert {seen.headers["Authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert len(drafted(workspace)) == 8


def test_edited_prompt_is_sent_and_becomes_a_version(tmp_path: Path, page, serve) -> None:
    """The request carries the edited words; a prompt without its places is refused at once."""
    workspace, server = project(tmp_path / "w", count=1), serve(good)
    app = fill(page(workspace), server.url)
    app.text_area(key="lk_prompt_user").set_value("{{tasks}}").run()
    assert "has to hold {{passage}} exactly once" in said(app)
    app.text_area(key="lk_prompt_user").set_value("Be brief.\n{{passage}}\n{{tasks}}").run()
    app = press(press(app, "Work out the plan"), "Start drafting")
    settled(app, workspace)
    assert server.seen[0].user.startswith("Be brief.\n<passage>")
    assert len(drafting.prompt_versions(workspace)) == 1


def test_failures_are_listed_and_asked_again(tmp_path: Path, page, serve) -> None:
    """Passage and reason; the button asks only the failed."""
    workspace = project(tmp_path / "w", count=3)

    def script(number: int, seen: Seen) -> Reply:
        return Reply("I would rather not.") if number == 0 else good(number, seen)

    server = serve(script)
    go_on(workspace, started(workspace, server.url))
    app = page(workspace)
    assert "I would rather not." in everything(app)
    settled(press(app, "Ask the 1 failed again"), workspace)
    assert "passages done 3 of 3" in everything(app.run())
    assert len(server.seen) == 4


def test_run_at_its_cap_is_resumed_under_a_higher_one(tmp_path: Path, page, serve) -> None:
    """What waits is said; the cap is raised on the page; resume pays nothing twice."""
    workspace, server = project(tmp_path / "w"), serve(good)
    run_id = started(workspace, server.url, max_tokens_total=1300)
    drafting.go_on(workspace, run_id, key=None, progress=lambda *_: None)
    app = page(workspace)
    field = next(one for one in app.number_input if one.value == 1300)
    field.set_value(50_000)
    app = press(app, "Save the cap")
    settled(press(app, "Resume"), workspace)
    assert "passages done 4 of 4" in everything(app.run())
    assert len(server.seen) == 4


def test_refused_endpoint_is_a_message_not_a_traceback(tmp_path: Path, page) -> None:
    """An address without a scheme."""
    app = press(fill(page(project(tmp_path / "w")), "localhost:1234"), "Work out the plan")
    assert "is no base URL" in said(app)
    assert not app.exception
