"""Where bytes come from: a file on the disk, an upload, or a member of an archive."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from labelkit.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
BLOCK = 1 << 20
HEAD = 1 << 18
MOST_IN_MEMORY = 1 << 30
"""How large a file may be whose format has to be read as a whole, such as JSON or Excel."""


@dataclass(eq=False, slots=True)
class Source:
    """Bytes that can be read again from the start; `size` as they are stored, compressed or not."""

    name: str
    size: int
    opener: Callable[[], BinaryIO]
    stored: BinaryIO | None = field(default=None, repr=False)

    @property
    def suffix(self) -> str:
        """The ending of the name in lower case, that of a compression left off."""
        path = PurePath(self.name)
        return PurePath(path.stem if self.packed else path.name).suffix.lower()

    @property
    def packed(self) -> bool:
        """Whether the name says that the bytes are gzip."""
        return PurePath(self.name).suffix.lower() == ".gz"

    @property
    def read_so_far(self) -> int:
        """How many of the stored bytes were taken since the last opening, for a progress bar."""
        return self.stored.tell() if self.stored is not None and not self.stored.closed else 0

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes from the start, unpacked; damage and the disk's refusals become InputError."""
        try:
            with self.opener() as stored:
                self.stored = stored
                with gzip.GzipFile(fileobj=stored) if self.packed else stored as opened:
                    yield cast(BinaryIO, opened)
        except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
            raise InputError(
                f"the compressed data is broken ({error}); fetch the file again.", file=self.name
            ) from None
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror or error}.", file=self.name
            ) from None

    def head(self, size: int = HEAD) -> bytes:
        """The first bytes, unpacked."""
        with self.open() as opened:
            return opened.read(size)

    def whole(self) -> bytes:
        """All bytes, unpacked; refuses more than belongs into memory."""
        with self.open() as opened:
            data = opened.read(MOST_IN_MEMORY + 1)
        if len(data) > MOST_IN_MEMORY:
            raise InputError(
                f"holds more than {MOST_IN_MEMORY >> 30} GB, and this format has to be read as a "
                "whole: save it as JSON Lines or CSV, which are read row by row.",
                file=self.name,
            )
        return data

    def sha256(self) -> str:
        """SHA-256 of the stored bytes."""
        digest = hashlib.sha256()
        with self.opener() as stored:
            while block := stored.read(BLOCK):
                digest.update(block)
        return digest.hexdigest()


def from_bytes(name: str, data: bytes) -> Source:
    """The bytes of an upload under its name."""
    return Source(name, len(data), lambda: io.BytesIO(data))


def from_path(path: str | Path) -> Source:
    """A file on the disk; raises InputError where there is none."""
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such file; check the path.", file=path)
    return Source(path.name, path.stat().st_size, lambda: path.open("rb"))
