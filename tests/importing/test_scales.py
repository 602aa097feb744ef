"""Other people's grades are read as a person says, shown before, and recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import small_project as small

from labelkit import importing
from labelkit.errors import InputError
from labelkit.importing import ImportOptions, scales
from labelkit.store import Workspace, imports, judgments

KEYS = [(query, doc) for query in range(1, 7) for doc in range(1, 6)]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Six queries and five documents."""
    return small.build(tmp_path / "w", query_count=6, document_count=5, pooled=False)


def table(*grades: object) -> bytes:
    """Judgments with these grades, one pair after the other."""
    rows = [f"q{q},d{d},{grade}\n" for (q, d), grade in zip(KEYS, grades, strict=False)]
    return ("query_id,doc_id,rating\n" + "".join(rows)).encode()


def look(workspace: Workspace, data: bytes, levels: str | None = None) -> importing.ImportPreview:
    """Preview judgments under a mapping."""
    mapping = None if levels is None else scales.parse(levels)
    options = ImportOptions(levels=mapping)
    return importing.preview(workspace, "judgments", "a.csv", data, options=options)


def levels_of(workspace: Workspace) -> list[int | None]:
    with workspace.reading() as db:
        return [judgment.level for judgment in judgments.current(db)]


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ("0-3", {"0": 0, "1": 1, "2": 1, "3": 2}),
        ("esci", {"E": 2, "S": 1, "C": 1, "I": 0}),
        ("binary", {"0": 0, "1": 2}),
        ("0.0=0, 1=1,-1=unjudged", {"0": 0, "1": 1, "-1": None}),
        ("as-is,blank=unjudged", {"0": 0, "1": 1, "2": 2, "": None}),
        ("a=b=2", {"a=b": 2}),
    ],
)
def test_a_mapping_is_read_as_it_is_written(text: str, mapping: dict[str, Any]) -> None:
    assert scales.parse(text) == mapping


@pytest.mark.parametrize("text", ["", "0", "0=3", "=1", "x=", "0=0,,1=1", "0=yes"])
def test_a_mapping_that_maps_nothing_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="maps no grade"):
        scales.parse(text)


def test_another_scale_is_one_question_and_not_a_hundred(workspace: Workspace) -> None:
    looked_at = look(workspace, table(0, 1, 2, 3, 3, 3, 3))
    [problem] = looked_at.problems
    assert "0 (1), 1 (1), 2 (1), 3 (4); say what 3 means" in problem.message
    assert "--levels 0-3" in problem.message
    assert [(g.value, g.count, g.words) for g in looked_at.grades] == [
        ("0", 1, "0"),
        ("1", 1, "1"),
        ("2", 1, "2"),
        ("3", 4, "not said"),
    ]


def test_a_mapped_scale_comes_in_and_is_recorded(workspace: Workspace) -> None:
    looked_at = look(workspace, table("E", "S", "C", "I", "E"), "esci")
    assert looked_at.ready
    importing.apply(workspace, looked_at, by="Lee")
    assert levels_of(workspace) == [2, 1, 1, 0, 2]
    [record] = imports.all(workspace)
    assert record.levels == {"C": 1, "E": 2, "I": 0, "S": 1}
    assert (record.kind, record.file, record.imported_by) == ("judgments", "a.csv", "Lee")
    assert record.file_sha256 == looked_at.sha256
    assert record.headers == {"query_id": "query_id", "doc_id": "doc_id", "level": "rating"}
    assert record.counts["added"] == 5


@pytest.mark.parametrize(
    ("levels", "expected", "left_out"),
    [("as-is,-1=unjudged", [1, 2], 2), ("as-is,-1=0", [1, 2, 0, 0], 0)],
)
def test_a_negative_grade_is_what_a_person_says(
    workspace: Workspace, levels: str, expected: list[int], left_out: int
) -> None:
    looked_at = look(workspace, table(1, 2, -1, -1), levels)
    report = importing.apply(workspace, looked_at)
    assert levels_of(workspace) == expected
    assert report.left_out == left_out


def test_a_grade_that_the_mapping_leaves_out_is_a_problem_of_its_row(workspace: Workspace) -> None:
    [problem] = look(workspace, table(0, 1, 2, 7), "as-is").problems
    assert (problem.line, problem.column) == (5, "rating")
    assert "'7' is a grade for which no level is said" in problem.message


@pytest.mark.parametrize(("levels", "expected"), [("binary", 2), ("as-is", 1)])
def test_many_grades_without_a_2_may_be_binary_and_have_to_be_said(
    workspace: Workspace, levels: str, expected: int
) -> None:
    data = table(*[1] * 20)
    [problem] = look(workspace, data).problems
    assert "1 (20) and never 2" in problem.message
    assert "--levels binary" in problem.message
    importing.apply(workspace, look(workspace, data, levels))
    assert set(levels_of(workspace)) == {expected}


def test_rows_without_a_grade_are_left_out_where_that_is_said(workspace: Workspace) -> None:
    data = table(1, "", 2)
    assert "blank=unjudged" in look(workspace, data).problems[0].message
    report = importing.apply(workspace, look(workspace, data, "as-is,blank=unjudged"))
    assert (report.added, report.left_out) == (2, 1)


def test_a_row_with_a_cause_is_kept_where_blank_rows_are_left_out(workspace: Workspace) -> None:
    data = b"query_id,doc_id,level,cause\nq1,d1,,rubric_gap\nq1,d2,,\nq1,d3,2,\n"
    looked_at = look(workspace, data, "as-is,blank=unjudged")
    report = importing.apply(workspace, looked_at)
    assert (report.added, report.left_out) == (2, 1)
