"""The People page: leaving is explained, confirmed, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.store import Workspace, people

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/people.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A project in which Bo has a pair open."""
    workspace = samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=2)
    judging.claim(workspace, measured.FIRST)
    return workspace


def active(workspace: Workspace, person_id: str) -> bool:
    """Whether somebody may come in."""
    person = people.get(workspace, person_id)
    return person is not None and person.active


def test_leaving_says_what_it_does_and_asks(workspace: Workspace, open_page: Open) -> None:
    """Nothing happens before the second click; "No" takes it back."""
    app = press(open_page(workspace, PAGE, measured.LEAD), "Bo Rater leaves …")
    assert "1 open pair, 0 pairs set aside" in words(app)
    press(app, "No, they stay")
    assert active(workspace, measured.FIRST)
    assert not any(button.label == "Yes, they leave" for button in app.button)


def test_who_left_is_listed_and_comes_back(workspace: Workspace, open_page: Open) -> None:
    """With the pseudonym that stands beside their judgments."""
    app = press(open_page(workspace, PAGE, measured.LEAD), "Bo Rater leaves …")
    press(app, "Yes, they leave")
    assert "Bo Rater has left" in said(app)
    assert not active(workspace, measured.FIRST)
    assert "Bo Rater, shown as Former person" in words(app)
    press(app, "Let Bo Rater in again")
    assert active(workspace, measured.FIRST)


def test_the_last_lead_is_told_to_stay(workspace: Workspace, open_page: Open) -> None:
    """A message, and nothing done."""
    app = press(open_page(workspace, PAGE, measured.LEAD), "Ann Lead leaves …")
    press(app, "Yes, they leave")
    assert "at least one lead" in said(app)
    assert active(workspace, measured.LEAD)
