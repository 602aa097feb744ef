"""The model judge in a real browser: plan, estimate, start, its own table, and who sees it when."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import harness
import pytest
import samples
from playwright.sync_api import Browser, BrowserContext, WebSocket
from raters import Rater

from labelkit.store import Workspace, judgments

sys.path.insert(0, str(Path(__file__).parents[1] / "drafting"))

import fake_llm

REASON = "Only the model would put it so."
ENOUGH = 60_000
"""Milliseconds: the run is a process of its own."""


def grade(number: int, seen: fake_llm.Seen) -> fake_llm.Reply:
    """A 2, except once: the model is not of one mind about one pair."""
    level = 1 if number == 1 else 2
    verdict = {"reason": REASON, "quote": "Write a row with the field names", "level": level}
    return fake_llm.Reply(json.dumps(verdict))


@pytest.fixture
def llm() -> Iterator[fake_llm.FakeServer]:
    """A server that speaks OpenAI's protocol."""
    with fake_llm.serving(grade) as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six queries with one document each."""
    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)


@pytest.fixture
def server(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[harness.Server]:
    """The app, with no key and no address from outside."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LABELKIT_LLM_URL", "LABELKIT_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with harness.serving(workspace.path) as running:
        yield running


def grades(workspace: Workspace) -> list[tuple[int, str, int]]:
    """The model's own table: pair, the order the levels were listed in, level."""
    with workspace.reading() as db:
        rows = db.execute("select pair_id, direction, level from model_grades")
        return sorted(tuple(row) for row in rows)


def test_grades_are_kept_apart_and_shown_after_judging(
    workspace: Workspace,
    server: harness.Server,
    llm: fake_llm.FakeServer,
    context: BrowserContext,
    browser: Browser,
) -> None:
    """A lead runs it; nothing of it is a judgment; a rater reads it of a pair that is judged."""
    page = context.new_page()
    harness.open_page(page, f"{server.url}/model_judge")
    harness.sign_in(page, samples.LEAD)
    harness.fill(page, "Base URL", llm.url)
    harness.fill(page, "Model", "fake-1")
    harness.press(page, "Work out the plan")
    page.get_by_text("6 pairs, each asked twice").wait_for()
    page.get_by_text("12 requests (0 are answered already)").wait_for()
    assert llm.seen == []
    harness.press(page, "Start grading")
    page.get_by_text("83%", exact=True).wait_for(timeout=ENOUGH)
    assert len(llm.seen) == 12
    found = grades(workspace)
    assert len(found) == len({row[:2] for row in found}) == 12
    assert sorted(level for _, _, level in found) == [1, *[2] * 11]
    with workspace.reading() as db:
        assert judgments.current(db) == []
    page.get_by_text("Show a rater the model's grade of a pair").click()
    page.get_by_text("Raters see it after judging.").wait_for()
    reads_it_only_after_judging(workspace, server, browser)


def reads_it_only_after_judging(
    workspace: Workspace, server: harness.Server, browser: Browser
) -> None:
    """Nothing of the grade reaches a rater's browser before the rater has committed."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    page = context.new_page()
    received: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    page.on("websocket", listen)
    harness.open_page(page, f"{server.url}/label")
    harness.sign_in(page, samples.RATER)
    rater = Rater(page, workspace, server, samples.RATER)
    rater.ready()
    rater.judge(0, "It writes rows and reads none.")
    assert received
    assert not any(REASON in frame for frame in received)
    page.get_by_text("Your last judgments").click()
    page.get_by_role("button", name="What the model says").click()
    page.get_by_text(REASON).first.wait_for()
    assert any(REASON in frame for frame in received)
    assert len(rater.judgments()) == 1
    context.close()
