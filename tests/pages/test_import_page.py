"""The Import page: looked at first, then all of a file or nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import samples
from reading import press, said, words
from streamlit.testing.v1 import AppTest

from labelkit import judging
from labelkit.store import Workspace, documents, people

Open = Callable[[Workspace, str, str | None], AppTest]
PAGE = "pages/import.py"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six queries with one document each."""
    return samples.judged_from_scratch(tmp_path / "workspace", documents_per_query=1)


def upload(app: AppTest, name: str, content: str, kind: str = "documents") -> AppTest:
    """Choose the kind and upload a file."""
    if kind != "documents":
        app.radio(key="kind").set_value(kind).run()
    return app.file_uploader[0].set_value((name, content.encode(), "text/plain")).run()


def test_file_is_shown_before_it_is_imported(workspace: Workspace, open_page: Open) -> None:
    """First rows with how each column is read; the import adds all of it and says what it did."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "new.csv", "id,title,body,owner\nx1,One,**text** of one,me\nx2,Two,two,you\n")
    assert "2 rows" in app.subheader[0].value
    assert "**text** of one" in words(app)
    assert "owner → metadata" in words(app)
    press(app, "Import 2 documents")
    assert "new.csv: 2 documents added" in said(app)
    with workspace.reading() as db:
        held = documents.get(db, "x1")
    assert held is not None
    assert (held.text, dict(held.metadata)) == ("**text** of one", {"owner": "me"})
    assert not any(button.label.startswith("Import ") for button in app.button)


def test_problems_are_numbered_by_row_and_nothing_is_imported(
    workspace: Workspace, open_page: Open
) -> None:
    """One bad level among good ones: its line is named, and there is no button to import."""
    rows = "q1,csv.DictWriter.writeheader#1.0,2\nq2,zipfile.ZipFile.open#2.0,7\n"
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "labels.csv", f"query_id,doc_id,level\n{rows}", "judgments")
    assert "1 problems on 1 lines" in app.subheader[1].value
    assert "3 level '7' is no level" in words(app)
    assert not any(button.label.startswith("Import ") for button in app.button)
    assert len(app.get("download_button")) == 1
    assert judging.load(workspace).judgments == ()


def test_columns_without_a_known_name_are_matched_by_hand(
    workspace: Workspace, open_page: Open
) -> None:
    """A required column nobody knows is asked for; once matched the file can be imported."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "odd.csv", "number,what it says\nx1,some text\n")
    assert "Say which column holds doc_id, text." in said(app)
    by_label = {box.label: box for box in app.selectbox}
    by_label["doc_id (required)"].select("number")
    by_label["text (required)"].select("what it says").run()
    press(app, "Import 1 documents")
    assert "1 documents added" in said(app)


def test_unreadable_file_is_one_plain_message(workspace: Workspace, open_page: Open) -> None:
    """Bytes that are not UTF-8: the message names the place; the page below stands."""
    app = open_page(workspace, PAGE, "ann-lead")
    app.file_uploader[0].set_value(("latin.csv", b"id,text\nx1,caf\xe9\n", "text/csv")).run()
    assert "is not UTF-8" in said(app)
    assert not app.exception
    assert "Pool" in [part.value for part in app.subheader]


def test_judgments_without_a_rater_column_are_given_a_name(
    workspace: Workspace, open_page: Open
) -> None:
    """The page asks who judged; TREC qrels have no header and are read all the same."""
    app = open_page(workspace, PAGE, "ann-lead")
    upload(app, "old.qrels", "q1 0 csv.DictWriter.writeheader#1.0 2\n", "judgments")
    app.text_input[0].set_value("The crowd")
    press(app, "Import 1 judgments")
    assert "1 judgments added" in said(app)
    [judgment] = judging.load(workspace).judgments
    person = people.get(workspace, judgment.person_id)
    assert person is not None
    assert person.name == "The crowd"


def test_empty_project_says_what_pooling_waits_for(tmp_path: Path, open_page: Open) -> None:
    """Nothing imported: pooling names what is missing instead of offering a button."""
    empty = Workspace.create(tmp_path / "empty", "New")
    people.add(empty, "Ann Lead", ["lead"])
    app = open_page(empty, PAGE, "ann-lead")
    assert "no documents yet" in said(app)
    assert not any("Pool" in button.label for button in app.button)


def test_rater_may_not_import(workspace: Workspace, open_page: Open) -> None:
    """Importing belongs to leads."""
    app = open_page(workspace, PAGE, "bo-rater")
    assert "is not a lead" in said(app)
    assert app.get("file_uploader") == []
