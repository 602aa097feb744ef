"""TREC qrels and runs, BEIR qrels: read line by line, plain or gzip, and written.

Columns are separated by ASCII whitespace, as trec_eval does it, so that ids may hold any other
character; extra columns at the end of a line are ignored. Ids are strings, kept exactly.
"""

from __future__ import annotations

import gzip
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

from labelkit.errors import InputError
from labelkit.formats.trec_lines import lines, text_of
from labelkit.measures.ranking import ordered

BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]
RUN_COLUMNS = "query Q0 document rank score name"
QRELS_COLUMNS = "query 0 document level"

Run = dict[str, dict[str, float]]
Negative = Literal["refuse", "unjudged", "not_relevant"]


class Scattered(Exception):
    """The lines of one query do not stand together."""


def read_run(path: str | Path) -> Run:
    """Read a TREC run: scores by query and document; the rank column is not used.

    Raises InputError, with file and line, for a missing, empty or broken file, fewer than six
    columns, a score that is no number or NaN, a document listed twice for a query, or bytes that
    are not UTF-8.
    """
    (run,) = pieces_of_lines(path, lines(path))
    return run


def pieces_of_lines(
    path: str | Path, numbered: Iterable[tuple[int, bytes]], rows: float = math.inf
) -> Iterator[Run]:
    """The run that the numbered lines of a file hold, in pieces of at least `rows` rows but the
    last, each query whole in one piece.

    Raises Scattered where a query goes on after its piece was given; else as `read_run`.
    """
    run: Run = {}
    given: set[str] = set()
    last, found, held = b"", dict[str, float](), 0
    for line, raw in numbered:
        fields = raw.split(None, 6)
        if len(fields) < 6:
            raise _too_few(path, line, fields, RUN_COLUMNS)
        if fields[0] != last:
            if held >= rows:
                yield run
                given.update(run)
                run, held = {}, 0
            last = fields[0]
            query_id = text_of(path, line, last)
            if query_id in given:
                raise Scattered
            found = run.setdefault(query_id, {})
        doc_id = text_of(path, line, fields[2])
        if doc_id in found:
            raise _repeated(path, line, fields)
        found[doc_id] = _score(path, line, fields[4])
        held += 1
    yield run


def read_qrels(path: str | Path, *, negative: Negative = "refuse") -> dict[str, dict[str, int]]:
    """Read judged levels by query and document: TREC qrels, or BEIR's tsv with its header.

    `negative` says what a level below 0 means in this source: "unjudged" leaves the row out,
    "not_relevant" reads it as 0, "refuse" asks. Raises InputError, with file and line, for
    missing columns, levels that are not whole, two different levels for one document, a missing,
    empty or broken file, or bytes that are not UTF-8.
    """
    qrels: dict[str, dict[str, int]] = {}
    for line, fields in _judged_rows(path):
        judged = qrels.setdefault(text_of(path, line, fields[0]), {})
        doc_id, level = text_of(path, line, fields[1]), _level(path, line, fields[2])
        if level < 0:
            if negative == "refuse":
                raise _negative(path, line, level)
            if negative == "unjudged":
                continue
            level = 0
        if judged.setdefault(doc_id, level) != level:
            raise _conflicting(path, line, fields, judged[doc_id])
    return qrels


def write_run(
    path: str | Path, run: Mapping[str, Mapping[str, float]], name: str, *, depth: int | None = None
) -> None:
    """Write a TREC run: queries ascending, documents best first, scores to the last bit.

    The same run gives the same bytes; a path ending in .gz is compressed. Raises InputError for
    ids or a name that are empty or hold whitespace, which the format cannot carry.
    """
    _require_word(name, "run name")
    with _replacing(path) as file:
        for query_id in sorted(run):
            _require_word(query_id, "query id")
            for rank, doc_id in enumerate(ordered(run[query_id])[:depth], start=1):
                _require_word(doc_id, "document id")
                score = float(run[query_id][doc_id])
                file.write(f"{query_id} Q0 {doc_id} {rank} {score!r} {name}\n".encode())


