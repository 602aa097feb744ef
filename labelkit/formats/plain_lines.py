"""Plain text with one entry a line, such as queries typed one below the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from labelkit.formats import encodings
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import NOT_STORED_SAYS, Problem, Reading, Row


def read(source: Source, options: ReadOptions) -> Reading:
    """Each line that is not blank, in the column `text`."""
    encoding, known_by = encodings.detect(source, options.encoding)

    def rows() -> Iterator[Row | Problem]:
        with closing(encodings.lines(source, encoding)) as lines:
            for number, line in enumerate(lines, 1):
                text = line.rstrip("\r\n")
                if text.strip():
                    yield Row(number, {"text": text})
                if "\0" in text:
                    yield Problem(number, "text", NOT_STORED_SAYS)

    how = {"format": "lines", "encoding": f"{encoding} ({known_by})"}
    return Reading(source.name, ("text",), rows, how)
