"""Test collections as text: TREC topics and qrels, and the SMART form of Cranfield's time."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from itertools import islice

from labelkit.errors import InputError
from labelkit.formats import encodings
from labelkit.formats.options import ReadOptions
from labelkit.formats.source import Source
from labelkit.formats.tables import Problem, Reading, Row

ASCII_SPACE = re.compile(r"[ \t\r\f\v]+")
QRELS_COLUMNS = ("query_id", "iteration", "doc_id", "level")
RUN_COLUMNS = ("query_id", "q0", "doc_id", "rank", "score", "run")
SHORT_COLUMNS = ("query_id", "doc_id", "level")
LINES_LOOKED_AT = 100
TOPIC = re.compile(r"<(?:top|topic)\b([^>]*)>(.*?)</(?:top|topic)>", re.DOTALL | re.IGNORECASE)
FIELD = re.compile(
    r"<(num|title|desc|narr|query|question|narrative|description)\b[^>]*>([^<]*)", re.IGNORECASE
)
NUMBER = re.compile(r"number\s*=\s*[\"']([^\"']*)", re.IGNORECASE)
LABEL = re.compile(r"^\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
SMART_FIELDS = {"T": "title", "W": "text", "A": "author", "B": "source"}


def read_qrels(source: Source, options: ReadOptions) -> Reading:
    """TREC qrels: four columns with ASCII spaces between them, or three without the iteration."""
    return _spaced(source, options, "TREC qrels", QRELS_COLUMNS)


def read_run(source: Source, options: ReadOptions) -> Reading:
    """A TREC run: six columns with ASCII spaces between them."""
    return _spaced(source, options, "TREC run", RUN_COLUMNS)


def _spaced(source: Source, options: ReadOptions, name: str, columns: tuple[str, ...]) -> Reading:
    encoding, known_by = encodings.detect(source, options.encoding)

    def fields() -> Generator[tuple[int, list[str]]]:
        with closing(encodings.lines(source, encoding, newline="\n")) as lines:
            for number, line in enumerate(lines, 1):
                if found := [one for one in ASCII_SPACE.split(line.rstrip("\n")) if one]:
                    yield number, found

    with closing(fields()) as found:
        widths = {len(first) for _, first in islice(found, LINES_LOOKED_AT)}
    if not widths:
        raise InputError("The file is empty.", file=source.name)
    columns = SHORT_COLUMNS if widths == {len(SHORT_COLUMNS)} else columns
    how = {"format": name, "encoding": f"{encoding} ({known_by})"}
    return Reading(
        source.name, columns, lambda: (_spaced_row(*one, columns) for one in fields()), how
    )


def _spaced_row(number: int, fields: list[str], columns: tuple[str, ...]) -> Row | Problem:
    if len(fields) == len(columns):
        return Row(number, dict(zip(columns, fields, strict=True)))
    is_run = columns == RUN_COLUMNS
    wanted = (
        "runs have six: query id, Q0, document id, rank, score, name"
        if is_run
        else ("qrels have four: query id, 0, document id, level")
    )
    return Problem(number, "", f"{len(fields)} fields where TREC {wanted}")


def read_topics(source: Source, options: ReadOptions) -> Reading:
    """TREC topics: number and title are the query, description and narrative the need."""
    encoding, known_by = encodings.detect(source, options.encoding)
    text = encodings.decode(source, encoding)
    found: list[Row | Problem] = [
        Row(text.count("\n", 0, topic.start()) + 1, _topic(topic)) for topic in TOPIC.finditer(text)
    ]
    if not found:
        raise InputError("holds no <top> … </top>.", file=source.name)
    how = {"format": "TREC topics", "encoding": f"{encoding} ({known_by})"}
    columns = ("query_id", "text", "information_need")
    return Reading(source.name, columns, lambda: iter(found), how)


def _topic(topic: re.Match[str]) -> dict[str, str]:
    from html import unescape

    fields = {
        name.lower(): unescape(" ".join(LABEL.sub("", said).split()))
        for name, said in FIELD.findall(topic[2])
    }
    number = NUMBER.search(topic[1])
    needs = ("desc", "description", "question", "narr", "narrative")
    return {
        "query_id": number[1].strip() if number else fields.get("num", ""),
        "text": fields.get("title") or fields.get("query", ""),
        "information_need": " ".join(fields[name] for name in needs if fields.get(name)),
    }


def read_smart(source: Source, options: ReadOptions) -> Reading:
    """A SMART collection of documents or queries: each begins with .I and its number."""
    encoding, known_by = encodings.detect(source, options.encoding)
    entries = _smart_entries(encodings.decode(source, encoding))
    found: list[Row | Problem] = [Row(line, fields) for line, fields in entries]
    columns = tuple(dict.fromkeys(key for _, fields in entries for key in fields))
    how = {"format": "SMART", "encoding": f"{encoding} ({known_by})"}
    return Reading(source.name, columns, lambda: iter(found), how)


def _smart_entries(text: str) -> list[tuple[int, dict[str, str]]]:
    entries: list[tuple[int, dict[str, str]]] = []
    field = ""
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        line = line.rstrip("\r")
        if line.startswith(".I "):
            entries.append((number, {"id": line[3:].strip()}))
            field = ""
        elif len(line) == 2 and line[0] == "." and line[1] in SMART_FIELDS:
            field = SMART_FIELDS[line[1]]
        elif entries and field:
            held = entries[-1][1]
            held[field] = f"{held[field]}\n{line}" if field in held else line
    return entries