def write_qrels(path: str | Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """Write TREC qrels, sorted by query and document; conventions as in `write_run`."""
    with _replacing(path) as file:
        for query_id in sorted(qrels):
            _require_word(query_id, "query id")
            for doc_id, level in sorted(qrels[query_id].items()):
                _require_word(doc_id, "document id")
                file.write(f"{query_id} 0 {doc_id} {level}\n".encode())


def _judged_rows(path: str | Path) -> Iterator[tuple[int, list[bytes]]]:
    """Line number with query, document and level of each row, from either form."""
    rows = lines(path)
    first = next(rows)
    beir = first[1].split() == BEIR_HEADER
    if not beir:
        yield first[0], _qrels_fields(path, *first)
    for line, raw in rows:
        yield line, _beir_fields(path, line, raw) if beir else _qrels_fields(path, line, raw)


def _qrels_fields(path: str | Path, line: int, raw: bytes) -> list[bytes]:
    fields = raw.split(None, 4)
    if len(fields) < 4:
        raise _too_few(path, line, fields, QRELS_COLUMNS)
    return [fields[0], fields[2], fields[3]]


def _beir_fields(path: str | Path, line: int, raw: bytes) -> list[bytes]:
    fields = raw.rstrip(b"\r\n").split(b"\t")
    if len(fields) < 3:
        raise _too_few(path, line, fields, "query-id corpus-id score, tabs between them")
    return fields


@contextmanager
def _replacing(path: str | Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    """A file that takes its place only when it is complete."""
    target = Path(path)
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("wb") as file:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    yield packed
            else:
                yield file
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def _score(path: str | Path, line: int, raw: bytes) -> float:
    try:
        score = float(raw)
    except ValueError:
        score = math.nan
    if math.isnan(score):
        shown = raw.decode(errors="replace")
        message = f"{shown!r} is not a score: a number is needed, and NaN has no place in an order"
        raise InputError(message, file=path, line=line, column="score")
    return score


def _level(path: str | Path, line: int, raw: bytes) -> int:
    try:
        return int(raw)
    except ValueError:
        pass
    try:
        level = float(raw)
    except ValueError:
        level = math.nan
    if not level.is_integer():
        shown = raw.decode(errors="replace").strip()
        message = f"{shown!r} is not a level: levels are whole numbers from 0"
        raise InputError(message, file=path, line=line, column="level")
    return int(level)


def _too_few(path: str | Path, line: int, fields: list[bytes], wanted: str) -> InputError:
    message = f"{len(fields)} columns where these are needed: {wanted}"
    if wanted == QRELS_COLUMNS and len(fields) == 3:
        message += "; BEIR qrels start with the header query-id corpus-id score"
    return InputError(message, file=path, line=line)


def _negative(path: str | Path, line: int, level: int) -> InputError:
    message = (
        f"level {level}: say what a negative level means in these judgments, 'unjudged' or "
        "'not_relevant' (--negative)"
    )
    return InputError(message, file=path, line=line, column="level")


def _conflicting(path: str | Path, line: int, fields: list[bytes], before: int) -> InputError:
    query_id, doc_id, level = (one.decode().strip() for one in fields[:3])
    message = (
        f"document {doc_id!r} of query {query_id!r} has level {level} here and {before} on an "
        "earlier line; keep one of them"
    )
    return InputError(message, file=path, line=line)


def _repeated(path: str | Path, line: int, fields: list[bytes]) -> InputError:
    first = next(n for n, raw in lines(path) if _same_pair(raw.split(None, 6), fields))
    message = (
        f"document {fields[2].decode()!r} stands twice for query {fields[0].decode()!r}, first on "
        f"line {first}; a run ranks each document once"
    )
    return InputError(message, file=path, line=line)


def _same_pair(one: list[bytes], other: list[bytes]) -> bool:
    return one[0] == other[0] and one[2] == other[2]


def _require_word(text: str, what: str) -> None:
    """Refuse what would come back as another word, or as several."""
    if text.encode().split() != [text.encode()]:
        raise InputError(f"{what} {text!r} is empty or holds whitespace, which TREC files cannot")
