"""Merging a stage into the live tables by short transactions, so that no rater waits for more.

What is merged is unseen until the last of them. What a stop leaves is taken back, and what a
crash leaves is swept away, or finished, by the next import.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from labelkit.errors import Conflict
from labelkit.importing import checks
from labelkit.importing.options import ImportOptions
from labelkit.importing.reports import ImportReport, counts_of
from labelkit.importing.staging import Progress, Staging
from labelkit.store import Connection, Workspace, imports, judgments, now
from labelkit.store.imports import Record
from labelkit.store.staging import Stage, insert, revise, take_back

BETWEEN_PIECES = 0.005
"""Seconds between two transactions: time for a rater's save that waits, locks not being fair."""

MOST_REVISED_AT_ONCE = 2000


Also = Callable[[Connection], None]


def nothing_more(db: Connection) -> None:
    """Write nothing beside the documents."""


def silent(done: int, total: int, message: str) -> None:
    """Report nothing."""


def folder(workspace: Workspace) -> Path:
    """Where uploads and stages lie while they are needed."""
    path = workspace.path / "imports"
    path.mkdir(exist_ok=True)
    return path


@contextmanager
def alone(workspace: Workspace) -> Iterator[None]:
    """Hold the workspace's import lock; it is free again when this process ends, however."""
    descriptor = os.open(folder(workspace) / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Conflict(
            "Another large import is under way: wait for it, or cancel it, and import again."
        ) from None
    try:
        yield
    finally:
        os.close(descriptor)


def merge(
    workspace: Workspace,
    stage: Stage,
    staging: Staging,
    options: ImportOptions,
    by: str,
    progress: Progress,
    also: Also = nothing_more,
) -> ImportReport:
    """Merge what is staged; `also` is called inside the transaction that makes it seen."""
    total = stage.count()
    with workspace.reading() as live:
        for done in stage.compare(live):
            progress(done, total, "comparing")
        changed, unchanged = stage.fates()
        judged = {judgment.doc_id for judgment in judgments.current(live)}
        touched = checks.touched(live, stage.changed_among(judged))
    report = ImportReport(
        "documents",
        staging.file,
        total - changed - unchanged,
        changed,
        unchanged,
        staging.folded,
        len(touched),
        tuple(staging.notes),
        touched=touched,
    )
    if report.added or report.changed:
        _write(workspace, stage, _record(staging, options, by), report, progress, also)
    else:
        with workspace.writing() as db:
            also(db)
    return report


def _record(staging: Staging, options: ImportOptions, by: str) -> Record:
    return Record(
        "documents",
        staging.file,
        staging.sha256,
        staging.columns,
        staging.headers,
        {"read as": staging.how, **options.as_dict()},
        imported_by=by,
        state="merging",
    )


def _write(
    workspace: Workspace,
    stage: Stage,
    record: Record,
    report: ImportReport,
    progress: Progress,
    also: Also,
) -> None:
    with workspace.writing() as db:
        import_id = imports.add(db, record)
    seen, at_once = False, report.changed <= MOST_REVISED_AT_ONCE
    try:
        _add_new(workspace, stage, import_id, report.added, progress)
        if not at_once:
            stage.move(_kept(workspace, import_id))
        with workspace.writing() as db:
            if at_once:
                for piece in stage.changed_pieces():
                    revise(db, piece)
            also(db)
            imports.end(db, import_id, "done" if at_once else "revising", counts_of(report))
        seen = True
    finally:
        if not seen:
            _take_back(workspace, import_id)
    if not at_once:
        _revise_rest(workspace, stage, import_id, counts_of(report), progress)


def _add_new(
    workspace: Workspace, stage: Stage, import_id: int, total: int, progress: Progress
) -> None:
    done, moment = 0, now()
    for piece in stage.new_pieces():
        progress(done, total, "writing; nothing is seen before the end")
        with workspace.writing() as db:
            insert(db, import_id, piece, moment)
        done += len(piece)
        time.sleep(BETWEEN_PIECES)
    progress(done, total, "written")


def _revise_rest(
    workspace: Workspace, stage: Stage, import_id: int, counts: dict[str, int], progress: Progress
) -> None:
    """Revise so many documents that one transaction would keep raters waiting.

    From here on the import cannot be taken back: one that is cut off is finished by the next.
    """
    done = 0
    for piece in stage.changed_pieces():
        progress(done, counts["changed"], "revising")
        with workspace.writing() as db:
            revise(db, piece)
        done += len(piece)
        time.sleep(BETWEEN_PIECES)
    with workspace.writing() as db:
        imports.end(db, import_id, "done", counts)


def _kept(workspace: Workspace, import_id: int) -> Path:
    """Where the stage of an import lies while its changed documents are revised."""
    return folder(workspace) / f"{import_id}.revising"


def _take_back(workspace: Workspace, import_id: int) -> None:
    left = True
    while left:
        with workspace.writing() as db:
            left = take_back(db, import_id)
        time.sleep(BETWEEN_PIECES)


def sweep(workspace: Workspace) -> None:
    """Remove or finish what a process that died left of a large import."""
    with workspace.reading() as db:
        unfinished = imports.unfinished(db)
    if not unfinished and not any(_stages(workspace)):
        return
    try:
        with alone(workspace):
            sweep_alone(workspace)
    except Conflict:
        return  # it is under way


def sweep_alone(workspace: Workspace) -> None:
    """The same, by who holds the lock."""
    with workspace.reading() as db:
        left = imports.unfinished(db)
    for record in left:
        if record.state == "merging":
            _take_back(workspace, record.import_id)
        else:
            _finish(workspace, record)
    for path in _stages(workspace):
        path.unlink(missing_ok=True)


def _stages(workspace: Workspace) -> Iterator[Path]:
    """Stages on the disk; a process that died before it merged is known by nothing else."""
    return folder(workspace).glob("*.stage*")


def _finish(workspace: Workspace, record: Record) -> None:
    path = _kept(workspace, record.import_id)
    if not path.exists():
        raise Conflict(
            f"The import of {record.file} was cut off while it revised documents, and {path} is "
            "gone: import the file again."
        )
    stage = Stage(path)
    _revise_rest(workspace, stage, record.import_id, dict(record.counts), silent)
    stage.discard()
