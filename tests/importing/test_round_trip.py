"""What is exported comes back as it was: every field of a query, in every form that has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from labelkit import importing, releases
from labelkit.errors import InputError
from labelkit.importing import beir
from labelkit.model import Document, Query, QuerySource, QueryState, Turn
from labelkit.releases import content
from labelkit.releases.reading import Release
from labelkit.store import Workspace, documents, judgments, queries

FULL = Query(
    "c1", " and with a header? ", QuerySource.CONVERSATION,
    turns=(Turn("user", "how do I write a csv file"), Turn("assistant", "Use\ncsv.writer; <b>")),
    information_need="the first row", tags=("keyword", "a b"), language="en",
    source_doc_id="d1", drafted_text="and the header?", provenance="drafted by m",
    types=("question", "follow-up"), types_by="person",
    rewritten_text="write a csv file with a header row", rewritten_by="tiny-model",
)  # fmt: skip
PLAIN = Query("01", "NA", QuerySource.LOG)
RULED = Query("q2", "how do i sort", QuerySource.MANUAL, types=("question",), types_by="rule")
ASKED = (PLAIN, FULL, RULED)


def held(workspace: Workspace) -> dict[str, Query]:
    """Every query, by id."""
    return {one.query_id: one for one in queries.in_state(workspace, QueryState.ACCEPTED)}


def release(folder: Path) -> Release:
    """These queries over one document, as a release that was loaded."""
    return Release(
        tag="v1",
        content_sha256="0" * 64,
        folder=folder,
        documents=[Document("d1", "T", "text", {"type": "guide", "n": 1})],
        queries=list(ASKED),
        qrels={"01": {"d1": 0}, "c1": {"d1": 2}},
        judgments=[],
        manifest={},
    )


def test_a_beir_export_comes_back_whole(tmp_path: Path) -> None:
    """Queries with every field, the document, the levels; and once more changes nothing."""
    releases.export(release(tmp_path), tmp_path / "out", ["beir"])
    workspace = Workspace.create(tmp_path / "w", "To")
    beir.import_beir(workspace, tmp_path / "out")
    assert held(workspace) == {one.query_id: one for one in ASKED}
    with workspace.reading() as db:
        assert documents.get(db, "d1") == release(tmp_path).documents[0]
        levels = {(one.query_id, one.doc_id): one.level for one in judgments.current(db)}
    assert levels == {("01", "d1"): 0, ("c1", "d1"): 2}
    again = beir.import_beir(workspace, tmp_path / "out")
    assert [report.added + report.changed for report in again] == [0, 0, 0]


def test_the_queries_of_a_release_come_back_whole(tmp_path: Path) -> None:
    """queries.jsonl as a release has it, read by its columns."""
    file = tmp_path / "queries.jsonl"
    file.write_bytes(content.lines(map(content.query_row, ASKED)))
    workspace = Workspace.create(tmp_path / "w", "To")
    importing.import_file(workspace, "queries", file)
    assert held(workspace) == {one.query_id: one for one in ASKED}


def test_types_are_read_from_a_table_and_checked(tmp_path: Path) -> None:
    """Semicolons between; a person's unless it is said; an unknown one is refused by row."""
    file = tmp_path / "queries.csv"
    file.write_text("query_id,text,types\nq1,how,question; keyword\n", encoding="utf-8")
    workspace = Workspace.create(tmp_path / "w", "To")
    importing.import_file(workspace, "queries", file)
    assert (held(workspace)["q1"].types, held(workspace)["q1"].types_by) == (
        ("keyword", "question"), "person",
    )  # fmt: skip
    file.write_text("query_id,text,types\nq2,how,riddle\n", encoding="utf-8")
    with pytest.raises(InputError, match="'riddle' is no type of query: use keyword"):
        importing.import_file(workspace, "queries", file)


def test_metadata_of_other_tools_say_nothing_of_source(tmp_path: Path) -> None:
    """Their `source` and `note` mean something else, and are no reason to refuse."""
    file = tmp_path / "queries.jsonl"
    file.write_text(
        '{"_id": "q1", "text": "how", "metadata": {"source": "web", "labelkit": 3}}\n',
        encoding="utf-8",
    )
    workspace = Workspace.create(tmp_path / "w", "To")
    importing.import_file(workspace, "queries", file)
    assert held(workspace)["q1"].source is QuerySource.MANUAL
