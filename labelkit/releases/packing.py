"""A release as a zip, out and in; nothing in a zip that somebody sent is trusted."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from labelkit.errors import InputError
from labelkit.formats.archives import refuse_harm
from labelkit.formats.foreign import careful
from labelkit.releases.content import ATTRIBUTES, CONTENT_FILES, MANIFEST, SUMS
from labelkit.releases.reading import untouched
from labelkit.store import Workspace

FILES = {*CONTENT_FILES, ATTRIBUTES, MANIFEST, SUMS, "agreement.json", "history.jsonl"}
"""Every file that a release can have."""


def archive(folder: Path, workspace: Workspace | None = None) -> bytes:
    """The release as a zip file for download; the same release gives the same bytes.

    Raises InputError naming every file that changed.
    """
    untouched(folder, workspace)
    return zipped({f"{folder.name}/{one.name}": one.read_bytes() for one in folder.iterdir()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Files by name as a zip; the same files give the same bytes, whenever it is made."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archived:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            archived.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpack(zip_file: str | Path | BinaryIO, into: Path, name: str = "the zip") -> Path:
    """Lay the files of a zipped release out in a new folder, and return the folder.

    Files are written under the names of a release's files and no others, wherever the zip says
    they belong. Raises InputError for what is no zip, holds other files, or would fill the disk.
    """
    with careful(name, "a zip archive"), zipfile.ZipFile(zip_file) as archive:
        found = [one for one in archive.infolist() if not _of_the_system(one)]
        refuse_harm(name, found)
        _check(name, [one.filename for one in found])
        into.mkdir(parents=True)
        for one in found:
            (into / PurePosixPath(one.filename).name).write_bytes(archive.read(one))
    return into


def _of_the_system(one: zipfile.ZipInfo) -> bool:
    """Folders, and what a Mac adds to every zip."""
    path = PurePosixPath(one.filename)
    return one.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name == ".DS_Store"


def _check(name: str, members: list[str]) -> None:
    paths = [PurePosixPath(member) for member in members]
    other = [member for member, path in zip(members, paths, strict=True) if path.name not in FILES]
    if other:
        raise InputError(
            f"{other[0]!r} in it is no file of a release: zip a release's folder, or download it "
            "from the Releases page.",
            file=name,
        )
    if len({path.parent for path in paths}) > 1 or len(set(paths)) < len(paths):
        raise InputError("holds more than one release: send each in a zip of its own.", file=name)
    if not {MANIFEST, SUMS} <= {path.name for path in paths}:
        raise InputError(f"holds no release: {MANIFEST} or {SUMS} is missing.", file=name)
