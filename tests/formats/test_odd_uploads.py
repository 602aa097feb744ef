"""What people upload by mistake: pictures, archives with strange names, sheets never calculated."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Sequence

import openpyxl
import pytest

from labelkit.errors import InputError
from labelkit.formats import reading
from labelkit.formats.source import from_bytes
from labelkit.formats.tables import Table


def read(name: str, data: bytes) -> Table:
    """A file of documents that is in memory."""
    return reading.open_source(from_bytes(name, data), kind="documents").table()


def packed(members: Sequence[tuple[str, str]]) -> bytes:
    """A zip archive whose names may repeat."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name, text in members:
            archive.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt", "a.xlsx", "a"])
@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "a JPEG picture"),
        (b"%PDF-1.7\n", "a PDF file"),
    ],
)
def test_a_picture_is_named_as_one_whatever_it_is_called(name: str, head: bytes, said: str) -> None:
    """Rather than asked for its encoding."""
    with pytest.raises(InputError, match=f"this is {said}, whatever it is called"):
        read(name, head + bytes(range(256)))


def test_a_member_that_names_a_place_outside_is_refused() -> None:
    """It is not left out without a word, nor is anything written there."""
    with pytest.raises(InputError, match=r"'\.\./\.\./a\.txt' in it names a place outside"):
        read("a.zip", packed([("../../a.txt", "one"), ("b.txt", "two")]))


def test_two_members_of_the_same_name_are_both_read() -> None:
    """Each by its place: what differs is refused later, row by row, as any doubled id."""
    table = read("a.zip", packed([("a.txt", "one"), ("a.txt", "two")]))
    assert [row.values["text"] for row in table.rows] == ["one", "two"]


def workbook(*formulas: str) -> bytes:
    """A workbook as programs write it that calculate nothing: its formulas have no values."""
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["id", "text"])
    for number, formula in enumerate(formulas, 1):
        book.active.append([f"d{number}", formula])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def with_values(data: bytes, old: str, new: str) -> bytes:
    """The same workbook with something else in its sheet."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(out, "w") as changed:
        for name in book.namelist():
            held = book.read(name)
            changed.writestr(name, held.replace(old.encode(), new.encode()))
    return out.getvalue()


def test_a_formula_that_was_never_calculated_is_a_problem_and_no_empty_text() -> None:
    table = read("a.xlsx", workbook("words", '="a"&"b"'))
    assert [row.values["text"] for row in table.rows][:1] == ["words"]
    [problem] = table.problems
    assert (problem.line, problem.column) == (3, "text")
    assert "never calculated" in problem.message


def test_the_value_of_a_formula_is_read_and_may_be_empty() -> None:
    """As Excel stores them: a text, and the empty text of an IF."""
    data = workbook("=A2", "=A3")
    stored = '<c r="B{}" t="str"><f>A{}</f><v>{}</v></c>'
    for row, value in ((2, "words"), (3, "")):
        data = with_values(
            data, f'<c r="B{row}"><f>A{row}</f><v /></c>', stored.format(row, row, value)
        )
    table = read("a.xlsx", data)
    assert [row.values["text"] for row in table.rows] == ["words", ""]
    assert not table.problems
