"""Fixtures of the browser tests: one browser a run, one server a module, one rater a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import harness
import pytest
import samples

from labelkit import judging
from labelkit.store import Workspace, people
from labelkit.store.people import person_id_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

HERE = os.path.dirname(__file__)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder as a browser test."""
    for item in items:
        if str(item.path).startswith(HERE):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium; a machine without it skips, and fails where CI is true."""
    if harness.chromium_path() is None:
        reason = "no chromium on this machine: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with harness.chromium() as running:
        yield running


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A project in which nothing has been judged, shared by the tests of one module."""
    return samples.judged_from_scratch(tmp_path_factory.mktemp("module") / "workspace")


@pytest.fixture(scope="module")
def server(workspace: Workspace, browser: Browser) -> Iterator[harness.Server]:
    """A server on that project."""
    with harness.serving(workspace.path) as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile of its own, with no cookies."""
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    made.set_default_timeout(10_000)
    yield made
    made.close()


@dataclass
class Rater:
    """Somebody on the Label page, and what the store has of them."""

    page: Page
    workspace: Workspace
    server: harness.Server
    name: str

    @property
    def person_id(self) -> str:
        """The person's id."""
        return person_id_of(self.name)

    @property
    def reason(self) -> Locator:
        """The reason's text area."""
        return self.page.get_by_label("Reason, one sentence")

    @property
    def save(self) -> Locator:
        """The save button."""
        return self.page.get_by_role("button", name="Save", exact=False).first

    def level(self, level: int) -> Locator:
        """A level's button."""
        return self.page.locator(f"[class*='st-key-lk_choice_level_{level}_'] button")

    def shows_level(self, words: str) -> None:
        """Wait until the page says that this is the chosen level."""
        self.page.get_by_text(f"Your level: {words}", exact=True).wait_for()

    def pair(self) -> str:
        """The id of the pair on screen, read from the key of its reason."""
        classes = self.page.locator("[class*='st-key-lk_reason_']").get_attribute("class") or ""
        return next(part for part in classes.split() if part.startswith("st-key-lk_reason_"))

    def next_pair(self, before: str) -> None:
        """Wait until another pair than `before` is on screen."""
        self.page.locator(f".{before}").wait_for(state="detached")
        self.idle()

    def judgments(self) -> list[judging.RecentJudgment]:
        """What stands in the store for this person, newest first."""
        return judging.recent(self.workspace, self.person_id, 50)

    def idle(self) -> None:
        """Wait until nothing runs."""
        harness.idle(self.page)


def start_rater(
    context: BrowserContext, server: harness.Server, workspace: Workspace, name: str
) -> Rater:
    """Add a rater, open the Label page and sign in."""
    people.add(workspace, name, ["rater"])
    page = context.new_page()
    harness.open_page(page, f"{server.url}/label")
    harness.sign_in(page, name)
    return Rater(page, workspace, server, name)


@pytest.fixture
def rater(
    request: pytest.FixtureRequest,
    context: BrowserContext,
    server: harness.Server,
    workspace: Workspace,
) -> Rater:
    """A new rater, named after the test, with a first pair on screen."""
    return start_rater(context, server, workspace, request.node.name)
