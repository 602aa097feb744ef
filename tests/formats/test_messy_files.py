"""Files as people really have them: each is read as it stands, or refused with its cause.

The table was written by reading the files. Rows are those below the header that hold anything;
problems are rows that cannot be told apart into the header's columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from labelkit.errors import InputError
from labelkit.formats import reading
from labelkit.formats.options import ReadOptions


@dataclass(frozen=True)
class Read:
    """How many rows and problems a file has, its first columns, and some cells by line."""

    rows: int
    columns: tuple[str, ...]
    cells: dict[tuple[int, str], object]
    problems: int = 0


SIMPLE = Read(
    6,
    ("date", "temperature", "place"),
    {(2, "date"): "2011-01-01", (3, "temperature"): "-1", (7, "place"): "Berkeley"},
)
NO_HEADER = "no header was found: this row holds numbers"
UNKNOWN = "its first lines do not tell what it is"

AS_DETECTED: dict[str, Read | str] = {
    "SOURCE-messytables.txt": UNKNOWN,
    "begrotingsanalyse-2011.csv": f"line 9: {NO_HEADER}",
    "characters.csv": r"line 1: byte 3 \(0xb4\) is not UTF-8: it may be big5",
    "complex.csv": Read(
        3,
        ("date", "another date", "temperature", "place"),
        {(3, "place"): "Galway and more", (4, "temperature"): "6,000,000", (4, "another date"): ""},
    ),
    "encrypted_no_password.xls": "encrypted: save it without a password",
    "example.tsv": Read(
        140,
        ("hour", "expr1_0_imp", "expr1_1_imp"),
        {
            (2, "hour"): "2012-06-22 00:00:00",
            (2, "ctrl1_1_ts_ctr"): None,
            (3, "hour"): "2012-06-22 01:00:00",
        },
    ),
    "excel_pasting.csv": Read(
        16,
        ("Year", "2000", "2001"),
        {
            (5, "Year"): "Timber",
            (5, "2000"): "2,666",
            (7, "Year"): "Clay, ceramic and glass products",
        },
    ),
    "libreoffice.xlsx": "The workbook is empty: nothing stands in 'Sheet1'",
    "long.csv": Read(3999, ("foo",), {(2, "foo"): "foo", (4000, "foo"): "foo"}),
    "mixedGLB.csv": Read(
        133,
        ("Year", "Jan", "Feb"),
        {(5, "Year"): "1880", (5, "D-N"): "****", (137, "Year"): "2012"},
    ),
    "null.csv": f"line 1: {NO_HEADER}",
    "simple.csv": SIMPLE,
    "simple.psv": Read(
        28,
        ("Year", "New dwellings", "Other dwellings"),
        {(2, "Former owner occupiers"): "45000", (29, "Year"): "2013"},
    ),
    "simple.ssv": SIMPLE,
    "simple.unknown": UNKNOWN,
    "simple.xls": SIMPLE,
    "simple.xlsx": SIMPLE,
    "simple.zip": SIMPLE,
    "skip_initials.csv": Read(2, ("field1", "field2"), {(2, "field2"): "    goodbye"}),
    "small.csv": Read(0, ("a",), {}),
    "spanish_chars.csv": r"line 1: byte 52 \(0xf3\) is not UTF-8: it may be cp1252",
    "sparse_with_column_errors.csv": r"line 2: byte 35 \(0xe4\) is not UTF-8: it may be cp1252",
    "utf-16le_encoded.csv": Read(
        327,
        ("Organisation_code", "Organisation_name"),
        {(328, "Organisation_name"): "St Andrews Healthcare - Nottinghamshire"},
    ),
    "utf8bom.csv": Read(0, ("kitten", "win"), {}),
    "weird_head_padding.csv": Read(
        60,
        ("column_1", "1985", "1993"),
        {(14, "column_1"): "      Gefäßchirurgie", (14, "1993"): "379", (20, "1993"): "1.613"},
        problems=16,
    ),
    "doccano/example.csv": Read(
        3, ("text", "label"), {(2, "label"): "positive", (3, "label"): "", (4, "text"): ""}
    ),
    "doccano/example.invalid.2.csv": Read(
        2, ("text", "label"), {(3, "text"): "BBB", (3, "label"): " Negative"}, problems=1
    ),
    "doccano/example.invalid.2.xlsx": Read(
        2, ("text", "label"), {(3, "text"): "BBB", (3, "label"): " Negative"}, problems=1
    ),
    "doccano/example.json": Read(
        4,
        ("text", "label"),
        {(2, "label"): ["positive", "negative"], (3, "label"): [], (4, "text"): None},
    ),
    "doccano/example.jsonl": Read(
        3, ("text", "labels", "meta"), {(1, "meta"): {"wikiPageID": 1}, (3, "text"): "exampleC"}
    ),
    "doccano/example.utf16.csv": Read(
        3, ("text", "label"), {(2, "text"): "AAA", (4, "label"): "Negative"}
    ),
    "doccano/example.xlsx": Read(
        3, ("text", "label"), {(2, "text"): "exampleA", (3, "label"): "", (4, "label"): "negative"}
    ),
    "doccano/example_fasttext.txt": UNKNOWN,
    "doccano/example_one_column_no_header.xlsx": Read(2, ("AAA",), {(3, "AAA"): "CCC"}),
    "doccano/example_out_of_order_columns.csv": Read(
        3, ("label", "foo", "text"), {(2, "text"): "exampleA", (4, "foo"): "foo3"}
    ),
    "mturk/SOURCE.txt": UNKNOWN,
    "mturk/judgments.csv": r"line 2809: byte 766220 \(0xb4\) is not UTF-8: it may be cp1252",
}
"""Every file, read with nothing said: its content, or the words in which it is refused."""

AS_SAID: dict[str, tuple[ReadOptions, Read]] = {
    "SOURCE-messytables.txt": (
        ReadOptions(format="lines"),
        Read(5, ("text",), {(1, "text"): "repo: https://github.com/okfn/messytables"}),
    ),
    "begrotingsanalyse-2011.csv": (
        ReadOptions(header_row=7),
        Read(
            36,
            ("NR.", "Cluster"),
            {(9, "Cluster"): "Onroerendezaakbelastingen", (9, "column_3"): "208"},
            problems=0,
        ),
    ),
    "characters.csv": (
        ReadOptions(encoding="big5"),
        Read(382, ("id", "景點編號", "景點中文名稱"), {(2, "id"): "v_1"}),
    ),
    "null.csv": (
        ReadOptions(header_row=0),
        Read(10, ("column_1", "column_2"), {(1, "column_2"): "null", (3, "column_3"): ""}),
    ),
    "simple.unknown": (ReadOptions(format="lines"), Read(0, ("text",), {})),
    "small.csv": (ReadOptions(header_row=0), Read(1, ("column_1",), {(1, "column_1"): "a"})),
    "spanish_chars.csv": (
        ReadOptions(encoding="cp1252"),
        Read(115, ("GF_ID", "FN_ID"), {(2, "GF"): "Gobierno", (3, "F"): "Legislación"}),
    ),
    "sparse_with_column_errors.csv": (
        ReadOptions(encoding="detect"),
        Read(
            2200,
            ("LP", "Bezeichnung", "Kapitel/Titel"),
            {
                (4, "Kapitel/Titel"): "300368540",
                (5, "LP"): "",
                (3, "Bezeichnung"): "Grundfinanzierung MPG",
            },
        ),
    ),
    "utf8bom.csv": (
        ReadOptions(header_row=0),
        Read(1, ("column_1", "column_2"), {(1, "column_1"): "kitten"}),
    ),
    "doccano/example_fasttext.txt": (
        ReadOptions(format="lines"),
        Read(4, ("text",), {(3, "text"): "exampleC", (4, "text"): "__label__positive"}),
    ),
    "doccano/example_one_column_no_header.xlsx": (
        ReadOptions(header_row=0),
        Read(3, ("column_1",), {(1, "column_1"): "AAA"}),
    ),
    "mturk/SOURCE.txt": (
        ReadOptions(format="text"),
        Read(1, ("doc_id", "title", "text"), {(1, "doc_id"): "SOURCE.txt", (1, "title"): "SOURCE"}),
    ),
    "mturk/judgments.csv": (
        ReadOptions(encoding="cp1252"),
        Read(
            2810,
            ("HITId", "CreationTime"),
            {(2809, "Answer.bground"): "I´ve play guitar for 3 years", (2, "Answer.radio"): "b"},
        ),
    ),
}
"""What was refused, or has no header, read once a person says how."""


@pytest.fixture(scope="module")
def messy(shared_data: Path) -> Path:
    """The folder of messy files."""
    return shared_data / "messy"


def check(path: Path, expected: Read, options: ReadOptions) -> None:
    """The file's rows, problems, columns and cells are the expected ones."""
    table = reading.open_path(path, options).table()
    by_line = {row.line: row.values for row in table.rows}
    found = {(line, column): by_line[line].get(column) for line, column in expected.cells}
    assert (len(table.rows), len(table.problems)) == (expected.rows, expected.problems)
    assert table.columns[: len(expected.columns)] == expected.columns
    assert found == expected.cells


