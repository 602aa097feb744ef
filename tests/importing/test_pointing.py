"""What judgments and runs point to; ids that look alike; columns that are remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_project as small

from labelkit import importing
from labelkit.errors import InputError
from labelkit.formats import trec
from labelkit.importing import ImportOptions, runs, scales
from labelkit.store import Workspace, documents, imports, judgments, people, queries

BOOK = b"query,docid,Ann,Bo\nhow do I mend thing 1,d1,2.0,1.0\nhow do I mend thing 2,d2,,0\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries and three documents."""
    return small.build(tmp_path / "w", pooled=False)


def look(
    workspace: Workspace, data: bytes, name: str = "a.csv", kind: str = "judgments", **said: object
) -> importing.ImportPreview:
    """Preview a file under some options."""
    return importing.preview(workspace, kind, name, data, options=ImportOptions(**said))  # type: ignore[arg-type]


def said(workspace: Workspace) -> list[tuple[str, str, str, int | None]]:
    with workspace.reading() as db:
        return [(j.query_id, j.doc_id, j.person_id, j.level) for j in judgments.current(db)]


class TestQueryIds:
    """A qrels file counts the queries, or names them."""

    QRELS = b"1 0 d1 2\n2 0 d2 1\n"

    def test_numbers_that_may_be_positions_are_said_to_be(self, workspace: Workspace) -> None:
        first, *rest = look(workspace, self.QRELS, "a.qrels").problems
        assert "2 of 2 judgments point to ids that are not here (100%; such as" in first.message
        assert "query 1 would be 'q1'" in first.message
        assert "--query-ids by-position" in first.message
        assert [problem.line for problem in rest] == [1, 2]

    def test_by_position_they_come_in(self, workspace: Workspace) -> None:
        looked_at = look(workspace, self.QRELS, "a.qrels", query_ids="by-position")
        importing.apply(workspace, looked_at, rater="T")
        assert said(workspace) == [("q1", "d1", "t", 2), ("q2", "d2", "t", 1)]

    def test_a_position_beyond_the_queries_is_refused(self, workspace: Workspace) -> None:
        looked_at = look(workspace, b"3 0 d1 2\n0 0 d1 2\n", "a.qrels", query_ids="by-position")
        assert [problem.message for problem in looked_at.problems] == [
            "'3' is no position: there are 2 queries",
            "'0' is no position: there are 2 queries",
        ]

    def test_other_unknown_ids_are_not_called_positions(self, workspace: Workspace) -> None:
        message = look(workspace, b"x 0 d1 2\n", "a.qrels").problems[0].message
        assert "by-position" not in message
        assert "--unknown skip" in message

    def test_rows_that_point_nowhere_are_left_out_where_that_is_said(
        self, workspace: Workspace
    ) -> None:
        data = b"query_id,doc_id,level\nq1,d1,1\nq9,d1,1\nq1,d9,1\n"
        report = importing.apply(workspace, look(workspace, data, unknown="skip"))
        assert (report.added, report.left_out) == (1, 2)


class TestQueryTexts:
    """Tools that know queries by their text."""

    def test_a_column_a_rater_is_one_judgment_each(self, workspace: Workspace) -> None:
        looked_at = look(workspace, BOOK)
        assert looked_at.ready
        assert "2 columns are read as one rater each: Ann, Bo." in looked_at.notes
        importing.apply(workspace, looked_at)
        assert said(workspace) == [
            ("q1", "d1", "ann", 2),
            ("q1", "d1", "bo", 1),
            ("q2", "d2", "bo", 0),
        ]

    def test_a_text_that_nobody_asks_or_two_do_is_refused(self, workspace: Workspace) -> None:
        with workspace.writing() as db:
            twin = small.query(1)
            queries.save(db, [type(twin)("q1b", twin.text, twin.source)])
        data = BOOK + b"who am I,d1,1,\n"
        messages = [problem.message for problem in look(workspace, data).problems]
        assert any("1 of 4 judgments ask a query that is not here" in m for m in messages)
        assert any("is the text of q1 and q1b: give the query's id" in m for m in messages)

    def test_other_columns_are_not_taken_for_raters(self, workspace: Workspace) -> None:
        data = b"query,docid,Ann,note\nhow do I mend thing 1,d1,2,a long remark\n"
        with pytest.raises(InputError, match="no column 'level'"):
            look(workspace, data)
        looked_at = look(workspace, data, raters=("Ann",))
        assert [(item.rater, item.level) for item in looked_at.items] == [("Ann", 2)]


class TestIds:
    """Ids are strings, exactly as given."""

    def test_that_differ_by_case_or_padding_are_warned_about(self, workspace: Workspace) -> None:
        data = b"doc_id,text\nD1,x\nd-007,x\nd-7,x\nd10,x\nd1000,x\n"
        looked_at = look(workspace, data, kind="documents")
        assert looked_at.ready
        [note] = looked_at.notes
        assert "('d1' and 'D1', 'd-007' and 'd-7')" in note
        importing.apply(workspace, looked_at)
        assert {"D1", "d1", "d-007", "d-7"} <= {d.doc_id for d in documents.all(workspace)}

    def test_are_made_of_the_content_where_that_is_said(self, workspace: Workspace) -> None:
        data = b"text\nhow to undo\nhow to redo\nhow to undo\n"
        with pytest.raises(InputError, match=r"no column 'query_id'.*--ids from-text"):
            look(workspace, data, kind="queries")
        looked_at = look(workspace, data, kind="queries", ids="from-text")
        assert looked_at.folded == 1
        importing.apply(workspace, looked_at)
        again = look(workspace, data, kind="queries", ids="from-text")
        assert importing.apply(workspace, again).unchanged == 2


