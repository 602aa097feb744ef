"""Importing: all of a file or nothing, every problem with its line, ids kept exactly."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import small_project as small

from labelkit import importing, judging
from labelkit.errors import InputError
from labelkit.model import Cause, Query, QuerySource, QueryState, Turn
from labelkit.rubric import STARTER, parse_rubric
from labelkit.store import Workspace, documents, judgments, people, queries, rubrics


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with nothing in it."""
    return Workspace.create(tmp_path / "w")


@pytest.fixture
def filled(tmp_path: Path) -> Workspace:
    """Two queries and three documents, nothing pooled."""
    return small.build(tmp_path / "filled", pooled=False)


def put(
    workspace: Workspace, kind: str, name: str, data: str | bytes, rater: str | None = None
) -> importing.ImportReport:
    """Look at a file and import it."""
    raw = data.encode() if isinstance(data, str) else data
    return importing.apply(workspace, importing.preview(workspace, kind, name, raw), rater=rater)


def problems(
    workspace: Workspace, kind: str, name: str, data: str | bytes
) -> list[tuple[int, str]]:
    """Line and message of each problem that a look finds."""
    raw = data.encode() if isinstance(data, str) else data
    found = importing.preview(workspace, kind, name, raw)
    return [(problem.line, f"{problem.column}: {problem.message}") for problem in found.problems]


def everything(workspace: Workspace) -> list[str]:
    """The whole database as SQL text."""
    with workspace.reading() as db:
        return list(db.iterdump())


def docs(workspace: Workspace) -> dict[str, str]:
    return {document.doc_id: document.text for document in documents.all(workspace)}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", "doc_id,title,text,kind\n01,One,first text,x\nNA,,second,y\n"),
        ("a.tsv", "doc_id\ttitle\ttext\tkind\n01\tOne\tfirst text\tx\nNA\t\tsecond\ty\n"),
        (
            "a.jsonl",
            '{"_id": "01", "title": "One", "text": "first text", "metadata": {"kind": "x"}}\n'
            '{"_id": "NA", "text": "second", "kind": "y"}\n',
        ),
        ("A.CSV", "\ufeffid,title,body,kind\r\n01,One,first text,x\r\nNA,,second,y\r\n"),
    ],
)
def test_documents_come_in_the_same_from_every_kind_of_file(
    workspace: Workspace, name: str, data: str
) -> None:
    report = put(workspace, "documents", name, data)
    assert (report.added, report.changed, report.unchanged) == (2, 0, 0)
    first, second = documents.all(workspace)
    assert (first.doc_id, first.title, first.text) == ("01", "One", "first text")
    assert (second.doc_id, second.title, second.text) == ("NA", "", "second")
    assert [dict(document.metadata) for document in (first, second)] == [
        {"kind": "x"},
        {"kind": "y"},
    ]


def test_ids_are_kept_exactly(workspace: Workspace) -> None:
    ids = ["01", "1", "1.0", "NA", "null", "None", "true", "1e3", "-", "é", "e\u0301", "a/../b"]
    rows = "".join(f"{doc_id},text\n" for doc_id in ids)
    put(workspace, "documents", "a.csv", "doc_id,text\n" + rows)
    assert set(docs(workspace)) == set(ids)


def test_the_same_file_again_changes_nothing(workspace: Workspace) -> None:
    data = "doc_id,text\nd1,one\nd2,two\n"
    put(workspace, "documents", "a.csv", data)
    before = everything(workspace)
    report = put(workspace, "documents", "a.csv", data)
    assert (report.added, report.changed, report.unchanged) == (0, 0, 2)
    assert everything(workspace) == before


def test_a_changed_document_keeps_its_old_text_as_a_revision(filled: Workspace) -> None:
    small.pool(filled, [("q1", "d1")])
    small.work_through(filled, small.ANN)
    report = put(filled, "documents", "a.csv", "doc_id,title,text\nd1,Thing 1,New text.\n")
    assert (report.changed, report.judgments_touched) == (1, 1)
    assert "1 judgment stands on the old text" in report.sentence
    with filled.reading() as db:
        kept = db.execute("select doc_id, revision, text from document_revisions").fetchall()
    assert [tuple(row) for row in kept] == [("d1", 1, "Thing 1 is mended with glue.")]
    assert docs(filled)["d1"] == "New text."


