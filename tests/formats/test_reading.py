"""Every format in its own right: what is detected, what can be said, what is refused."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labelkit.errors import InputError
from labelkit.formats import encodings, reading
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import from_bytes
from labelkit.formats.tables import Table


def read(name: str, data: bytes, kind: str = "", **said: Any) -> Table:
    """A file that is in memory."""
    return reading.open_source(from_bytes(name, data), ReadOptions(**said), kind).table()


def values(table: Table) -> list[dict[str, Any]]:
    """The rows without their lines."""
    return [dict(row.values) for row in table.rows]


def zipped(**files: bytes) -> bytes:
    """A zip archive of these files; two underscores stand for a dot."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return out.getvalue()


TEXT = "id,text\nd1,Größe “über” café\nd2,naïve 日本\n"


class TestEncodings:
    """Unicode is told by its bytes; anything else is said by a person."""

    @pytest.mark.parametrize(
        "encoding",
        ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"],
    )
    def test_unicode_is_told_by_its_bytes(self, encoding: str) -> None:
        table = read("a.csv", TEXT.encode(encoding))
        assert [row["text"] for row in values(table)] == ["Größe “über” café", "naïve 日本"]

    @pytest.mark.parametrize("encoding", ["cp1252", "mac_roman", "utf-16"])
    def test_what_is_said_is_taken(self, encoding: str) -> None:
        data = "id,text\nd1,Größe “über” café\n".encode(encoding)
        table = read("a.csv", data, encoding=encoding)
        assert values(table) == [{"id": "d1", "text": "Größe “über” café"}]
        assert "as said" in table.how["encoding"]

    def test_other_bytes_are_refused_with_place_and_a_guess(self) -> None:
        with pytest.raises(encodings.NotUnicode) as refused:
            read("a.csv", "id,text\nd1,plain\nd2,El niño comió piñas\n".encode("cp1252"))
        assert refused.value.guess == "cp1252"
        assert refused.value.line == 3
        assert "byte 25 (0xf1)" in str(refused.value)
        assert "El niño comió piñas" in str(refused.value)

    def test_a_guess_is_taken_where_a_person_says_so(self) -> None:
        data = "id,text\nd1,El niño comió piñas\n".encode("cp1252")
        table = read("a.csv", data, encoding="detect")
        assert values(table)[0]["text"] == "El niño comió piñas"
        assert table.how["encoding"] == "cp1252 (guessed)"

    def test_a_bad_byte_far_down_is_found_with_its_place(self) -> None:
        data = b"id,text\n" + b"".join(b"d%d,some text\n" % n for n in range(300_000))
        with pytest.raises(InputError, match=rf"line 300002: byte {len(data) + 4} \(0xff\)"):
            read("a.csv", data + b"end,\xff\n")

    @pytest.mark.parametrize("said", ["no-such", "hex", "utf\x008"])
    def test_an_encoding_that_does_not_exist_is_refused(self, said: str) -> None:
        with pytest.raises(InputError, match="is no encoding"):
            read("a.csv", b"id,text\n1,x\n", encoding=said)

    def test_bytes_that_do_not_fit_the_encoding_said_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"line 2: byte 11 \(0x81\) is not cp1252"):
            read("a.csv", b"id,text\nd1,\x81\n", encoding="cp1252")


class TestDelimited:
    """Delimiter, quotes and header, detected and said."""

    @pytest.mark.parametrize(("sign", "name"), [(",", "comma"), ("\t", "tab"), (";", "semicolon"),
                                                ("|", "bar")])  # fmt: skip
    def test_the_delimiter_is_found_whatever_the_ending(self, sign: str, name: str) -> None:
        data = f'id{sign}text\nd1{sign}"one, two; three"\nd2{sign}four\n'.encode()
        table = read("a.csv", data)
        assert table.how["delimiter"] == name
        assert [row["text"] for row in values(table)] == ["one, two; three", "four"]

    def test_one_column_of_prose_stays_one_column(self) -> None:
        table = read("a.csv", b"text\nit rains; it pours\nsun; at last\n")
        assert [row["text"] for row in values(table)] == ["it rains; it pours", "sun; at last"]

    def test_a_table_with_tabs_and_stray_quotes_is_not_quoted(self) -> None:
        table = read("a.tsv", b'id\ttext\n1\t5" pipe\n2\t"half\n3\tx\n')
        assert [row["text"] for row in values(table)] == ['5" pipe', '"half', "x"]
        assert table.how["quotes"] == "none"

    def test_everything_can_be_said(self) -> None:
        data = b"made by hand\n#\nid#text\n1#'a#b'\n"
        table = read("a.dat", data, format="delimited", delimiter="#", quote="'", header_row=3)
        assert values(table) == [{"id": "1", "text": "a#b"}]

    def test_a_title_above_the_header_is_left_out_and_said(self) -> None:
        table = read("a.csv", b"Our help pages\n\nid,title,text\n1,a,x\n2,b,y\n3,c,z\n")
        assert table.columns == ("id", "title", "text")
        assert [row.line for row in table.rows] == [4, 5, 6]
        assert "line 3" in table.notes[0]

    def test_a_column_without_a_name_is_numbered(self) -> None:
        table = read("a.csv", b"id,,text,\n1,x,y\n2,x,y,z\n")
        assert table.columns == ("id", "column_2", "text", "column_4")
        assert [row["column_4"] for row in values(table)] == ["", "z"]

    @pytest.mark.parametrize(
        "said", [{"delimiter": "ab"}, {"quote": ",,"}, {"header_row": -1}, {"format": "doc"}]
    )
    def test_nonsense_is_refused(self, said: dict[str, Any]) -> None:
        with pytest.raises(InputError):
            ReadOptions(**said)


