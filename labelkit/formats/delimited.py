"""CSV, TSV and the like: which sign divides them, which quotes, and where the header stands."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice

from labelkit.errors import InputError
from labelkit.formats import encodings
from labelkit.formats.options import DELIMITERS, ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import NOT_STORED_SAYS, Problem, Reading, Row

ENDINGS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".psv": "|", ".ssv": ";"}
LONGEST_FIELD = 1 << 27
LINES_LOOKED_AT = 200
UNNAMED = "column_"
"""What a column without a name is called, with its number."""

NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d[\d.,]*\s*%?\s*")

Record = tuple[int, list[str]]


class BrokenRow(ValueError):
    """The quoting of a row is broken; carries the line on which the row begins."""

    def __init__(self, message: str, line: int) -> None:
        self.line = line
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the fields of a line are told apart."""

    delimiter: str
    quote: str
    skip_spaces: bool

    def records(self, lines: Iterable[str]) -> Iterator[Record]:
        """The fields of each row with the line on which it begins; broken quoting raises."""
        csv.field_size_limit(LONGEST_FIELD)
        reader = csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote or '"',
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            skipinitialspace=self.skip_spaces,
            strict=True,
        )
        start = 1
        try:
            for fields in reader:
                yield start, fields
                start = reader.line_num + 1
        except csv.Error as error:
            raise BrokenRow(str(error), start) from None

    def describe(self) -> dict[str, str]:
        """The dialect in words."""
        said = {
            "delimiter": DELIMITERS.get(self.delimiter, repr(self.delimiter)),
            "quotes": self.quote or "none",
        }
        return said | ({"spaces after the delimiter": "left off"} if self.skip_spaces else {})


def read(source: Source, options: ReadOptions) -> Reading:
    """A delimited file, with what was detected of it.

    Raises InputError for an empty file, one whose header is missing or cannot be told, or bytes
    that are in no encoding said or known.
    """
    encoding, known_by = encodings.detect(source, options.encoding)
    first = _first_lines(source, encoding)
    if not any(line.strip() for line in first):
        raise InputError("The file is empty.", file=source.name)
    dialect = find_dialect(first, ENDINGS.get(source.suffix, ","), options)
    header, columns = find_header(source.name, _complete(dialect, first), options.header_row)
    how = {"format": "delimited", "encoding": f"{encoding} ({known_by})", **dialect.describe()}
    how["header"] = f"line {header}" if header else "none"

    def rows() -> Iterator[Row | Problem]:
        with closing(encodings.lines(source, encoding)) as lines:
            yield from _rows(source.name, dialect.records(lines), columns, header)

    return Reading(source.name, columns, rows, how, notes=_notes(header, columns))


def _first_lines(source: Source, encoding: str) -> list[str]:
    with closing(encodings.lines(source, encoding)) as lines:
        return list(islice(lines, LINES_LOOKED_AT))


def _complete(dialect: Dialect, lines: list[str]) -> list[Record]:
    """The records of the first lines; one that is cut at their end is left off."""
    found: list[Record] = []
    with suppress(BrokenRow):  # it is met again, with its place, when the rows are read
        for record in dialect.records(lines):
            found.append(record)
    return found


def find_dialect(first: list[str], usual: str, options: ReadOptions) -> Dialect:
    """The dialect under which the first lines fall into rows of one width."""
    best, most = None, 0.0
    for dialect in _dialects(first, usual, options):
        even = _evenness(dialect, first)
        # What comes first is the usual: only something clearly more even takes its place.
        if best is None or even > most + 0.1:
            best, most = dialect, even
    assert best is not None
    return best


def _dialects(first: list[str], usual: str, options: ReadOptions) -> Iterator[Dialect]:
    signs = [options.delimiter] if options.delimiter else dict.fromkeys([usual, *DELIMITERS])
    for sign in signs:
        yield Dialect(sign, '"' if options.quote is None else options.quote, False)
        if options.quote is None and sign == "\t":
            yield Dialect(sign, "", False)  # tables with tabs are often written without quoting
        if options.quote != "" and _spaced(first, sign):
            yield Dialect(sign, options.quote or '"', True)


def _spaced(lines: list[str], sign: str) -> bool:
    """Whether a quoted field stands behind delimiter and space: only there spaces are no text."""
    quoted = re.compile(rf'{re.escape(sign)} +"[^"]*" *(?:{re.escape(sign)}|$)', re.MULTILINE)
    return any(quoted.search(line) for line in lines)


