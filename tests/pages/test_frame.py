"""The frame: who may see a page, and how a refusal reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import samples
from streamlit import config
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.errors import Conflict
from labelkit.store import Workspace, people

Open = Callable[[Workspace, str, str | None], AppTest]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A small project."""
    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)


def test_without_a_person_the_page_asks(workspace: Workspace, open_page: Open) -> None:
    """Nobody signed in: a list of names, marked as not authenticated, and nothing of the page."""
    app = open_page(workspace, "pages/people.py", None)
    assert [button.label for button in app.button][:2] == ["Ann Lead", "Bo Rater"]
    assert "not authenticated" in app.main.caption[0].value
    assert app.multiselect.len == 0


def test_role_is_read_on_every_run(workspace: Workspace, open_page: Open) -> None:
    """A role taken away closes the page with the next run."""
    people.add(workspace, "Cy", ["lead"])
    app = open_page(workspace, "pages/people.py", "ann-lead")
    assert app.multiselect.len > 0
    people.set_roles(workspace, "ann-lead", ["rater"])
    app.run()
    assert app.multiselect.len == 0
    assert "is not a lead" in app.warning[0].value


def test_person_who_is_gone_is_asked_again(workspace: Workspace, open_page: Open) -> None:
    """A session that names nobody in this project gets the list of names."""
    app = open_page(workspace, "app.py", "somebody-else")
    assert "Who are you?" in app.main.markdown[0].value


def test_person_taken_off_the_list_reads_why(workspace: Workspace, open_page: Open) -> None:
    """With the next run, and again when the same name is typed as a new one."""
    app = open_page(workspace, "pages/label.py", "bo-rater")
    judging.deactivate(workspace, "ann-lead", "bo-rater")
    app.run()
    assert "A lead took Bo Rater off the list" in app.info[0].value
    assert [button.label for button in app.button][:1] == ["Ann Lead"]
    other = open_page(workspace, "app.py", None)
    assert not other.info
    other.text_input(key="lk_join_name").set_value("Bo Rater")
    next(one for one in other.button if one.label == "Add me as a rater").click().run()
    assert "A lead took Bo Rater off the list" in other.warning[0].value


def test_refusal_of_a_verb_is_a_plain_message(
    workspace: Workspace, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A LabelkitError in a page's body shows its text, Markdown unread, and no traceback."""

    def refuse(*_: object) -> None:
        raise Conflict("Somebody *else* was faster: reload.")

    monkeypatch.setattr("labelkit.judging.claim", refuse)
    app = open_page(workspace, "pages/label.py", "bo-rater")
    assert app.error[0].value.replace("\\", "") == "Somebody *else* was faster: reload."
    assert not app.exception


def test_newcomer_joins_as_rater_and_never_takes_a_name(
    workspace: Workspace, open_page: Open
) -> None:
    """The field for somebody new adds a rater; a name that is there already is refused."""
    app = open_page(workspace, "app.py", None)
    app.text_input(key="lk_join_name").set_value("Ann Lead")
    next(button for button in app.button if button.label.startswith("Add me")).click()
    app.run()
    assert "in the list above" in app.warning[0].value
    app.text_input(key="lk_join_name").set_value("Dee")
    next(button for button in app.button if button.label.startswith("Add me")).click()
    app.run()
    added = people.get(workspace, "dee")
    assert added is not None
    assert added.roles == ("rater",)
    assert app.session_state["lk_person"] == "dee"


def test_the_app_refuses_to_open_on_the_network(workspace: Workspace, open_page: Open) -> None:
    """Bound to all addresses, no page shows anything: anybody could pick a lead's name."""
    before = config.get_option("server.address")
    config.set_option("server.address", "0.0.0.0")
    try:
        app = open_page(workspace, "app.py", "ann-lead")
    finally:
        config.set_option("server.address", before)
    assert "does not open on 0.0.0.0" in app.error[0].value.replace("\\", "")
    assert app.button.len == 0