class TestJson:
    """JSON in its shapes."""

    ROWS = [{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]  # noqa: RUF012

    @pytest.mark.parametrize(
        "value", [ROWS, {"id": ["1", "2"], "text": ["a", "b"]}], ids=["rows", "columns"]
    )
    def test_lists_of_objects_and_objects_of_lists(self, value: Any) -> None:
        table = read("a.json", json.dumps(value, indent=1).encode())
        assert values(table) == self.ROWS
        assert table.unit == "entry"

    def test_lines_under_the_wrong_name_are_read_as_lines(self) -> None:
        data = "\n".join(json.dumps(row) for row in self.ROWS).encode()
        assert values(read("a.json", data)) == self.ROWS

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (b"", "empty"),
            (b"{", "line 1: not JSON"),
            (b"3", "no rows are seen"),
            (b'{"a": [1], "b": []}', r"differ in length \('a' 1, 'b' 0\)"),
            (b'[{"a": NaN}]', "NaN is no JSON number"),
            (b"[" * 100_000, "nested too deeply"),
        ],
    )
    def test_other_shapes_are_refused(self, data: bytes, says: str) -> None:
        with pytest.raises(InputError, match=says):
            read("a.json", data)

    def test_an_entry_that_is_no_object_is_a_problem(self) -> None:
        table = read("a.json", b'[{"a": 1}, 2]')
        assert [(p.line, p.message[:17]) for p in table.problems] == [(2, "not a JSON object")]


class TestTools:
    """What other judging tools export."""

    BOOK = {  # noqa: RUF012
        "name": "book",
        "query_doc_pairs": [
            {
                "query_text": "star wars",
                "doc_id": "11",
                "information_need": "the film",
                "document_fields": {"title": "Star Wars"},
                "judgements": [
                    {"rating": 3.0, "unrateable": False, "user_email": "a@x", "explanation": "yes"},
                    {"rating": None, "unrateable": True, "user_email": "b@x"},
                    {"rating": None, "unrateable": False, "judge_later": True},
                    {"rating": None, "unrateable": False},
                ],
            }
        ],
    }

    def test_a_quepid_book_gives_judgments_queries_and_documents(self) -> None:
        data = json.dumps(self.BOOK).encode()
        said = values(read("book.json", data, "judgments"))
        assert [(row["level"], row["rater"]) for row in said] == [
            (3.0, "a@x"),
            ("unrateable", "b@x"),
        ]
        assert said[0]["reason"] == "yes"
        assert values(read("book.json", data, "queries")) == [
            {"text": "star wars", "information_need": "the film"}
        ]
        assert values(read("book.json", data, "documents")) == [
            {"doc_id": "11", "title": "Star Wars"}
        ]

    def test_a_quepid_case_gives_judgments(self) -> None:
        case = {"queries": [{"query_text": "a b", "ratings": {"1": 2, "01": 0}}]}
        assert values(read("case.json", json.dumps(case).encode(), "judgments")) == [
            {"query_text": "a b", "doc_id": "1", "level": 2},
            {"query_text": "a b", "doc_id": "01", "level": 0},
        ]

    @pytest.mark.parametrize("key", ["judgmentRatings", "judgmentScores"])
    def test_an_opensearch_judgment_list(self, key: str) -> None:
        rated = {"query": "red shoes", "ratings": [{"docId": "B07", "rating": "3.000"}]}
        table = read("j.json", json.dumps({"name": "x", key: [rated]}).encode(), "judgments")
        assert values(table) == [{"query_text": "red shoes", "doc_id": "B07", "level": "3.000"}]

    def test_a_label_studio_export(self) -> None:
        task = {
            "id": 1,
            "data": {"query_id": "q1", "doc_id": "d1"},
            "annotations": [
                {
                    "completed_by": {"email": "ann@x"},
                    "was_cancelled": False,
                    "result": [
                        {"from_name": "relevance", "type": "choices", "value": {"choices": ["2"]}},
                        {"from_name": "reason", "type": "textarea", "value": {"text": ["It is."]}},
                    ],
                },
                {"completed_by": 7, "was_cancelled": True, "result": []},
            ],
        }
        [row] = values(read("ls.json", json.dumps([task]).encode(), "judgments"))
        expected = {"query_id": "q1", "doc_id": "d1", "level": "2", "rater": "ann@x"}
        assert {name: row[name] for name in expected} == expected
        assert row["reason"] == "It is."