def test_one_bad_row_and_nothing_of_the_file_is_written(workspace: Workspace) -> None:
    before = everything(workspace)
    with pytest.raises(InputError, match=r"nothing was imported. line 3, column 'doc_id'"):
        put(workspace, "documents", "a.csv", "doc_id,text\nd1,one\nd 2,two\n")
    assert everything(workspace) == before


def test_every_problem_is_named_with_its_line_whatever_stands_before_it(
    workspace: Workspace,
) -> None:
    data = (
        "doc_id,text\n"
        'd1,"a text\nover three\nlines"\n'
        "\n"
        "d2,too,many\n"
        '"",no id\n'
        "d1,another text\n"
        "d1,another text\n"
    )
    found = problems(workspace, "documents", "a.csv", data)
    assert [line for line, _ in found] == [6, 7, 8, 9]
    assert "3 fields where the header has 2" in found[0][1]
    assert "is no id" in found[1][1]
    assert "stands on line 2 too, with other content" in found[2][1]


def test_json_lines_keep_their_lines_and_their_separators(workspace: Workspace) -> None:
    text = "one\u2028two\u0085three\x1cfour"
    data = json.dumps({"doc_id": "d1", "text": text}, ensure_ascii=False) + "\n\n{broken\n[1]\n"
    found = problems(workspace, "documents", "a.jsonl", data)
    assert [line for line, _ in found] == [3, 4]
    put(workspace, "documents", "a.jsonl", data.split("\n")[0])
    assert docs(workspace) == {"d1": text}


def test_repeated_rows_are_folded_and_counted(workspace: Workspace) -> None:
    report = put(workspace, "documents", "a.csv", "doc_id,text\nd1,one\nd1,one\nd1,one\n")
    assert (report.added, report.folded) == (1, 2)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.csv", "", "The file is empty"),
        ("a.csv", " \n\n", "The file is empty"),
        ("a.csv", "\ufeff", "The file is empty"),
        ("a.dat", "x", "use a .csv"),
        ("a", "x", "use a .csv"),
        ("a.csv", "doc_id,body text\nd1,x\n", "no column 'text'"),
        ("a.csv", "doc_id,text,text\nd1,x,y\n", "'text' stands twice"),
        ("a.csv", 'doc_id,text\nd1,"open\n', "line 2: unexpected end of data: a quote"),
        ("a.csv", b"doc_id,text\nd1,\xff\n", r"line 2: byte 15 \(0xff\) is not UTF-8"),
        ("a.csv", b"\xef\xbb\xbfdoc_id,text\nd1,\xff\n", r"line 2: byte 18 \(0xff\) is not"),
        ("a.jsonl", b'{"doc_id": "\xe9"}', r"byte 12 \(0xe9\)"),
        ("a.csv", "doc_id,text\n".encode("utf-16"), "holds no rows"),
        ("a.csv", "doc_id,text\nd1,é\n".encode("utf-16")[:-1], r"byte 34 \(0x0a\) is not utf-16"),
        ("a.csv", gzip.compress(b"doc_id,text\nd1,x\n", mtime=0), "gzip data"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_where(
    workspace: Workspace, name: str, data: str | bytes, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        put(workspace, "documents", name, data)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ('{"doc_id": 1.5, "text": "x"}', "is no id"),
        ('{"doc_id": true, "text": "x"}', "is no id"),
        ('{"doc_id": null, "text": "x"}', "is no id"),
        ('{"text": "x"}', "is no id"),
        ('{"doc_id": "a\\u00a0b", "text": "x"}', "holds spaces"),
        ('{"doc_id": "d1", "text": ["x"]}', "is not text"),
        ('{"doc_id": "d1", "text": "x", "metadata": [1]}', "is a JSON object"),
        ('{"doc_id": "d1", "text": "x", "size": NaN}', "NaN is no JSON number"),
        ('{"doc_id": "d1", "text": "x", "size": 1e999}', "1e999 is too large"),
        ('{"doc_id": "d1", "text": "x", "text": "y"}', "'text' stands twice"),
        ('{"doc_id": "d1", "text": "\\ud800"}', "cannot be stored"),
        ('{"doc_id": "d1", "text": "\\u0000"}', "cannot be stored"),
        ('{"doc_id": "d1", "text": "x", "a": [{"\\udfff": 1}]}', "cannot be stored"),
        pytest.param('{"doc_id":' + "[" * 60_000, "nested too deeply", id="deep"),
        pytest.param('{"doc_id":' + "9" * 5_000 + "}", "not JSON", id="long number"),
    ],
)
def test_a_json_row_that_cannot_be_kept_as_it_is_is_a_problem_of_its_line(
    workspace: Workspace, row: str, says: str
) -> None:
    found = problems(
        workspace, "documents", "a.jsonl", '{"doc_id": "d0", "text": "ok"}\n' + row + "\n"
    )
    assert [line for line, _ in found] == [2]
    assert says in found[0][1]


