"""Fixtures of the browser tests: one browser a run, one server a module, one rater a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import harness
import pytest
import samples
from raters import Rater, start_rater

from labelkit.store import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

HERE = os.path.dirname(__file__)


@pytest.hookimpl(tryfirst=True)
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


@pytest.fixture
def rater(
    request: pytest.FixtureRequest,
    context: BrowserContext,
    server: harness.Server,
    workspace: Workspace,
) -> Rater:
    """A new rater, named after the test, with a first pair on screen."""
    return start_rater(context, server, workspace, request.node.name)