class TestWorkbooks:
    """Excel cells become text in one stated way."""

    def book(self, *rows: list[Any], formats: dict[str, str] | None = None) -> bytes:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for place, shown_as in (formats or {}).items():
            book.active[place].number_format = shown_as
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    def test_numbers_and_text_are_told_apart(self) -> None:
        data = self.book(["id", "n"], ["007", 7], ["NA", 1.5], [7, True], formats={"A4": "0000"})
        table = read("a.xlsx", data)
        assert values(table) == [
            {"id": "007", "n": "7"},
            {"id": "NA", "n": "1.5"},
            {"id": "0007", "n": "TRUE"},
        ]
        assert any("'id' holds 1 number cells" in note for note in table.notes)

    def test_a_number_that_the_workbook_rounded_is_a_problem(self) -> None:
        table = read("a.xlsx", self.book(["id", "text"], [12345678901234567890, "x"]))
        assert "was rounded by the workbook" in table.problems[0].message

    def test_another_sheet_is_named_and_can_be_said(self) -> None:
        book = openpyxl.Workbook()
        book.active.append(["id", "text"])
        book.active.append(["1", "first"])
        book.create_sheet("Two").append(["id", "text"])
        book["Two"].append(["2", "second"])
        out = io.BytesIO()
        book.save(out)
        table = read("a.xlsx", out.getvalue())
        assert "'Two' were not (--sheet)" in table.notes[0]
        assert values(read("a.xlsx", out.getvalue(), sheet="Two")) == [
            {"id": "2", "text": "second"}
        ]
        with pytest.raises(InputError, match="there is no sheet 'x'; it has 'Sheet', 'Two'"):
            read("a.xlsx", out.getvalue(), sheet="x")

    def test_a_workbook_under_another_name_is_still_one(self) -> None:
        assert read("a.csv", self.book(["id"], ["1"])).how["format"] == "xlsx"
        with pytest.raises(InputError, match="does not begin like one"):
            read("a.xlsx", b"id,text\n1,x\n")


def parquet(**columns: list[Any]) -> bytes:
    """A Parquet file of these columns."""
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def test_parquet_keeps_text_and_lists_and_says_what_is_no_text() -> None:
    """NaN is missing; bytes that are no UTF-8 are a problem of their row."""
    data = parquet(
        id=["01", "NA"], text=["a", "é"], tags=[["x"], []], n=[1.0, float("nan")], b=[b"a", b"\xff"]
    )
    table = read("a.parquet", data)
    assert values(table)[0] == {"id": "01", "text": "a", "tags": ["x"], "n": 1.0, "b": "a"}
    assert values(table)[1]["n"] is None
    assert [(p.line, p.column) for p in table.problems] == [(2, "b")]


class TestPlainText:
    """Folders of text, Markdown and HTML."""

    PAGE = (
        "<html><head><title>How to\n undo</title><style>p {}</style></head><body><h1>Undo</h1>"
        "<script>x()</script><p>Say <b>git</b> <i>revert</i>.<br>Then push.</p>"
        "<pre>a\n  b</pre><ul><li>one</li><li>two</li></ul>"
        "<table><tr><td>k</td><td>v</td></tr></table></body></html>"
    )

    def test_html_is_reduced_to_what_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "sub dir").mkdir()
        (tmp_path / "sub dir" / "page.html").write_text(self.PAGE)
        (tmp_path / "b.md").write_text("# Head *line*\n\nSome `code` and [a link](http://x).\n")
        (tmp_path / "c.txt").write_text("  as it stands\n")
        (tmp_path / "d.png").write_bytes(b"\x89PNG")
        table = reading.open_path(tmp_path, kind="documents").table()
        markdown, plain, page = values(table)
        assert page["doc_id"] == "sub_dir/page.html"
        assert page["title"] == "How to undo"
        assert page["text"] == (
            "Undo\n\nSay git revert.\nThen push.\n\na\n  b\n\none\n\ntwo\n\nk v"
        )
        assert markdown["title"] == "Head line"
        assert markdown["text"] == "Head line\n\nSome code and a link."
        assert (plain["doc_id"], plain["title"], plain["text"]) == (
            "c.txt", "c", "  as it stands\n",
        )  # fmt: skip
        assert table.notes == ("1 file is no text (txt, md, html): left out.",)

    def test_the_encoding_that_a_page_names_is_taken(self) -> None:
        data = '<meta charset="iso-8859-1"><p>café</p>'.encode("latin-1")
        assert values(read("a.html", data, "documents"))[0]["text"] == "café"

    def test_a_file_that_cannot_be_read_is_a_problem_and_names_itself(self) -> None:
        table = read("a.zip", zipped(a__txt=b"fine", b__txt=b"caf\xe9"), "documents")
        assert [row["text"] for row in values(table)] == ["fine"]
        assert table.problems[0].message.startswith("b.txt, line 1: byte 3 (0xe9) is not UTF-8")