def test_a_nul_in_a_csv_field_is_a_problem_of_its_column(workspace: Workspace) -> None:
    found = problems(workspace, "documents", "a.csv", "doc_id,text\nd1,a\0b\n")
    assert found[0][0] == 2
    assert found[0][1].startswith("text: ")


def test_a_field_of_ten_million_characters_comes_in_whole(workspace: Workspace) -> None:
    text = "word " * 2_000_000
    put(workspace, "documents", "a.csv", f'doc_id,text\nd1,"{text}"\n')
    assert docs(workspace)["d1"] == text


def test_documents_without_any_text_are_noted(workspace: Workspace) -> None:
    report = put(workspace, "documents", "a.csv", "doc_id,text\nd1,\nd2,x\n")
    assert "1 document has neither title nor text (such as 'd1')." in report.sentence


class TestQueries:
    """Queries are kept verbatim, with where they came from."""

    ROW = Query(
        "q1",
        " how do I\tundo ",
        QuerySource.CONVERSATION,
        turns=(Turn("user", "hi"), Turn("assistant", "hello")),
        information_need="Undo a commit.",
        tags=("question", "git"),
        language="en",
    )

    def data(self, **changes: object) -> str:
        row = {
            "query_id": "q1",
            "text": " how do I\tundo ",
            "source": "conversation",
            "turns": [{"role": "user", "text": "hi"}, {"role": "assistant", "text": "hello"}],
            "information_need": "Undo a commit.",
            "tags": ["question", "git"],
            "language": "en",
        }
        return json.dumps(row | changes) + "\n"

    def held(self, workspace: Workspace) -> Query | None:
        with workspace.reading() as db:
            return queries.get(db, "q1")

    def test_come_in_whole_from_json_and_csv(self, workspace: Workspace, tmp_path: Path) -> None:
        put(workspace, "queries", "a.jsonl", self.data())
        assert self.held(workspace) == self.ROW
        other = Workspace.create(tmp_path / "other")
        turns = json.dumps([{"role": t.role, "text": t.text} for t in self.ROW.turns])
        quoted = turns.replace('"', '""')
        put(
            other,
            "queries",
            "a.csv",
            "qid,query,source,turns,need,tags,lang\n"
            f'q1, how do I\tundo ,conversation,"{quoted}",Undo a commit.,question; git,en\n',
        )
        assert self.held(other) == self.ROW

    def test_without_a_source_are_manual_and_accepted(self, workspace: Workspace) -> None:
        put(workspace, "queries", "a.csv", "query_id,text\nq1,hello\n")
        assert self.held(workspace) == Query("q1", "hello", QuerySource.MANUAL)

    def test_with_another_text_under_a_known_id_are_refused(self, workspace: Workspace) -> None:
        put(workspace, "queries", "a.jsonl", self.data())
        found = problems(workspace, "queries", "a.jsonl", self.data(text="other"))
        assert "here already with another text" in found[0][1]

    def test_with_a_new_need_or_new_tags_are_brought_up_to_date(self, workspace: Workspace) -> None:
        put(workspace, "queries", "a.jsonl", self.data())
        report = put(workspace, "queries", "a.jsonl", self.data(information_need="Undo a push."))
        assert (report.added, report.changed, report.unchanged) == (0, 1, 0)
        held = self.held(workspace)
        assert held is not None
        assert (held.information_need, held.tags) == ("Undo a push.", self.ROW.tags)

    def test_that_were_edited_on_review_come_in_again_unchanged(self, workspace: Workspace) -> None:
        people.add(workspace, "Lee Lead", ["lead"])
        draft = self.data(state="draft", source="synthetic")
        put(workspace, "queries", "a.jsonl", draft)
        with workspace.writing() as db:
            queries.move(
                db,
                "q1",
                before=QueryState.DRAFT,
                after=QueryState.ACCEPTED,
                person_id=small.LEAD,
                text="how to undo",
            )
        report = put(workspace, "queries", "a.jsonl", draft)
        assert report.unchanged == 1
        held = self.held(workspace)
        assert held is not None
        assert (held.text, held.state) == ("how to undo", QueryState.ACCEPTED)

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"text": "  "}, "the query is empty"),
            ({"source": "guess"}, "use log, conversation, synthetic, manual, failure"),
            ({"state": "open"}, "is no state"),
            ({"turns": [1]}, "turns are a list"),
            ({"turns": "[{"}, "not JSON"),
        ],
    )
    def test_that_are_wrong_say_so_by_row(
        self, workspace: Workspace, changes: dict[str, object], says: str
    ) -> None:
        found = problems(workspace, "queries", "a.jsonl", self.data(**changes))
        assert found[0][0] == 1
        assert says in found[0][1]