class TestColumns:
    """How a header was read is remembered."""

    DATA = b"number,what it says\nx1,some text\n"

    def test_headers_are_remembered_by_the_header(self, workspace: Workspace) -> None:
        headers = {"doc_id": "number", "text": "what it says"}
        looked_at = importing.preview(workspace, "documents", "a.csv", self.DATA, headers=headers)
        importing.apply(workspace, looked_at)
        data = self.DATA.replace(b"x1", b"x2")
        assert importing.match_columns("documents", "b.csv", data, workspace=workspace) == (
            importing.Matching(("number", "what it says"), headers, remembered=True)
        )
        assert look(workspace, data, kind="documents").items[0].doc_id == "x2"

    def test_some_can_be_named_and_the_rest_is_known(self, workspace: Workspace) -> None:
        data = b"sku,id,text\nx1,7,some text\n"
        looked_at = look(workspace, data, kind="documents", named={"doc_id": "sku"})
        [document] = looked_at.items
        assert (document.doc_id, dict(document.metadata)) == ("x1", {"id": "7"})
        with pytest.raises(InputError, match="'nope' cannot be read as 'doc_id'"):
            look(workspace, data, kind="documents", named={"doc_id": "nope"})

    def test_a_header_is_known_whatever_its_case_and_dashes(self, workspace: Workspace) -> None:
        data = b"Query-ID;Corpus ID;Score\nq1;d1;2\n"
        assert look(workspace, data).items[0].level == 2


class TestRuns:
    """Runs made elsewhere are kept as TREC files."""

    TREC = b"q1 Q0 d1 1 0.5 mine\nq1 Q0 d2 2 0.25 mine\nq2 Q0 d1 1 1e-3 mine\n"

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("my run.txt", TREC),
            ("my run.csv", b"query_id,doc_id,score\nq1,d1,0.5\nq1,d2,0.25\nq2,d1,0.001\n"),
        ],
    )
    def test_are_kept_under_their_name_and_once(
        self, workspace: Workspace, name: str, data: bytes
    ) -> None:
        report = importing.apply(workspace, look(workspace, data, name, "runs"))
        assert report.added == 3
        path = runs.list_runs(workspace)["my-run"]
        assert trec.read_run(path) == {"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d1": 0.001}}
        assert importing.apply(workspace, look(workspace, data, name, "runs")).unchanged == 3
        assert [record.kind for record in imports.all(workspace)] == ["runs"]

    def test_a_rank_orders_where_no_score_is_given(self, workspace: Workspace) -> None:
        data = b"query_id,doc_id,rank\nq1,d2,1\nq1,d1,2\n"
        items = look(workspace, data, kind="runs").items
        assert [(item.doc_id, item.score) for item in items] == [("d2", -1.0), ("d1", -2.0)]

    def test_another_run_of_the_same_name_is_refused(self, workspace: Workspace) -> None:
        importing.apply(workspace, look(workspace, self.TREC, "a.run", "runs"))
        other = self.TREC.replace(b"0.25", b"0.75")
        with pytest.raises(InputError, match="another run called 'a'"):
            importing.apply(workspace, look(workspace, other, "a.run", "runs"))

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (b"x1 Q0 d1 1 0.5 r\n", "none of its query ids is here (such as 'x1')"),
            (b"q1 Q0 x1 1 0.5 r\n", "none of its document ids is here"),
            (b"q1 Q0 d1 1 nan r\nq1 Q0 d2 1 1 r\n", "'nan' is no score"),
            (b"q1 Q0 d1 1 1 r\nq1 Q0 d1 2 2 r\n", "stands on line 1 too"),
        ],
    )
    def test_that_cannot_be_measured_are_refused(
        self, workspace: Workspace, data: bytes, says: str
    ) -> None:
        problems = look(workspace, data, "a.run", "runs", read=_as_run()).problems
        assert any(says in problem.message for problem in problems)

    def test_lines_that_point_nowhere_are_noted(self, workspace: Workspace) -> None:
        data = self.TREC + b"q1 Q0 x9 3 0.1 mine\n"
        looked_at = look(workspace, data, "a.run", "runs")
        assert looked_at.ready
        assert "1 of 4 lines name a query or document" in looked_at.notes[0]


def _as_run() -> object:
    from labelkit.formats.options import ReadOptions

    return ReadOptions(format="run")


def test_a_quepid_book_as_json_comes_in_with_its_raters(workspace: Workspace) -> None:
    """Its queries are known by text; what was unrateable is said to be unjudged."""
    pair = {"query_text": "how do I mend thing 1", "doc_id": "d1"}
    judged = [
        {"rating": 3.0, "user_email": "ann@x.org", "explanation": "It says how."},
        {"rating": None, "unrateable": True, "user_email": "bo@x.org"},
    ]
    data = json.dumps({"query_doc_pairs": [{**pair, "judgements": judged}]}).encode()
    options = {"levels": scales.parse("0-3,unrateable=unjudged")}
    report = importing.apply(workspace, look(workspace, data, "book.json", **options))
    assert (report.added, report.left_out) == (1, 1)
    [(_, _, person_id, level)] = said(workspace)
    person = people.get(workspace, person_id)
    assert (person and person.name, level) == ("ann@x.org", 2)
