"""Columns are matched by name, or by a person."""

from pathlib import Path

import pytest

from labelkit import importing
from labelkit.errors import InputError
from labelkit.store import Workspace

FILE = b"number,what it says,owner\nx1,some text,me\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty project."""
    return Workspace.create(tmp_path / "workspace", "Project")


def test_known_names_are_matched_and_others_are_left() -> None:
    """The file's columns in its order, and those whose name says what they are."""
    found = importing.match_columns("queries", "a.tsv", b"_id\tquery\tfoo\n1\tx\ty\n")
    assert found.columns == ("_id", "query", "foo")
    assert found.headers == {"query_id": "_id", "text": "query"}


def test_what_a_person_matched_is_read(workspace: Workspace) -> None:
    """Columns without a known name are read as the person said; the rest is metadata."""
    headers = {"doc_id": "number", "text": "what it says"}
    looked_at = importing.preview(workspace, "documents", "a.csv", FILE, headers=headers)
    assert looked_at.ready
    [document] = looked_at.items
    assert (document.doc_id, document.text) == ("x1", "some text")
    assert dict(document.metadata) == {"owner": "me"}


def test_a_required_column_that_nobody_matched_is_refused(workspace: Workspace) -> None:
    """The message names the column and what the file has."""
    with pytest.raises(InputError, match=r"no column 'text'.*'what it says'"):
        importing.preview(workspace, "documents", "a.csv", FILE, headers={"doc_id": "number"})


def test_unknown_kind_is_refused() -> None:
    """Only documents, queries and judgments are imported."""
    with pytest.raises(InputError, match="cannot be imported"):
        importing.match_columns("people", "a.csv", FILE)
