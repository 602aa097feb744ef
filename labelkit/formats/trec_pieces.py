"""A TREC run of any size, read in pieces of whole queries that fit in memory.

Runs mostly have the lines of a query together; then the file is read once. Where they do not, its
lines are first spread over temporary files by query, so that each of these holds whole queries.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from labelkit.formats.trec import Run, pieces_of_lines
from labelkit.formats.trec_lines import GZIP_MAGIC, lines

ROWS = 200_000
"""Rows in a piece: some 40 MB as dictionaries."""
BYTES = 16 << 20
"""What a temporary file is to hold, about as many rows."""
MOST_FILES = 500
"""Open at once: most systems allow 1,024."""
PACKED = 8
"""How many times gzip shrinks a run, at most about."""


def grouped_pieces(path: str | Path, rows: int = ROWS) -> Iterator[Run]:
    """The run in pieces, read once; raises Scattered, maybe late, where a query's lines do not
    stand together, and InputError as `read_run`."""
    return pieces_of_lines(path, lines(path), rows)


def scattered_pieces(path: str | Path, most_bytes: int = BYTES) -> Iterator[Run]:
    """The run in pieces, whatever the order of its lines; takes about the file's unpacked size
    on the disk for temporary files meanwhile."""
    with TemporaryDirectory(prefix="labelkit-") as folder:
        for part in _spread(path, Path(folder), _files_for(path, most_bytes)):
            yield from pieces_of_lines(path, _numbered(part))
            part.unlink()


def _files_for(path: str | Path, most_bytes: int) -> int:
    with open(path, "rb") as file:
        packed = file.read(2) == GZIP_MAGIC
        size = file.seek(0, 2) * (PACKED if packed else 1)
    return min(MOST_FILES, 1 + size // most_bytes)


def _spread(path: str | Path, folder: Path, count: int) -> list[Path]:
    """The lines of a run, each behind its number, in files that no query shares with another."""
    parts = [folder / str(number) for number in range(count)]
    with ExitStack() as stack:
        files = [stack.enter_context(part.open("wb")) for part in parts]
        for line, raw in lines(path):
            query = raw.split(None, 1)[0]
            files[zlib.crc32(query) % count].write(b"%d %b\n" % (line, raw.rstrip(b"\r\n")))
    return parts


def _numbered(part: Path) -> Iterator[tuple[int, bytes]]:
    with part.open("rb") as file:
        for row in file:
            line, raw = row.split(b" ", 1)
            yield int(line), raw
