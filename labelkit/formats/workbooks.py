"""Excel workbooks: text as it stands, and numbers in one stated way."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from labelkit.errors import InputError
from labelkit.formats import archives
from labelkit.formats.delimited import Record, find_header, row
from labelkit.formats.foreign import careful
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import Problem, Reading, Row

EXACT = 2**53
ZEROS = re.compile(r"0+")
FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")
NOT_CALCULATED = (
    "the formula was never calculated, so the file does not hold its value: open the workbook in "
    "a spreadsheet program and save it"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's value as text, and what is to be said of it: a note, or why it cannot be used."""

    text: str
    note: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its cells by row, from line 1."""

    name: str
    rows: list[list[Cell]]

    @property
    def empty(self) -> bool:
        """Whether no cell holds anything."""
        return self.width == 0

    @property
    def width(self) -> int:
        """How many columns there are up to the last that holds anything."""
        filled = (at for row in self.rows for at, cell in enumerate(row, 1) if cell.text.strip())
        return max(filled, default=0)


def read(source: Source, options: ReadOptions) -> Reading:
    """A sheet of a workbook: the one named, else the first that holds anything.

    Raises InputError for a workbook that is damaged, encrypted or empty.
    """
    legacy = options.format == "xls" or not source.head(2).startswith(b"PK")
    sheets = list(_old_sheets(source) if legacy else _new_sheets(source))
    sheet = _chosen(source.name, sheets, options.sheet)
    width = sheet.width
    records = [
        (line, [cell.text for cell in cells[:width]]) for line, cells in enumerate(sheet.rows, 1)
    ]
    header, columns = find_header(source.name, records, options.header_row)
    found = list(_rows(sheet, records, header, columns))
    how = {
        "format": "xls" if legacy else "xlsx",
        "sheet": sheet.name,
        "header": f"row {header}" if header else "none",
    }
    notes = (*_other_sheets(sheets, sheet), *_number_notes(sheet, header, columns))
    return Reading(source.name, columns, lambda: iter(found), how, unit="row", notes=notes)


def _new_sheets(source: Source) -> Iterator[Sheet]:
    import openpyxl

    archives.refuse_bomb(source)
    with careful(source.name, "a workbook"), source.open() as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of styles and the like, which are not read
        book = openpyxl.load_workbook(opened, read_only=True, data_only=True)
        typed = openpyxl.load_workbook(opened, read_only=True) if _calculates(source) else book
        for sheet, formulas in zip(book.worksheets, typed.worksheets, strict=True):
            sheet.reset_dimensions()  # some programs write a wrong one, which would cut the sheet
            formulas.reset_dimensions()
            rows = zip(sheet.iter_rows(), formulas.iter_rows(), strict=True)
            cells = [list(map(_new_cell, *both)) for both in rows]
            yield Sheet(sheet.title, cells)


def _calculates(source: Source) -> bool:
    """Whether a sheet holds a formula: only then are the cells read as they were typed, too."""
    with source.open() as opened, zipfile.ZipFile(opened) as packed:
        names = [name for name in packed.namelist() if name.startswith("xl/worksheets/")]
        return any(FORMULA.search(packed.read(name)) for name in names if name.endswith(".xml"))


def _new_cell(cell: Any, typed: Any) -> Cell:
    if cell.value is None:
        # A formula whose result is an empty text has a type of its own; "n" is the one of a cell
        # that no program has calculated yet.
        lost = typed.data_type == "f" and cell.data_type == "n"
        return Cell("", wrong=NOT_CALCULATED if lost else "")
    if cell.data_type == "e":
        return Cell("", wrong=f"the cell holds the error {cell.value}: mend it in the workbook")
    return as_text(cell.value, getattr(cell, "number_format", "") or "")


def _old_sheets(source: Source) -> Iterator[Sheet]:
    import xlrd

    with careful(source.name, "a workbook"):
        book = xlrd.open_workbook(file_contents=source.whole(), logfile=_Nowhere())
        for sheet in book.sheets():
            rows = [[_old_cell(cell, book.datemode) for cell in row] for row in sheet.get_rows()]
            yield Sheet(sheet.name, rows)


class _Nowhere:
    """Takes what xlrd prints of a damaged workbook: the error says it."""

    def write(self, text: str) -> None:
        """Drop the text."""


def _old_cell(cell: Any, datemode: int) -> Cell:
    import xlrd

    if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
        return Cell("")
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return Cell("", wrong="the cell holds an error: mend it in the workbook")
    if cell.ctype == xlrd.XL_CELL_DATE:
        return as_text(xlrd.xldate_as_datetime(cell.value, datemode))
    return as_text(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value)


def as_text(value: Any, shown_as: str = "") -> Cell:
    """A cell's value as text; a whole number has no decimals, and as many zeros as it shows."""
    if isinstance(value, str):
        return Cell(value)
    if isinstance(value, bool):
        return Cell("TRUE" if value else "FALSE")
    if isinstance(value, int | float):
        return _number(value, shown_as)
    if isinstance(value, datetime):
        midnight = value.time() == time(0)
        return Cell(value.date().isoformat() if midnight else value.isoformat(sep=" "))
    if isinstance(value, date | time | timedelta):
        return Cell(str(value))
    return Cell("", wrong=f"the cell holds a {type(value).__name__}, which is no text")


