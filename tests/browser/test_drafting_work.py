"""Drafting in a real browser against a real local server: from no endpoint to drafts to review."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import harness
import pytest
from playwright.sync_api import BrowserContext, Page

from labelkit.model import QueryState
from labelkit.store import Workspace, queries

sys.path.insert(0, str(Path(__file__).parents[1] / "drafting"))

import fake_llm
import small_drafting

CHECKS = 60_000
"""Milliseconds: a run ends only after its drafts were held against the corpus."""

KEY = "sk-labelkit-browser-5e1c"


def refusing_once(number: int, seen: fake_llm.Seen) -> fake_llm.Reply:
    """Slow enough to be paused; the second request is refused for good."""
    if number == 1:
        return fake_llm.error(400, "the passage is too rude")
    reply = fake_llm.good(number, seen)
    reply.wait = 2.5 if number < 5 else 0.0
    return reply


@pytest.fixture
def llm() -> Iterator[fake_llm.FakeServer]:
    """A server that speaks OpenAI's protocol."""
    server = fake_llm.FakeServer(refusing_once)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six documents that are long enough to draft from."""
    return small_drafting.project(tmp_path / "workspace", count=6)


@pytest.fixture
def server(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[harness.Server]:
    """The app, with the key where it belongs."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LABELKIT_LLM_URL", "LABELKIT_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LABELKIT_LLM_KEY", KEY)
    with harness.serving(workspace.path) as running:
        yield running


def wait_for_requests(page: Page, llm: fake_llm.FakeServer, number: int) -> None:
    """Wait until the server has been asked so often: the run's process takes a while to begin."""
    for _ in range(200):
        if len(llm.seen) >= number:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{len(llm.seen)} of {number} requests came")


def everything(folder: Path) -> bytes:
    """Every byte of every file under a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_new_user_drafts_pauses_resumes_and_reviews(
    workspace: Workspace,
    server: harness.Server,
    llm: fake_llm.FakeServer,
    context: BrowserContext,
    tmp_path: Path,
) -> None:
    """What to set, the plan with its estimate and prompt, a pause, a refusal, and the drafts."""
    page = context.new_page()
    harness.open_page(page, f"{server.url}/drafts")
    harness.sign_in(page, "Lee Lead")
    page.get_by_text("Any server that speaks OpenAI's chat protocol").wait_for()
    page.get_by_text("LABELKIT_LLM_KEY").first.wait_for()
    harness.fill(page, "Base URL", llm.url)
    harness.fill(page, "Model", "fake-1")
    page.get_by_text("A key for this address is set on the server").wait_for()
    harness.fill(page, "Passages", "6")
    harness.press(page, "Work out the plan")
    page.get_by_text("Preview of the first request").click()
    page.get_by_text("Title: On").last.wait_for()
    harness.press(page, "Start drafting")
    wait_for_requests(page, llm, 5)
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Resume").wait_for(timeout=CHECKS)
    harness.idle(page)
    paid = len(llm.seen)
    harness.press(page, "Resume")
    page.get_by_role("button", name="Ask the 1 failed again").wait_for(timeout=CHECKS)
    harness.idle(page)
    assert paid < len(llm.seen) == 6
    page.get_by_text("the passage is too rude").first.wait_for()
    harness.press(page, "Ask the 1 failed again")
    wait_for_requests(page, llm, 7)
    page.get_by_text("Failed: 1").wait_for(state="detached", timeout=CHECKS)
    page.get_by_role("button", name="Cancel").wait_for(state="detached", timeout=CHECKS)
    assert len(llm.seen) == 7
    assert len(queries.in_state(workspace, QueryState.DRAFT)) == 12
    page.get_by_role("link", name="Review queries").last.click()
    page.get_by_text("why does Title On").first.wait_for()
    assert KEY not in page.content()
    assert KEY.encode() not in everything(tmp_path)