class TestJudgments:
    """Judgments point to what is here, and keep who said what in which round."""

    CSV = (
        "query_id,doc_id,level,cause,reason,rater,round\n"
        "q1,d1,2,,It answers.,Dora,first\n"
        "q1,d1,1,,It helps.,Emil,second\n"
        "q2,d1,,rubric_gap,Neither fits.,Dora,\n"
        "q2,d2,0,,Nothing on it.,Dora,\n"
    )

    def said(self, workspace: Workspace) -> list[tuple[object, ...]]:
        with workspace.reading() as db:
            return [
                (j.query_id, j.doc_id, j.person_id, j.level, j.cause, j.round)
                for j in judgments.current(db)
            ]

    def test_come_in_with_rater_round_and_cause(self, filled: Workspace) -> None:
        report = put(filled, "judgments", "a.csv", self.CSV)
        assert report.added == 4
        assert self.said(filled) == [
            ("q1", "d1", "dora", 2, None, "first"),
            ("q1", "d1", "emil", 1, None, "second"),
            ("q2", "d1", "dora", None, Cause.RUBRIC_GAP, "first"),
            ("q2", "d2", "dora", 0, None, "first"),
        ]
        assert judging.agreement_report(filled).pairable_units == 1

    def test_come_in_again_unchanged_even_after_a_new_rubric(self, filled: Workspace) -> None:
        put(filled, "judgments", "a.csv", self.CSV)
        with filled.writing() as db:
            body = STARTER.body() | {"title": "Second"}
            assert rubrics.save(db, parse_rubric(body, 2), None) == 2
        before = everything(filled)
        report = put(filled, "judgments", "a.csv", self.CSV)
        assert (report.added, report.unchanged) == (0, 4)
        assert everything(filled) == before

    def test_that_contradict_what_the_same_rater_said_are_refused_whole(
        self, filled: Workspace
    ) -> None:
        put(filled, "judgments", "a.csv", self.CSV)
        before = everything(filled)
        changed = self.CSV.replace("q1,d1,2", "q1,d1,0") + "q2,d3,1,,Some.,Dora,\n"
        with pytest.raises(InputError, match="judged by Dora as 2 before"):
            put(filled, "judgments", "a.csv", changed)
        assert everything(filled) == before

    @pytest.mark.parametrize("name", ["a.txt", "a.qrels", "a.trec"])
    def test_read_trec_qrels_exactly_with_any_ascii_spacing(
        self, filled: Workspace, name: str
    ) -> None:
        data = b"\xef\xbb\xbfq1 0 d1 2\r\n\n  q1\t0\td2   1 \nq2 Q0 d1 0"
        report = put(filled, "judgments", name, data, rater="TREC")
        assert report.added == 3
        assert [row[:4] for row in self.said(filled)] == [
            ("q1", "d1", "trec", 2),
            ("q1", "d2", "trec", 1),
            ("q2", "d1", "trec", 0),
        ]

    def test_name_the_line_of_each_wrong_row_of_qrels(self, filled: Workspace) -> None:
        data = '\nq1 0 d1 2\nq1 0 d2\n\nq1 0 "d3 1\nq1 0 d3 -1\nq1 0 d3 1.5\n'
        found = problems(filled, "judgments", "a.qrels", data)
        assert [line for line, _ in found] == [3, 5, 5, 6, 7]
        assert "3 fields where TREC qrels have four" in found[0][1]
        assert "1 of 2 judgments point to ids that are not here" in found[1][1]
        assert "there is no document '\"d3'" in found[2][1]

    @pytest.mark.parametrize(
        "level", ["3", "-1", "1.5", "nan", "inf", "yes", "0_1", "9" * 400, "true", " "]
    )
    def test_have_one_of_three_levels(self, filled: Workspace, level: str) -> None:
        data = f"query_id,doc_id,level\nq1,d1,{level}\n"
        assert problems(filled, "judgments", "a.csv", data)[0][0] == 2

    def test_of_a_huge_whole_number_are_refused_by_row(self, filled: Workspace) -> None:
        data = '{"query_id": "q1", "doc_id": "d1", "level": ' + "9" * 400 + "}"
        assert "is no level" in problems(filled, "judgments", "a.jsonl", data)[0][1]

    def test_of_unknown_ids_are_refused_with_their_share(self, filled: Workspace) -> None:
        data = "query_id,doc_id,level\nq1,d1,1\nq9,d1,1\nq1,d9,1\n"
        found = problems(filled, "judgments", "a.csv", data)
        assert "2 of 3 judgments point to ids that are not here" in found[0][1]
        assert [line for line, _ in found] == [3, 3, 4]

    def test_by_a_rater_without_a_usable_name_are_refused_by_row(self, filled: Workspace) -> None:
        data = "query_id,doc_id,level,rater\nq1,d1,1,!!!\nq1,d2,1,ANN RATER\n"
        found = problems(filled, "judgments", "a.csv", data)
        assert [(line, message.split(":")[0]) for line, message in found] == [
            (2, "rater"),
            (3, "rater"),
        ]

    def test_by_two_new_raters_who_read_alike_are_refused_whole(self, filled: Workspace) -> None:
        before = everything(filled)
        data = "query_id,doc_id,level,rater\nq1,d1,1,Zed\nq1,d2,1,ZED\n"
        with pytest.raises(InputError, match="reads like"):
            put(filled, "judgments", "a.csv", data)
        assert everything(filled) == before

    def test_say_nothing_of_the_file_that_they_came_from(self, filled: Workspace) -> None:
        put(filled, "judgments", "dora-secret.csv", "query_id,doc_id,level\nq1,d1,1\n", rater="D")
        with filled.reading() as db:
            held = judgments.current(db)[0]
        assert "secret" not in held.reason + held.provenance


def test_several_files_are_one_import(workspace: Workspace, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("doc_id,text\nd1,one\n")
    bad.write_text("doc_id,text\nd 2,two\n")
    with pytest.raises(InputError, match=r"bad.csv: nothing was imported"):
        importing.import_files(workspace, "documents", [good, bad])
    assert docs(workspace) == {}
    reports = importing.import_files(workspace, "documents", [good, good])
    assert [(report.added, report.unchanged) for report in reports] == [(1, 0), (0, 1)]


def test_a_file_that_is_not_there_is_named(workspace: Workspace, tmp_path: Path) -> None:
    for path, says in ((tmp_path / "none.csv", "no such file"), (tmp_path, "no text files")):
        with pytest.raises(InputError, match=says):
            importing.import_file(workspace, "documents", path)


def test_a_look_writes_nothing(filled: Workspace) -> None:
    before = everything(filled)
    importing.preview(filled, "judgments", "a.csv", TestJudgments.CSV.encode())
    assert everything(filled) == before
