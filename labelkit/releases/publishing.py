"""Putting a release in its place: a crash at any moment leaves whole releases only."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labelkit.errors import AlreadyFrozen
from labelkit.releases import content
from labelkit.store import Workspace
from labelkit.store import releases as records
from labelkit.store.releases import ReleaseRow

ABANDONED = 3600.0
"""Seconds after which a folder that was being built is taken for a killed freeze's."""


def publish(
    workspace: Workspace, person_id: str, manifest: Mapping[str, Any], files: dict[str, bytes]
) -> Path:
    """Write beside, record in the database, rename, commit: a crash leaves no half release.

    A folder without its record, left by a crash just before the commit, is no release yet:
    `find` does not know it, and the next freeze under the tag takes its place. It is set aside
    under another name, not removed: after a database was put back from a backup, such a folder is
    a release that others may have.
    """
    folder = workspace.releases / manifest["tag"]
    workspace.releases.mkdir(exist_ok=True)
    building = workspace.releases / f".building-{uuid.uuid4().hex}"
    building.mkdir()
    _sweep(workspace.releases)
    try:
        write_folder(building, manifest, files)
        with workspace.writing() as db:
            if records.get(db, manifest["tag"]) is not None:
                raise AlreadyFrozen(f"{manifest['tag']!r} was frozen by someone else just now.")
            records.insert(
                db,
                ReleaseRow(
                    manifest["tag"],
                    manifest["content_sha256"],
                    manifest,
                    person_id,
                    manifest["frozen_at"],
                ),
            )
            if folder.exists():
                _set_aside(folder)
            building.rename(folder)
            _flush(workspace.releases)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return folder


def _set_aside(folder: Path) -> None:
    number = 1
    while (aside := folder.with_name(f"{folder.name}.unrecorded-{number}")).exists():
        number += 1
    folder.rename(aside)


def _sweep(folder: Path) -> None:
    """Remove what freezes that were killed have left; one at work is never that old."""
    for left in folder.glob(".building-*"):
        if time.time() - left.stat().st_mtime > ABANDONED:
            shutil.rmtree(left, ignore_errors=True)


def write_folder(folder: Path, manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Write a release's files, its manifest and their sums, flushed to the disk."""
    everything = {**files, content.MANIFEST: content.manifest(manifest)}
    sums = content.sums({name: content.sha256(data) for name, data in everything.items()})
    for name, data in {**everything, content.SUMS: sums}.items():
        with open(folder / name, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    _flush(folder)


def _flush(folder: Path) -> None:
    """Make a folder's entries last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
