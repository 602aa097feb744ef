"""Opening a file of any known format: which it is, and the reader for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from labelkit.errors import InputError
from labelkit.formats import (
    archives,
    delimited,
    encodings,
    json_lines,
    json_whole,
    parquet,
    plain_lines,
    plain_text,
    testsets,
    workbooks,
)
from labelkit.formats.options import FORMATS, ReadOptions
from labelkit.formats.source import GZIP_MAGIC, Source, from_path
from labelkit.formats.tables import Reading

BY_ENDING = {
    **dict.fromkeys(delimited.ENDINGS, "delimited"),
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xls": "xls",
    ".zip": "zip",
}
NOT_READ = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".ods", ".numbers")
BY_MAGIC = {b"PAR1": "parquet", b"\xd0\xcf\x11\xe0": "xls", b"PK\x03\x04": "zip"}
NO_TEXT = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF-": "a PDF file",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xfd7zXZ": "xz data",
    b"BZh": "bzip2 data",
}
"""What nothing is read from, by its first bytes."""
QRELS_ENDINGS = (".txt", ".qrels", ".trec")
RUN_LINE = re.compile(rb"(?:\S+[ \t]+){4}[-+0-9.eE]+[ \t]+\S+[ \t\r]*")
QRELS_LINE = re.compile(rb"[^\s,;|]+[ \t]+(?:[^\s,;|]+[ \t]+)?[^\s,;|]+[ \t]+-?\d+[ \t\r]*")

DEFAULT = ReadOptions()


def open_path(path: str | Path, options: ReadOptions = DEFAULT, kind: str = "") -> Reading:
    """A file or folder on the disk, ready to be read; `kind` says what is looked for in it.

    Raises InputError for one that is missing, or whose format is not known.
    """
    path = Path(path)
    if path.is_dir():
        return plain_text.read(path.name, *_folder(path, options))
    return open_source(from_path(path), options, kind)


def _folder(path: Path, options: ReadOptions) -> tuple[list[Source], ReadOptions, int]:
    if (path / "corpus.jsonl").exists():
        raise InputError("this is a BEIR folder: use 'labelkit import beir'.", file=path)
    sources, skipped = plain_text.folder(path)
    return sources, options, skipped


def open_source(source: Source, options: ReadOptions = DEFAULT, kind: str = "") -> Reading:
    """The same for bytes that are at hand."""
    format_ = options.format or find_format(source, kind)
    if format_ == "zip":
        return _zip(source, options, kind)
    if format_ == "text":
        return plain_text.read(source.name, [source], options)
    if format_ == "json":
        return json_whole.read(source, options, kind)
    return READERS[format_](source, options)


READERS: Mapping[str, Callable[[Source, ReadOptions], Reading]] = {
    "delimited": delimited.read,
    "jsonl": json_lines.read,
    "parquet": parquet.read,
    "xlsx": workbooks.read,
    "xls": workbooks.read,
    "lines": plain_lines.read,
    "qrels": testsets.read_qrels,
    "run": testsets.read_run,
    "topics": testsets.read_topics,
    "smart": testsets.read_smart,
}


def not_unicode(source: Source, kind: str = "") -> encodings.NotUnicode | None:
    """What is to be said of a text file whose encoding its bytes do not tell, if that is so."""
    if find_format(source, kind) in ("xlsx", "xls", "parquet", "zip", "text"):
        return None
    try:
        encodings.detect(source, None)
    except encodings.NotUnicode as question:
        return question
    return None


def find_format(source: Source, kind: str = "") -> str:
    """The format of a file by its first bytes, else by its ending, else by its first lines.

    Raises InputError where none of them says.
    """
    if source.suffix in NOT_READ:
        raise InputError(
            f"{source.suffix} files are not read: save it as text, HTML or CSV first.",
            file=source.name,
        )
    head = source.head(1 << 16)
    for magic, name in NO_TEXT.items():
        if head.startswith(magic):
            raise InputError(
                f"this is {name}, whatever it is called: give its text as CSV, JSON Lines or txt.",
                file=source.name,
            )
    for magic, name in BY_MAGIC.items():
        if head.startswith(magic):
            is_workbook = name == "zip" and archives.is_workbook(source)
            return "xlsx" if is_workbook else name
    if head.startswith(GZIP_MAGIC):
        raise InputError("this is gzip data: give the file the ending .gz.", file=source.name)
    by_ending = BY_ENDING.get(source.suffix, "")
    if by_ending in ("parquet", "xlsx", "xls", "zip"):
        raise InputError(_impostor(head, source.suffix), file=source.name)
    by_lines = _by_lines(head, source.suffix, kind)
    if by_ending or by_lines:
        return by_ending or by_lines
    raise InputError(
        f"{source.suffix or 'no'} ending, and its first lines do not tell what it is: use a .csv, "
        f".tsv, .jsonl or .xlsx file, or say the format (--format {', '.join(FORMATS)}).",
        file=source.name,
    )


def _impostor(head: bytes, suffix: str) -> str:
    if not head:
        return "The file is empty."
    return f"the file is called {suffix} and does not begin like one; say its format (--format)."


def _by_lines(head: bytes, suffix: str, kind: str) -> str:
    """The format that the first lines show, where they can be nothing else."""
    text = head.removeprefix(encodings.MARKS[0][0]).lstrip()
    if text.startswith(b".I "):
        return "smart"
    if kind == "judgments" and (suffix in QRELS_ENDINGS or _every_line(QRELS_LINE, text)):
        return "qrels"
    if kind == "runs" and _every_line(RUN_LINE, text):
        return "run"
    if re.match(rb"(?:<\?xml[^>]*>\s*)?<(?:top|topics?)\b", text, re.IGNORECASE):
        return "topics"
    if kind == "documents" and suffix in plain_text.ENDINGS:
        return "text"
    if kind == "queries" and suffix == ".txt":
        return "lines"
    if text.startswith(b"{"):
        return "jsonl" if b"\n{" in text else "json"
    return "json" if text.startswith(b"[") else ""


def _every_line(form: re.Pattern[bytes], text: bytes) -> bool:
    lines = [line for line in text.split(b"\n")[:20] if line.strip()]
    return bool(lines) and all(form.fullmatch(line) for line in lines[:-1] or lines)


def _zip(source: Source, options: ReadOptions, kind: str) -> Reading:
    found = archives.members(source)
    texts = [one for one in found if one.suffix in plain_text.ENDINGS]
    tables = [one for one in found if one.suffix in BY_ENDING and one.suffix != ".zip"]
    inner = replace(options, format=None) if options.format == "zip" else options
    if len(tables) == 1 and (not texts or kind != "documents"):
        reading = open_source(tables[0], inner, kind)
        return replace(reading, how={"archive": source.name, **reading.how})
    if len(found) == 1 and not texts:
        return open_source(found[0], inner, kind)
    if texts and not tables and kind in ("documents", ""):
        return plain_text.read(source.name, texts, inner, len(found) - len(texts))
    if not found:
        raise InputError("The archive is empty.", file=source.name)
    raise InputError(_several(found), file=source.name)


def _several(found: list[Source]) -> str:
    """What to do with an archive of more files than one import reads."""
    if {"corpus.jsonl", "queries.jsonl"} <= {PurePosixPath(one.name).name for one in found}:
        return (
            "holds a corpus.jsonl and a queries.jsonl, as a BEIR data set does: import it as a "
            "whole, with labelkit import beir or as “BEIR folder (zip)” on the Import page."
        )
    return (
        f"holds {archives.named(found)}: an archive is read that holds one table, or text files "
        "as documents. Unpack it and import its files one by one."
    )
