"""How a file is read: what was said, or else what was detected."""

from __future__ import annotations

from dataclasses import dataclass

from labelkit.errors import InputError

FORMATS = {
    "delimited": "CSV, TSV and the like: a header row and a delimiter",
    "jsonl": "JSON Lines: one object a line",
    "json": "JSON: a list of objects, an object of lists, or an export of Quepid, OpenSearch or "
    "Label Studio",
    "parquet": "Parquet",
    "xlsx": "an Excel workbook",
    "xls": "an Excel workbook of before 2007",
    "lines": "plain text, one entry a line",
    "text": "plain text, Markdown or HTML: one document a file",
    "zip": "a zip archive of one table, or of text files",
    "qrels": "TREC qrels: query 0 document level",
    "run": "a TREC run: query Q0 document rank score name",
    "topics": "TREC topics",
    "smart": "a SMART collection: .I, .T, .W",
}
"""The formats that are read, and what each is."""

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
BY_NAME = {name: sign for sign, name in DELIMITERS.items()}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a person says of a file; None is detected.

    `header_row` is the line of the column names, from 1; 0 says that there are none. `quote` is
    one character, or empty for a file whose fields are never quoted. `encoding` may be "detect":
    the guess for a file that is not Unicode is then taken as said.
    """

    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header_row: int | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"{self.format!r} is no format; choose {', '.join(FORMATS)}.")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '\r\n"'):
            raise InputError(f"{self.delimiter!r} is no delimiter: give one character.")
        if self.quote is not None and (len(self.quote) > 1 or self.quote in tuple("\r\n,;|\t")):
            raise InputError(f"{self.quote!r} is no quote: give one character, or none.")
        if self.header_row is not None and self.header_row < 0:
            raise InputError("A header row is a line from 1, or 0 for none.")

    def as_dict(self) -> dict[str, str | int]:
        """What was said, ready for JSON."""
        said = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in said.items() if value is not None}


def delimiter_of(name: str) -> str:
    """The sign that a name ("tab") or the sign itself means."""
    return BY_NAME.get(name, name)
