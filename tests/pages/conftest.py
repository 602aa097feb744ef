"""Fixtures of the page tests: Streamlit's own test runner, without a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labelkit.store import Workspace

ROOT = Path(__file__).parents[2]
# The small workspaces are those of the browser tests.
sys.path.insert(0, str(ROOT / "tests" / "browser"))


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Callable[[Workspace, str, str | None], AppTest]:
    """Open a page as a person, entering through app.py so that page links can be resolved."""

    def opened(workspace: Workspace, page: str, person_id: str | None) -> AppTest:
        monkeypatch.setenv("LABELKIT_WORKSPACE", str(workspace.path))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=20)
        # "" is somebody signed out: the runner has no cookies to look into.
        app.session_state["lk_person"] = person_id or ""
        app.run()
        return app if page == "app.py" else app.switch_page(page).run()

    return opened


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six queries with two documents each, nothing judged."""
    import samples

    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=2)


@pytest.fixture
def label(
    workspace: Workspace,
    open_page: Callable[[Workspace, str, str | None], AppTest],
    monkeypatch: pytest.MonkeyPatch,
) -> AppTest:
    """The Label page with a first pair; a test is faster than any reader."""
    monkeypatch.setattr("labelkit.judging.recording.SHORTEST_LOOK", 0.0)
    return open_page(workspace, "pages/label.py", "bo-rater")
