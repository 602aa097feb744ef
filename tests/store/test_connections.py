"""Connections are used again, and nothing of one use reaches the next."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from labelkit.store import Workspace, meta


def test_a_file_put_in_the_place_of_another_is_read_anew(tmp_path: Path) -> None:
    first, second = (Workspace.create(tmp_path / name, name) for name in ("first", "second"))
    assert first.name == "first"
    with second.writing() as db:
        db.execute("select 1")
    for end in ("-wal", "-shm"):
        Path(f"{first.database}{end}").unlink(missing_ok=True)
    with sqlite3.connect(second.database) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    shutil.copy(second.database, tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(first.database)
    assert first.name == "second"


def test_what_broke_off_leaves_nothing_behind(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w", "Kept")
    with pytest.raises(sqlite3.OperationalError), workspace.writing() as db:
        _break_off(db)
    assert workspace.name == "Kept"
    with pytest.raises(sqlite3.OperationalError), workspace.reading() as db:
        _break_off(db)
    meta.put(workspace, "name", "New")
    assert workspace.name == "New"


def test_a_reader_cannot_write_after_a_writer_used_its_connection(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w", "Kept")
    with workspace.reading() as db, pytest.raises(sqlite3.OperationalError):
        db.execute("update meta set value = 'Lost' where key = 'name'")
    meta.put(workspace, "name", "New")
    with workspace.reading() as db, pytest.raises(sqlite3.OperationalError):
        db.execute("update meta set value = 'Lost' where key = 'name'")


def test_many_threads_never_share_one_at_the_same_time(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w", "0")

    def count(number: int) -> None:
        for _ in range(20):
            with workspace.writing() as db:
                held = db.execute("select value from meta where key = 'name'").fetchone()[0]
                db.execute("update meta set value = ? where key = 'name'", (str(int(held) + 1),))
            assert int(workspace.name) >= 1

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(count, range(12)))
    assert workspace.name == "240"


def _break_off(db: sqlite3.Connection) -> None:
    db.execute("update meta set value = 'Lost' where key = 'name'")
    db.execute("select nothing")
