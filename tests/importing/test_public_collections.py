"""Public collections come in, are frozen, and go out as the same judgments, twice the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labelkit import importing, releases
from labelkit.errors import InputError
from labelkit.importing import ImportOptions, beir, scales
from labelkit.model import Role
from labelkit.store import Workspace, people

COLLECTIONS = [
    ("cranfield", "test", "test", None),
    ("esci_opensearch", "test", "test", None),
    ("esci_opensearch", "4level", "4level", "0=0,1=1,2=1,3=2"),
    ("npl_vaswani", "test", "test", "binary"),
    ("quepid/beir", "test", "3level", "0-3"),
]
"""Folder, qrels that come in, qrels that are to come out, and what the grades are read as."""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A project with a lead."""
    made = Workspace.create(tmp_path / "w", "Public")
    people.add(made, "Lee Lead", [Role.LEAD])
    return made


def rows(path: Path, levels: scales.Levels | None) -> set[tuple[str, str, int]]:
    """The judged rows of a BEIR file under a mapping."""
    found = set()
    for line in path.read_text().splitlines()[1:]:
        query_id, doc_id, grade = line.split("\t")
        level = int(grade) if levels is None else levels[grade]
        if level is not None:
            found.add((query_id, doc_id, level))
    return found


def exported(path: Path) -> set[tuple[str, str, int]]:
    """The rows of exported TREC qrels."""
    found = set()
    for line in path.read_text().splitlines():
        query_id, _, doc_id, level = line.split()
        found.add((query_id, doc_id, int(level)))
    return found


@pytest.mark.parametrize(("name", "split", "out", "levels"), COLLECTIONS)
def test_qrels_go_out_as_they_came_in(
    workspace: Workspace,
    shared_data: Path,
    tmp_path: Path,
    name: str,
    split: str,
    out: str,
    levels: str | None,
) -> None:
    mapping = scales.parse(levels) if levels else None
    folder = shared_data / name
    options = ImportOptions(levels=mapping)
    reports = beir.import_beir(workspace, folder, split=split, options=options, rater="Public")
    assert [report.kind for report in reports] == ["documents", "queries", "judgments"]
    frozen = releases.freeze(workspace, "v1", "lee-lead")
    loaded = releases.load(frozen.folder, workspace)
    for copy in ("one", "two"):
        releases.export(loaded, tmp_path / copy)
    wanted = rows(folder / "qrels" / f"{out}.tsv", None if split != out else mapping)
    assert exported(tmp_path / "one" / "qrels.txt") == wanted
    for file in ("qrels.txt", "qrels/test.tsv", "corpus.jsonl", "queries.jsonl"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_same_folder_again_changes_nothing(workspace: Workspace, shared_data: Path) -> None:
    folder = shared_data / "cranfield"
    beir.import_beir(workspace, folder)
    with workspace.reading() as db:
        before = list(db.iterdump())
    again = beir.import_beir(workspace, folder)
    assert [report.added + report.changed for report in again] == [0, 0, 0]
    with workspace.reading() as db:
        assert list(db.iterdump()) == before


def test_the_public_copy_of_cranfield_counts_its_queries(
    workspace: Workspace, shared_data: Path
) -> None:
    """611 of its 1,837 rows name no query; by position they are the judgments of the BEIR form."""
    orig = shared_data / "cranfield" / "orig"
    importing.import_file(workspace, "documents", orig / "cran.all.1400")
    importing.import_file(workspace, "queries", orig / "cran.qry")
    levels = scales.parse("1=2,2=2,3=1,4=1,-1=0")
    with pytest.raises(InputError) as refused:
        importing.import_file(
            workspace, "judgments", orig / "cranqrel", options=ImportOptions(levels=levels)
        )
    said = str(refused.value)
    assert "1,094 of 1,837 judgments point to ids that are not here (60%; such as" in said
    assert "even without leading zeros 611 rows name no query" in said
    assert "there are 225 queries" in said
    assert "query 3 would be '004'" in said
    assert "--query-ids by-position" in said
    options = ImportOptions(levels=levels, query_ids="by-position")
    done = importing.import_file(workspace, "judgments", orig / "cranqrel", options=options)
    assert done.added == 1837
    assert _by_position(workspace) == rows(shared_data / "cranfield" / "qrels" / "test.tsv", None)


def _by_position(workspace: Workspace) -> set[tuple[str, str, int]]:
    """What was imported, with positions for query ids."""
    from labelkit.store import imports, judgments

    with workspace.reading() as db:
        place = {query_id: str(n) for n, query_id in enumerate(imports.query_order(db), 1)}
        return {(place[j.query_id], j.doc_id, j.level or 0) for j in judgments.current(db)}


@pytest.mark.parametrize("file", ["book_export_wide.csv", "ratings_long.csv"])
def test_quepids_exports_hold_the_same_1920_judgments(
    workspace: Workspace, shared_data: Path, file: str
) -> None:
    """One column a rater, or one row a judgment."""
    folder = shared_data / "quepid"
    importing.import_file(workspace, "documents", folder / "beir" / "corpus.jsonl")
    importing.import_file(workspace, "queries", folder / "beir" / "queries.jsonl")
    levels = scales.parse("0-3,blank=unjudged" if "long" in file else "0-3")
    done = importing.import_file(
        workspace, "judgments", folder / file, options=ImportOptions(levels=levels)
    )
    assert done.added == 1920
    assert done.left_out == (22 if "long" in file else 0)
    assert len(people.all(workspace)) == 1 + 13


def test_a_beir_folder_with_a_wrong_row_brings_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(json.dumps({"_id": "d1", "text": "x"}) + "\n")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "x"}) + "\n")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    with pytest.raises(InputError, match="document 'd2'"):
        beir.import_beir(workspace, folder)
    with workspace.reading() as db:
        assert db.execute("select count(*) from documents").fetchone()[0] == 0
    with pytest.raises(InputError, match="there are no qrels 'dev'; say which of test"):
        beir.import_beir(workspace, folder, split="dev")