def _number(value: float, shown_as: str) -> Cell:
    if abs(value) >= EXACT:
        return Cell(str(value), wrong=f"{value!r} was rounded by the workbook: format as text")
    if value != int(value):
        return Cell(repr(value), "number")
    zeros = len(shown_as) if ZEROS.fullmatch(shown_as) else 0
    return Cell(f"{int(value):0{zeros}d}" if value >= 0 else str(int(value)), "number")


def _chosen(file: str, sheets: list[Sheet], said: str | None) -> Sheet:
    named = ", ".join(repr(sheet.name) for sheet in sheets)
    if said is not None:
        found = [sheet for sheet in sheets if sheet.name == said]
        if not found:
            raise InputError(f"there is no sheet {said!r}; it has {named}.", file=file)
        return found[0]
    full = [sheet for sheet in sheets if not sheet.empty]
    if not full:
        raise InputError(f"The workbook is empty: nothing stands in {named or 'it'}.", file=file)
    return full[0]


def _rows(
    sheet: Sheet, records: list[Record], header: int, columns: tuple[str, ...]
) -> Iterator[Row | Problem]:
    for (line, fields), cells in zip(records, sheet.rows, strict=True):
        if line <= header or not any(cell.text.strip() or cell.wrong for cell in cells):
            continue
        padded = fields + [""] * (len(columns) - len(fields))  # a sheet's rows end where they may
        yield from row(line, padded, columns)
        for column, cell in zip(columns, cells, strict=False):
            if cell.wrong:
                yield Problem(line, column, cell.wrong)


def _other_sheets(sheets: list[Sheet], chosen: Sheet) -> Iterator[str]:
    others = [sheet.name for sheet in sheets if sheet is not chosen and not sheet.empty]
    if others:
        unread = ", ".join(map(repr, others))
        yield f"The sheet {chosen.name!r} was read; {unread} were not (--sheet)."


def _number_notes(sheet: Sheet, header: int, columns: tuple[str, ...]) -> Iterator[str]:
    """Columns of number cells: what a person typed as 007 is 7 in such a cell."""
    found = Counter(
        column
        for cells in sheet.rows[header:]
        for column, cell in zip(columns, cells, strict=False)
        if cell.note == "number"
    )
    for column, count in found.items():
        yield (
            f"Column {column!r} holds {count} number cells, read as they are stored: a workbook "
            "keeps no leading zeros in a number, so ids belong into text cells."
        )
