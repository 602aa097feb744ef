"""A TREC run read as columns by Arrow, a piece of the file at a time, not line by line.

For files to which nothing can be objected. Whatever needs a message, with its line, is left to
the reader of lines in trec.py: `Odd` says so. What both accept they read alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from labelkit.formats.arrow_buffers import integers, numbers
from labelkit.formats.trec import Run, Scattered
from labelkit.formats.trec_lines import BOM, opened

if TYPE_CHECKING:
    import pyarrow as pa

BYTES = 1 << 20
"""Read at once: some 30,000 lines."""
BLOCK = 1 << 30
"""Arrow's largest piece; a longer one is parsed as several."""
NAMES = ("query", "Q0", "document", "rank", "score", "name")
BLANKS = b"\t\r\v\f"
TO_SPACES = bytes.maketrans(BLANKS, b" " * len(BLANKS))


class Odd(Exception):
    """The file holds something that the reader of lines has to look at."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Whole queries of a run: `query_ids` in the order of the file, `lengths` [queries] how many
    lines each has; by line `doc_ids`, Arrow strings, and `scores`."""

    query_ids: list[str]
    lengths: NDArray[np.int64]
    doc_ids: pa.StringArray
    scores: NDArray[np.float64]

    def as_run(self) -> Run:
        """The same as dictionaries."""
        rows = zip(self.doc_ids.to_pylist(), self.scores.tolist(), strict=True)
        sizes = zip(self.query_ids, self.lengths.tolist(), strict=True)
        return {query_id: dict(islice(rows, size)) for query_id, size in sizes}

    def bytewise(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the document id of each of these lines stands among them, ascending, [n]."""
        import pyarrow.compute as pc

        places = pc.rank(self.doc_ids.take(integers(lines)), tiebreaker="dense")
        return numbers(places, np.uint64).astype(np.int64)


def read_columns(path: str | Path, most: int = BYTES) -> Iterator[Columns]:
    """The run in pieces of about `most` bytes, longer where one query is.

    Raises Scattered where the lines of a query do not stand together, and Odd, maybe late, for
    what `read_run` refuses and for lines of more than six columns.
    """
    given: set[str] = set()
    for table in _whole_queries(path, most):
        piece = _columns(table)
        if not given.isdisjoint(piece.query_ids):
            raise Scattered
        given.update(piece.query_ids)
        yield piece
    if not given:
        raise Odd


def _whole_queries(path: str | Path, most: int) -> Iterator[pa.Table]:
    """Rows in the order of the file; those of a piece's last query go to the next piece, and
    where there is none the last two pieces are one."""
    import pyarrow as pa

    ready: list[pa.Table] = []
    begun: list[pa.Table] = []
    try:
        for table in filter(len, map(_parsed, _whole_lines(path, most))):
            cut = _last_query(table)
            if cut or (begun and begun[0]["query"][0] != table["query"][0]):
                if ready:
                    yield pa.concat_tables(ready)
                ready, begun = [*begun, table[:cut]], []
            begun.append(table[cut:])
    except (OSError, EOFError, zlib.error, pa.ArrowInvalid) as error:
        raise Odd from error
    if begun:
        yield pa.concat_tables(ready + begun)


def _last_query(table: pa.Table) -> int:
    """The row from which on all are of one query."""
    codes = _coded(table["query"])[0]
    others = codes != codes[-1]
    return len(codes) - int(np.argmax(others[::-1])) if others.any() else 0


def _coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.StringArray]:
    """Whole numbers in place of strings, and the strings they stand for, as they come up."""
    encoded = column.combine_chunks().dictionary_encode()
    return numbers(encoded.indices, np.int32), encoded.dictionary


def _whole_lines(path: str | Path, most: int) -> Iterator[bytes]:
    """The unpacked file in pieces that end with a line, the last as the file ends."""
    with opened(path) as file:
        text = file.read(most).removeprefix(BOM)
        while more := file.read(most):
            end = text.rfind(b"\n") + 1
            if end:
                yield text[:end]
            text = text[end:] + more
    if text.strip():
        yield text


def _parsed(text: bytes) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    text = _single_spaced(text)
    if text.startswith(BOM):  # here it belongs to an id, and Arrow would drop it
        raise Odd
    return csv.read_csv(
        pa.BufferReader(text),
        csv.ReadOptions(use_threads=False, block_size=min(len(text), BLOCK), column_names=NAMES),
        csv.ParseOptions(delimiter=" ", quote_char=False),
        csv.ConvertOptions(
            include_columns=["query", "document", "score"],
            column_types={"query": pa.string(), "document": pa.string(), "score": pa.float64()},
            null_values=[],
        ),
    )


def _single_spaced(text: bytes) -> bytes:
    """One space between columns and none around a line, which is all that Arrow understands."""
    if any(blank in text for blank in BLANKS):
        text = text.translate(TO_SPACES)
    if not _has_gaps(text):
        return text
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _has_gaps(text: bytes) -> bool:
    """Whether blanks or line ends (or other bytes as low) stand side by side or at an end."""
    low = np.frombuffer(b"\n%b\n" % text.removesuffix(b"\n"), np.uint8) <= ord(" ")
    return bool((low[1:] & low[:-1]).any())


def _columns(table: pa.Table) -> Columns:
    codes, query_ids = _coded(table["query"])
    if (codes[1:] < codes[:-1]).any():
        raise Scattered
    scores = numbers(table["score"].combine_chunks(), np.float64)
    if np.isnan(scores).any():
        raise Odd
    lengths = np.bincount(codes, minlength=len(query_ids))
    return Columns(query_ids.to_pylist(), lengths, table["document"].combine_chunks(), scores)
