"""The Releases page: refused with reasons, frozen once, verified to the byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import releases
from labelkit.store import Workspace, people

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/releases.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Everything judged, two pairs unresolved."""
    return measured.judged(tmp_path / "workspace")


def test_freeze_is_refused_with_every_reason(workspace: Workspace, open_page: Open) -> None:
    """What blocks is listed; pressing Freeze all the same says it again and freezes nothing."""
    app = open_page(workspace, PAGE, measured.LEAD)
    assert "Blocks a freeze 2 of 18 pairs are unresolved" in words(app)
    assert "Recorded as a warning 6 judged queries" in words(app)
    press(app, "Freeze")
    assert "Cannot freeze 'v1': 2 of 18 pairs are unresolved" in said(app)
    assert releases.list_releases(workspace) == []


def test_freeze_by_a_named_rule(workspace: Workspace, open_page: Open) -> None:
    """A rule lifts the block; the release records it and stands in the table."""
    app = open_page(workspace, PAGE, measured.LEAD)
    app.selectbox[0].select("min").run()
    assert "Blocks a freeze" not in words(app)
    press(app, "Freeze")
    assert "Froze v1" in said(app)
    [row] = releases.list_releases(workspace)
    assert row.manifest["resolution"]["rule"] == "min"
    assert f"v1 {row.content_sha256[:12]}" in words(app)
    assert app.text_input[0].value == "v2"


def test_tag_is_never_used_twice(tmp_path: Path, open_page: Open) -> None:
    """A second freeze under the same tag is refused in plain words."""
    app = open_page(measured.frozen(tmp_path / "workspace"), PAGE, measured.LEAD)
    app.text_input[0].set_value("v1")
    press(app, "Freeze")
    assert "never changes: choose another tag" in said(app)


def test_the_release_just_frozen_is_the_one_on_screen(tmp_path: Path, open_page: Open) -> None:
    """Verify and download after a freeze are about what was frozen, not about an earlier one."""
    app = open_page(measured.frozen(tmp_path / "workspace"), PAGE, measured.LEAD)
    press(app, "Verify")
    assert "v1 is byte for byte" in said(app)
    press(app, "Freeze")
    assert "Froze v2" in said(app)
    press(app, "Verify")
    assert "v2 is byte for byte" in said(app)


def test_verify_names_a_changed_file(tmp_path: Path, open_page: Open) -> None:
    """Untouched first; with one byte more the file is named."""
    workspace = measured.frozen(tmp_path / "workspace")
    app = open_page(workspace, PAGE, measured.LEAD)
    press(app, "Verify")
    assert "v1 is byte for byte as it was frozen" in said(app)
    with (workspace.releases / "v1" / "qrels.txt").open("ab") as file:
        file.write(b"x")
    press(app, "Verify")
    assert "qrels.txt has changed" in said(app)


def test_reviewer_looks_and_does_not_freeze(workspace: Workspace, open_page: Open) -> None:
    """The page is open to reviewers; freezing is the lead's."""
    people.add(workspace, "Ray Reviewer", ["reviewer"])
    app = open_page(workspace, PAGE, "ray-reviewer")
    assert "Only a lead freezes." in words(app)
    assert not any(button.label == "Freeze" for button in app.button)


@pytest.mark.parametrize("page", ["agreement", "releases", "benchmark", "failures"])
def test_labels_made_for_the_demo_are_called_so(page: str, tmp_path: Path, open_page: Open) -> None:
    """Every page with figures that rest on the demo's labels says whose they are."""
    sentence = "not by domain experts"
    workspace = measured.benched(tmp_path / "demo", provenance="demo")
    assert sentence in words(open_page(workspace, f"pages/{page}.py", measured.LEAD))
    other = measured.benched(tmp_path / "other")
    assert sentence not in words(open_page(other, f"pages/{page}.py", measured.LEAD))