def _evenness(dialect: Dialect, lines: list[str]) -> float:
    """The share of lines that are rows of the commonest width above 1.

    A sign that the first line does not hold has to make more of the lines: prose has such too.
    """
    filled = [line for line in lines if line.strip()]
    widths = Counter(len(fields) for _, fields in _complete(dialect, lines) if any(fields))
    wide = {width: count for width, count in widths.items() if width > 1}
    if not wide:
        return 0.0
    width = max(wide, key=lambda width: wide[width])
    share = wide[width] / len(filled)
    return share if dialect.delimiter in filled[0] or (width > 2 and share > 0.5) else 0.0


def find_header(file: str, records: list[Record], said: int | None) -> tuple[int, tuple[str, ...]]:
    """The line of the header and the columns; line 0 where it was said that there is none.

    Raises InputError where no line can be the header, or a name stands in it twice.
    """
    filled = [(line, fields) for line, fields in records if any(field.strip() for field in fields)]
    if not filled:
        raise InputError("The file holds no rows.", file=file)
    if said == 0:
        width = max(len(fields) for _, fields in filled)
        return 0, tuple(f"{UNNAMED}{number}" for number in range(1, width + 1))
    if said is not None:
        found = next((record for record in records if record[0] == said), None)
        if found is None:
            raise InputError(f"no row begins on line {said}: say another header row.", file=file)
    else:
        found = _likely_header(filled)
        _refuse_numbers(file, *found)
    return found[0], _names(file, *found)


def _likely_header(filled: list[Record]) -> Record:
    """The first row, or past a title above the table the first that is as full as most."""
    counts = [sum(bool(field.strip()) for field in fields) for _, fields in filled]
    usual = Counter(counts).most_common(1)[0][0]
    if counts[0] * 2 > usual or usual < 3:
        return filled[0]
    return next(record for record, count in zip(filled, counts, strict=True) if count >= usual - 1)


def _refuse_numbers(file: str, line: int, fields: list[str]) -> None:
    numbers = [bool(NUMBER.fullmatch(field)) for field in fields if field.strip()]
    if NUMBER.fullmatch(fields[0]) and sum(numbers) * 2 >= len(numbers):
        raise InputError(
            f"no header was found: this row holds numbers ({fields[0].strip()!r} …). Say which "
            "line holds the column names (--header-row LINE; 0 for none).",
            file=file,
            line=line,
        )


def _names(file: str, line: int, fields: list[str]) -> tuple[str, ...]:
    names = [field.strip() for field in fields]
    doubled = {name for name in names if name and names.count(name) > 1}
    if doubled:
        raise InputError(
            f"the column {min(doubled)!r} stands twice in the header: rename one, or say which "
            "line the header is (--header-row; 0 for none).",
            file=file,
            line=line,
        )
    taken = set(names)
    return tuple(name or _unnamed(number, taken) for number, name in enumerate(names, 1))


def _unnamed(number: int, taken: set[str]) -> str:
    name = f"{UNNAMED}{number}"
    while name in taken:
        name += "_"
    return name


def _rows(
    file: str, records: Iterator[Record], columns: tuple[str, ...], header: int
) -> Iterator[Row | Problem]:
    try:
        for line, fields in records:
            if line > header and any(fields):
                yield from row(line, fields, columns)
    except BrokenRow as error:
        raise InputError(
            f"{error}: a quote may be missing, or the file is not quoted (--quote none).",
            file=file,
            line=error.line,
        ) from None


def row(line: int, fields: list[str], columns: tuple[str, ...]) -> Iterator[Row | Problem]:
    """One row under the columns; empty fields beyond them are no fault, other widths are."""
    padded = fields + [""] * _unnamed_at_end(columns)
    if len(padded) < len(columns) or any(field.strip() for field in fields[len(columns) :]):
        yield Problem(
            line,
            "",
            f"{len(fields)} fields where the header has {len(columns)}: quote fields that hold "
            "the delimiter.",
        )
        return
    values = dict(zip(columns, padded, strict=False))
    yield Row(line, values)
    for column, value in values.items():
        if "\0" in value:
            yield Problem(line, column, NOT_STORED_SAYS)


def _unnamed_at_end(columns: tuple[str, ...]) -> int:
    """How many columns at the end have no name: a row may leave those out."""
    named = len(columns)
    while named > 1 and columns[named - 1].rstrip("_") == f"{UNNAMED}{named}":
        named -= 1
    return len(columns) - named


def _notes(header: int, columns: tuple[str, ...]) -> tuple[str, ...]:
    if header > 1:
        return (f"The header was found on line {header}; what stands above it is left out.",)
    return ()