class TestArchives:
    """Zip archives are read in place."""

    def test_of_one_table_and_what_the_system_adds(self) -> None:
        data = zipped(
            **{"sub/a__csv": b"id,text\n1,x\n", "__MACOSX/a__csv": b"x", "readme__txt": b"x"}
        )
        assert values(read("a.zip", data, "queries")) == [{"id": "1", "text": "x"}]

    def test_of_several_tables_is_refused(self) -> None:
        with pytest.raises(InputError, match=r"holds a.csv, b.csv: an archive is read that"):
            read("a.zip", zipped(a__csv=b"id\n1\n", b__csv=b"id\n1\n"))

    def test_that_would_fill_the_memory_is_refused(self) -> None:
        with pytest.raises(InputError, match="times its size, which no text does"):
            read("a.zip", zipped(a__csv=b"id,text\n" + b"0" * (120 << 20)))

    def test_gzip_is_read_by_its_ending(self) -> None:
        data = gzip.compress(b'{"id": "1", "text": "x"}\n')
        assert values(read("a.jsonl.gz", data)) == [{"id": "1", "text": "x"}]
        with pytest.raises(InputError, match="the compressed data is broken"):
            read("a.jsonl.gz", data[:-9])


class TestCollections:
    """TREC topics and qrels, SMART collections."""

    def test_topics_of_both_kinds(self) -> None:
        old = (
            b"<top>\n<num> Number: 301\n<title> Organized Crime &amp; Co\n"
            b"<desc> Description:\nWho?\n</top>\n"
        )
        new = (
            b'<?xml version="1.0"?><topics><topic number="1"><query>covid origin</query>'
            b"<question>where from</question></topic></topics>"
        )
        assert values(read("t.txt", old, "queries")) == [
            {"query_id": "301", "text": "Organized Crime & Co", "information_need": "Who?"}
        ]
        assert values(read("t.xml", new, "queries")) == [
            {"query_id": "1", "text": "covid origin", "information_need": "where from"}
        ]

    def test_smart_keeps_the_number_as_it_stands(self) -> None:
        data = b".I 001\n.T\na title\n.W\nfirst\nsecond\n.I 002\n.W\nthird\n"
        assert values(read("c.all", data)) == [
            {"id": "001", "title": "a title", "text": "first\nsecond"},
            {"id": "002", "text": "third"},
        ]

    @pytest.mark.parametrize("name", ["qrels", "qrels.test", "q.txt"])
    def test_qrels_with_and_without_the_iteration(self, name: str) -> None:
        long, short = b"1 0 d1 2\n1 0 d2 -1\n", b"1 d1 2 \n1 d2 -1\n"
        for data in (long, short):
            found = values(read(name, data, "judgments"))
            assert [(row["doc_id"], row["level"]) for row in found] == [("d1", "2"), ("d2", "-1")]


def test_a_file_is_read_by_what_it_holds_where_the_ending_says_nothing() -> None:
    """JSON Lines without an ending, plain lines for queries; else what is read is listed."""
    assert values(read("upload", b'{"id": "1"}\n{"id": "2"}\n')) == [{"id": "1"}, {"id": "2"}]
    assert values(read("q.txt", b"one\n\ntwo\n", "queries")) == [{"text": "one"}, {"text": "two"}]
    with pytest.raises(InputError, match="or say the format"):
        read("a.dat", b"\x00\x01\x02")


def test_lines_that_are_no_json_at_all_say_so() -> None:
    """Rather than that a column is missing."""
    with pytest.raises(InputError, match="line 1: not JSON"):
        read("bad.jsonl", b'{"_id": "d1", "text": "x"\n', "documents")


def test_a_pdf_and_an_archive_of_a_beir_set_say_what_to_do() -> None:
    """One has to be converted, the other belongs to another command."""
    with pytest.raises(InputError, match=r"\.pdf files are not read: save it as text"):
        read("a.pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "documents")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("corpus.jsonl", "queries.jsonl"):
            archive.writestr(f"beir/{name}", '{"_id": "1", "text": "x"}\n')
    with pytest.raises(InputError, match="labelkit import beir"):
        read("beir.zip", packed.getvalue(), "documents")
