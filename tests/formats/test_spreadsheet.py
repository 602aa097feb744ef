"""CSV that people open in a spreadsheet."""

import csv
import io

import pytest

from labelkit.formats.spreadsheet import safe_csv


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_is_held_back(start: str) -> None:
    """A cell and a header that begin like a formula get an apostrophe before them."""
    written = safe_csv([f"{start}head"], [[f"{start}1+1"]]).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert rows == [[f"'{start}head"], [f"'{start}1+1"]]


def test_numbers_and_ordinary_text_stay_as_they_are() -> None:
    """A negative number is no formula; quotes, commas and line breaks survive."""
    written = safe_csv(["line", "problem"], [[-3, 'a "quoted", cell\nof two lines']])
    rows = list(csv.reader(io.StringIO(written.decode("utf-8-sig"), newline="")))
    assert rows[1] == ["-3", 'a "quoted", cell\nof two lines']
