"""Finding a document by hand: the right one comes first, and adding it is harmless twice."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path

import pytest
import small_project as small

from labelkit import jobs, judging
from labelkit.errors import InputError, NotAllowed
from labelkit.judging import finding
from labelkit.model import Document, Role
from labelkit.store import Workspace, documents, people

GLUE = Document("glue", "Wood glue", "Press the parts together for an hour until it holds.")
TAPE = Document("tape", "Tape", "Adhesive on a roll for a quick repair of paper.")
SNOW = Document("snow", "Winter 100%", "Snow falls on the mountains.")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A query with three pooled documents, and three that nobody pooled."""
    workspace = small.build(tmp_path / "workspace", query_count=1)
    with workspace.writing() as db:
        documents.save(db, [GLUE, TAPE, SNOW])
    return workspace


def built(workspace: Workspace) -> Workspace:
    """The same with its index."""
    finding.build(workspace, {}, lambda done, total, message: None)
    return workspace


def ids(workspace: Workspace, words: str, k: int = 3) -> list[str]:
    """What Ann finds for her query."""
    return [one.doc_id for one in finding.find(workspace, small.ANN, "q1", words, k)]


def test_words_find_their_document(workspace: Workspace) -> None:
    """Other forms of a word count, in title and text."""
    built(workspace)
    assert ids(workspace, "pressing parts")[0] == "glue"
    assert ids(workspace, "snow mountain")[0] == "snow"


def test_a_half_typed_word_finds_what_it_may_become(workspace: Workspace) -> None:
    """The last word need not be finished."""
    assert ids(built(workspace), "mounta")[0] == "snow"


def test_meaning_finds_without_a_shared_word(workspace: Workspace) -> None:
    """The embedding knows that cold weather has to do with snow."""
    assert ids(built(workspace), "cold weather ice")[0] == "snow"


def test_titles_alone_are_searched_until_the_index_is_there(workspace: Workspace) -> None:
    """Typed signs are words, never wildcards."""
    assert not finding.is_ready(workspace)
    assert ids(workspace, "wood") == ["glue"]
    assert ids(workspace, "snow") == []
    assert ids(workspace, "100%") == ["snow"]
    assert ids(workspace, "_") == []


def test_a_new_or_changed_document_asks_for_a_new_index(workspace: Workspace) -> None:
    """Until it is built titles are searched; then the change is found and the old index gone."""
    built(workspace)
    with workspace.writing() as db:
        documents.save(db, [Document("snow", "Winter", "Ice on the lakes, skating.")])
    assert not finding.is_ready(workspace)
    built(workspace)
    assert ids(workspace, "skating")[0] == "snow"
    assert len(list((workspace.cache / "find").iterdir())) == 1


@pytest.mark.parametrize("words", ["", "   ", "?", "the", "\x00", "💥" * 900])
def test_anything_may_be_typed(workspace: Workspace, words: str) -> None:
    """With and without an index, nothing breaks."""
    assert ids(workspace, words) == []
    assert len(ids(built(workspace), words)) <= 3


def test_a_corpus_without_a_word_is_searched(tmp_path: Path) -> None:
    """An empty corpus and one of empty texts have an index too."""
    workspace = small.build(tmp_path / "workspace", document_count=0, pooled=False)
    assert ids(built(workspace), "glue") == []
    with workspace.writing() as db:
        documents.save(db, [Document("e", "", "")])
    assert len(ids(built(workspace), "glue")) <= 1


def test_the_index_is_built_by_a_job(workspace: Workspace) -> None:
    """In a process of its own, so that no page waits for it."""
    job_id = jobs.start(workspace, "find", {})
    jobs_left = 200
    while not (job := jobs.get(workspace, job_id)) or not job.ended:
        jobs_left -= 1
        assert jobs_left, "the job did not end"
        time.sleep(0.1)
    assert job.state == "completed", job.error
    assert finding.is_ready(workspace)


def test_adding_twice_adds_once_and_says_so(workspace: Workspace) -> None:
    """The pair is marked as found by hand in the data, and is given out like any other."""
    first = finding.add_by_hand(workspace, small.ANN, "q1", "glue")
    again = finding.add_by_hand(workspace, small.BO, "q1", "glue")
    assert (first.new, again.new) == (True, False)
    assert first.pair_id == again.pair_id
    with workspace.reading() as db:
        rows = db.execute("select origin from pairs where doc_id = 'glue'").fetchall()
    assert [row[0] for row in rows] == ["hand"]
    seen = small.work_through(workspace, small.BO)
    assert ("q1", "glue") in small.keys(seen)


def test_what_is_pooled_already_keeps_its_origin(workspace: Workspace) -> None:
    """A retriever found it first; a hand adds nothing to that."""
    assert not finding.add_by_hand(workspace, small.ANN, "q1", "d1").new
    with workspace.reading() as db:
        row = db.execute("select origin from pairs where doc_id = 'd1'").fetchone()
    assert row[0] == "pool"


def test_findings_say_nothing_that_biases(workspace: Workspace) -> None:
    """Judged or not, a document comes back the same, with id, title and text alone."""
    built(workspace)
    before = finding.find(workspace, small.BO, "q1", "thing glue", 6)
    small.work_through(workspace, small.ANN)
    assert finding.find(workspace, small.BO, "q1", "thing glue", 6) == before
    assert {field.name for field in fields(finding.Found)} == {"doc_id", "title", "text"}
    assert {field.name for field in fields(finding.Added)} == {"pair_id", "new"}


def test_only_who_judges_may_search_and_add(workspace: Workspace) -> None:
    """A reviewer is refused, and so is an id that is not here."""
    people.add(workspace, "Rex", [Role.REVIEWER])
    with pytest.raises(NotAllowed):
        finding.find(workspace, "rex", "q1", "glue", 3)
    with pytest.raises(NotAllowed):
        finding.add_by_hand(workspace, "rex", "q1", "glue")
    with pytest.raises(InputError):
        finding.find(workspace, small.ANN, "nothing", "glue", 3)
    with pytest.raises(InputError):
        finding.add_by_hand(workspace, small.ANN, "q1", "nothing")
    assert judging.progress(workspace, small.ANN).open_for_me == 3
