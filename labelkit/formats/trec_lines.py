"""The lines of a TREC file with their numbers, plain or gzip, and what is wrong with its bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from labelkit.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1, blank ones left out; there is at least one."""
    empty = True
    try:
        with opened(path) as file:
            for line, raw in enumerate(file, start=1):
                if line == 1 and raw.startswith(BOM):
                    raw = raw[len(BOM) :]
                if not raw.isspace():
                    empty = False
                    yield line, raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"the gzip data is broken ({error}); fetch it again", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    if empty:
        raise InputError("the file holds no rows", file=path)


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    """The file's bytes, unpacked if they are gzip, whatever the file is called."""
    with open(path, "rb") as file:
        if file.peek(2)[:2] != GZIP_MAGIC:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked


def text_of(path: str | Path, line: int, raw: bytes) -> str:
    """Bytes of a line as text; raises InputError, with the place in the file, if they are none."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        offset = offset_of(path, line, raw) + error.start
        raise InputError(
            f"byte {offset} (0x{raw[error.start]:02x}) is not UTF-8; save the file as UTF-8",
            file=path,
            line=line,
        ) from None


def offset_of(path: str | Path, line: int, part: bytes) -> int:
    """Where `part` of this line starts in the (unpacked) file; only looked up for a message."""
    with opened(path) as file:
        before = sum(len(file.readline()) for _ in range(line - 1))
        return before + file.readline().index(part)
