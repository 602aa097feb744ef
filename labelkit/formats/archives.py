"""Zip archives: read in place, never unpacked to the disk, and never trusted about their size."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from labelkit.errors import InputError
from labelkit.formats.foreign import careful
from labelkit.formats.source import MOST_IN_MEMORY, Source

MOST_MEMBERS = 200_000
MOST_UNPACKED = 8 * MOST_IN_MEMORY
MOST_TIMES = 500
"""A member that unpacks to more times its size, and to more than `BOMB`, is made to do harm."""
BOMB = 100 << 20
OUTSIDE = ".."


def members(source: Source) -> list[Source]:
    """The files of an archive in the order of their names, those of the system left out."""
    data = _bytes(source)
    with careful(source.name, "a zip archive"), zipfile.ZipFile(data()) as archive:
        infos = [info for info in archive.infolist() if _is_content(info.filename)]
        refuse_harm(source.name, infos)
        _refuse_outside(source.name, infos)
    return [
        Source(info.filename, info.file_size, _Opener(source.name, data, info))
        for info in sorted(infos, key=lambda info: info.filename)
    ]


def _bytes(source: Source) -> _Bytes:
    return _Bytes(source)


class _Bytes:
    """The archive's bytes as something that can be searched: a file, or memory."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __call__(self) -> BinaryIO:
        """Open the archive's bytes anew."""
        if self.source.packed:
            return io.BytesIO(self.source.whole())
        return self.source.opener()


class _Opener:
    """Opens one member of an archive: by its place, since two may have the same name."""

    def __init__(self, file: str, data: _Bytes, member: zipfile.ZipInfo) -> None:
        self.file, self.data, self.member = file, data, member

    def __call__(self) -> BinaryIO:
        """The member's bytes from its start."""
        with careful(f"{self.file}/{self.member.filename}", "a member of a zip archive"):
            return cast(BinaryIO, zipfile.ZipFile(self.data()).open(self.member))


def _is_content(name: str) -> bool:
    parts = PurePosixPath(name).parts
    of_system = (p != OUTSIDE and (p[0] == "." or p == "__MACOSX") for p in parts)
    return not name.endswith("/") and not any(of_system)


def refuse_harm(file: str, infos: list[zipfile.ZipInfo]) -> None:
    """Raise InputError for members that are encrypted, too many or made to fill the disk."""
    if len(infos) > MOST_MEMBERS:
        raise InputError(f"holds {len(infos):,} files; {MOST_MEMBERS:,} at most.", file=file)
    if sum(info.file_size for info in infos) > MOST_UNPACKED:
        raise InputError(
            f"unpacks to more than {MOST_UNPACKED >> 30} GB: import its files one by one.",
            file=file,
        )
    for info in infos:
        if info.flag_bits & 1:
            raise InputError(f"{info.filename!r} in it is encrypted: pack it anew.", file=file)
        if info.file_size > max(BOMB, MOST_TIMES * info.compress_size):
            raise InputError(
                f"{info.filename!r} in it unpacks to {info.file_size / info.compress_size:,.0f} "
                "times its size, which no text does.",
                file=file,
            )


def _refuse_outside(file: str, infos: list[zipfile.ZipInfo]) -> None:
    for info in infos:
        if OUTSIDE in PurePosixPath(info.filename).parts:
            raise InputError(
                f"{info.filename!r} in it names a place outside of the archive: pack it anew.",
                file=file,
            )


def refuse_bomb(source: Source) -> None:
    """Refuse a workbook (which is a zip archive) that would fill the memory."""
    with careful(source.name, "a workbook"), source.open() as opened:
        infos = zipfile.ZipFile(opened).infolist()
    refuse_harm(source.name, infos)
    if sum(info.file_size for info in infos) > MOST_IN_MEMORY:
        raise InputError(
            f"unpacks to more than {MOST_IN_MEMORY >> 30} GB: save it as CSV.", file=source.name
        )


def is_workbook(source: Source) -> bool:
    """Whether an archive is an Excel workbook, whatever it is called."""
    with careful(source.name, "a zip archive"), source.open() as opened:
        return any(name.startswith("xl/") for name in zipfile.ZipFile(opened).namelist())


def named(sources: list[Source], most: int = 5) -> str:
    """Some names of members, for a message."""
    shown: Iterator[str] = (source.name for source in sources[:most])
    return ", ".join(shown) + (" …" if len(sources) > most else "")