def test_the_table_has_every_file(messy: Path) -> None:
    """No file is forgotten, whatever folder it lies in."""
    files = {path.relative_to(messy).as_posix() for path in messy.rglob("*") if path.is_file()}
    assert files == set(AS_DETECTED)


@pytest.mark.parametrize("name", AS_DETECTED)
def test_a_messy_file_is_read_or_refused_with_its_cause(messy: Path, name: str) -> None:
    """Nothing is said of the file."""
    expected = AS_DETECTED[name]
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            reading.open_path(messy / name).table()
    else:
        check(messy / name, expected, ReadOptions())


@pytest.mark.parametrize("name", AS_SAID)
def test_a_messy_file_is_read_once_a_person_says_how(messy: Path, name: str) -> None:
    """Encoding, header or format are said."""
    options, expected = AS_SAID[name]
    check(messy / name, expected, options)


def test_no_text_is_ever_replaced(messy: Path) -> None:
    """No file that is read holds a replacement character that was not in it."""
    for name, expected in AS_DETECTED.items():
        options = AS_SAID[name][0] if name in AS_SAID else ReadOptions()
        if isinstance(expected, Read) or name in AS_SAID:
            table = reading.open_path(messy / name, options).table()
            assert not any("\ufffd" in str(row.values) for row in table.rows), name
