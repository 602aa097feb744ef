"""A workspace: one folder with one SQLite file, and the only way to open a connection to it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from labelkit.errors import InputError, NotReady

DATABASE = "labelkit.db"
FileKey = tuple[Path, int, int, bool]
"""One file as it lies on the disk, and whether it is written to: another put in its place has
another key. Readers and writers keep apart, because turning query_only on or off makes SQLite
compile every statement again, which took most of a page's questions."""

_process_locks: dict[Path, threading.Lock] = {}
_keepers: dict[Path, sqlite3.Connection] = {}
_registry_lock = threading.Lock()
_inside = threading.local()
_idle: deque[tuple[FileKey, sqlite3.Connection]] = deque()

MOST_IDLE = 16
"""Connections kept for the next use, over all workspaces: opening one reads the whole schema,
which took more of a page's run than all its questions."""

STATEMENTS = 256
"""Compiled statements that a connection keeps."""


def now() -> str:
    """The present moment in UTC as ISO 8601 with microseconds, the form every table uses."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Workspace:
    """One project's folder. Cheap to build; holds no connection."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self.database = self.path / DATABASE

    @classmethod
    def create(cls, path: str | Path, name: str | None = None) -> Workspace:
        """Make the folder and its tables, or open what is there; `name` is the project's.

        Raises InputError where the folder holds other files but no workspace.
        """
        from labelkit.store import meta, schema

        workspace = cls(path)
        if not workspace.database.exists() and workspace.path.exists():
            foreign = [entry.name for entry in workspace.path.iterdir() if entry.name[0] != "."]
            if foreign:
                raise InputError(
                    f"{workspace.path} is not empty ({foreign[0]} …) and holds no {DATABASE}: "
                    "choose an empty or new folder for the workspace."
                )
        workspace.path.mkdir(parents=True, exist_ok=True)
        schema.migrate(workspace)
        if name is not None:
            meta.put(workspace, "name", name)
        return workspace

    @classmethod
    def open(cls, path: str | Path) -> Workspace:
        """Open a workspace that exists, bringing its tables up to date.

        Raises NotReady where there is none.
        """
        from labelkit.store import schema

        workspace = cls(path)
        if not workspace.database.exists():
            raise NotReady(
                f"There is no workspace at {workspace.path}. Make one with "
                f"'labelkit init --workspace {path}', or see the demo with 'make demo'."
            )
        if workspace.database not in _keepers:
            schema.migrate(workspace)
        return workspace

    def discard(self) -> None:
        """Take back a workspace whose making failed: its database, and its folder if empty."""
        with _registry_lock:
            held = [_keepers.pop(self.database, None)]
            held += [connection for key, connection in _idle if key[0] == self.database]
            kept = [one for one in _idle if one[0][0] != self.database]
            _idle.clear()
            _idle.extend(kept)
        for connection in filter(None, held):
            connection.close()
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", ".write.lock"):
            (self.path / name).unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    @property
    def name(self) -> str:
        """The project's name."""
        from labelkit.store import meta

        return meta.get(self, "name") or self.path.name

    @property
    def releases(self) -> Path:
        """The folder that holds one folder per release."""
        return self.path / "releases"

    @property
    def runs(self) -> Path:
        """The folder that holds one folder per benchmark run."""
        return self.path / "runs"

    @property
    def cache(self) -> Path:
        """The folder of the embedding cache."""
        return self.path / "cache"

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A short connection for reading one consistent state."""
        with self._saying_damage(), self._lent(for_writing=False) as connection:
            connection.execute("begin")
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """A short connection inside BEGIN IMMEDIATE: all of the block, or nothing.

        Not `durable` is for what may be gone after a power cut, such as who has a pair open: it
        does not wait for the disk.

        Writers of this process take turns by a lock and those of other processes by a file
        lock, so that no two connections ever checkpoint at once (SQLite before 3.51.3 can
        lose a commit then).
        """
        with self._process_lock(), self._file_lock(), self._saying_damage():
            self._keep()
            with self._lent(for_writing=True) as connection:
                connection.execute(f"pragma synchronous={'full' if durable else 'normal'}")
                connection.execute("begin immediate")
                yield connection
                connection.execute("commit")

    @contextmanager
    def _lent(self, *, for_writing: bool) -> Iterator[sqlite3.Connection]:
        """A connection that nobody else uses meanwhile; one that saw an error is not used again.

        What its block leaves open is rolled back.
        """
        key = self._file_key(for_writing)
        connection = _take_idle(key) or self._connect(for_writing)
        try:
            yield connection
            if connection.in_transaction:
                connection.execute("rollback")
        except BaseException:
            connection.close()
            raise
        _put_idle(key or self._file_key(for_writing), connection)

    def _file_key(self, for_writing: bool) -> FileKey | None:
        try:
            found = self.database.stat()
        except OSError:
            return None
        return self.database, found.st_dev, found.st_ino, for_writing

    @contextmanager
    def _saying_damage(self) -> Iterator[None]:
        """Turn SQLite's word for a damaged or foreign file into one with a next step."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a subclass says something else
                raise
            raise InputError(
                f"{error}: the file is damaged or is no workspace's; put a backup in its place.",
                file=self.database,
            ) from error

    def _connect(self, for_writing: bool) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.database,
            timeout=30,
            isolation_level=None,
            check_same_thread=False,  # lent to one thread at a time
            cached_statements=STATEMENTS,
        )
        connection.row_factory = sqlite3.Row
        connection.execute("pragma foreign_keys=on")
        # REPLACE deletes the old row without its delete trigger unless this is on.
        connection.execute("pragma recursive_triggers=on")
        if not for_writing:
            connection.execute("pragma query_only=on")
        return connection

    def _keep(self) -> None:
        """Hold one idle connection open: the last close of a file would checkpoint."""
        with _registry_lock:
            if self.database not in _keepers:
                keeper = sqlite3.connect(self.database, timeout=30, check_same_thread=False)
                keeper.execute("pragma journal_mode=wal")
                _keepers[self.database] = keeper

    @contextmanager
    def _process_lock(self) -> Iterator[None]:
        with _registry_lock:
            lock = _process_locks.setdefault(self.database, threading.Lock())
        if getattr(_inside, "writing", False):
            raise RuntimeError("writing() inside writing(): pass the open connection on instead")
        with lock:
            _inside.writing = True
            try:
                yield
            finally:
                _inside.writing = False

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        descriptor = os.open(self.path / ".write.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _take_idle(key: FileKey | None) -> sqlite3.Connection | None:
    """An idle connection to this very file, the last one used first."""
    with _registry_lock:
        for place in reversed(range(len(_idle))):
            if _idle[place][0] == key:
                connection = _idle[place][1]
                del _idle[place]
                return connection
    return None


def _put_idle(key: FileKey | None, connection: sqlite3.Connection) -> None:
    """Keep a connection for the next use; the one that was idle longest makes room."""
    if key is None:
        connection.close()
        return
    with _registry_lock:
        _idle.append((key, connection))
        oldest = _idle.popleft()[1] if len(_idle) > MOST_IDLE else None
    if oldest is not None:
        oldest.close()
