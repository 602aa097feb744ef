"""JSON Lines, row by row."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from itertools import islice

from labelkit.errors import InputError
from labelkit.formats import encodings
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import Problem, Reading, Row, parse_json

ROWS_LOOKED_AT = 1000
"""How many rows name the columns: later ones may have more, which are read all the same."""


def read(source: Source, options: ReadOptions) -> Reading:
    """A file of one JSON object a line; what is wrong with a line is a problem of that line."""
    encoding, known_by = encodings.detect(source, options.encoding)

    def rows() -> Generator[Row | Problem]:
        # Lines end at \n and nowhere else: U+2028 and its like may stand in a JSON string.
        with closing(encodings.lines(source, encoding, newline="\n")) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _row(number, line)

    with closing(rows()) as found:
        first = list(islice(found, ROWS_LOOKED_AT))
    if not first:
        raise InputError("The file is empty.", file=source.name)
    if isinstance(first[0], Problem) and not any(isinstance(one, Row) for one in first):
        raise InputError(first[0].message, file=source.name, line=first[0].line)
    columns = dict.fromkeys(key for one in first if isinstance(one, Row) for key in one.values)
    how = {"format": "jsonl", "encoding": f"{encoding} ({known_by})"}
    return Reading(source.name, tuple(columns), rows, how)


def _row(number: int, line: str) -> Row | Problem:
    try:
        values = parse_json(line)
    except ValueError as error:
        return Problem(number, "", f"not JSON ({error}): one object a line")
    if not isinstance(values, dict):
        return Problem(number, "", "not a JSON object: write {…} on each line")
    return Row(number, values)
