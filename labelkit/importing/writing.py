"""Writing a looked-at file: one transaction, so that all of it is in or none of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labelkit.errors import Conflict, InputError
from labelkit.formats import reading
from labelkit.formats.source import from_path
from labelkit.importing import checks, runs
from labelkit.importing.coming import NOTHING
from labelkit.importing.options import ImportOptions
from labelkit.importing.preview import DEFAULT, ImportPreview, look, preview
from labelkit.importing.reports import ImportReport, record_of, refusal, report
from labelkit.importing.values import ImportedJudgment
from labelkit.model import Role
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    imports,
    judgments,
    pairs,
    people,
    queries,
    rubrics,
)

NO_REASON = "imported without a reason"
"""Neither this nor the provenance names the file: its name may be a person's, and is frozen."""


def import_file(
    workspace: Workspace,
    kind: str,
    path: str | Path,
    *,
    rater: str | None = None,
    options: ImportOptions = DEFAULT,
    by: str = "",
) -> ImportReport:
    """Import a file from the disk; `rater` names who judged where the file does not.

    Raises InputError with the first problems, by line, where anything is wrong.
    """
    return import_files(workspace, kind, [path], rater=rater, options=options, by=by)[0]


def import_files(
    workspace: Workspace,
    kind: str,
    paths: Sequence[str | Path],
    *,
    rater: str | None = None,
    options: ImportOptions = DEFAULT,
    by: str = "",
) -> list[ImportReport]:
    """Import several files in one transaction: all of them, or nothing.

    `by` is recorded as who did it. Raises InputError as `import_file` does.
    """
    looked_at = [preview_path(workspace, kind, path, options) for path in paths]
    return write_all(workspace, looked_at, rater=rater, by=by)


def preview_path(
    workspace: Workspace, kind: str, path: str | Path, options: ImportOptions = DEFAULT
) -> ImportPreview:
    """Look at a file, or at a folder of text files, on the disk."""
    path = Path(path)
    if not path.is_dir():
        return preview(workspace, kind, path.name, from_path(path), options=options)
    opened = reading.open_path(path, options.read, kind)
    return look(workspace, kind, opened, options, NOTHING)


def write_all(
    workspace: Workspace,
    looked_at: Sequence[ImportPreview],
    *,
    rater: str | None = None,
    by: str = "",
) -> list[ImportReport]:
    """Write what was looked at, all of it in one transaction.

    Raises InputError where a preview has problems or the workspace changed meanwhile.
    """
    for one in looked_at:
        refuse_problems(one)
    with workspace.writing() as db:
        return [write(db, workspace, one, rater, by) for one in looked_at]


def apply(
    workspace: Workspace, looked_at: ImportPreview, *, rater: str | None = None, by: str = ""
) -> ImportReport:
    """Write one file that was looked at, as `write_all` does."""
    return write_all(workspace, [looked_at], rater=rater, by=by)[0]


def refuse_problems(looked_at: ImportPreview) -> None:
    """Raise InputError with the first problems, where there are any."""
    if looked_at.problems:
        raise refusal(looked_at.file, looked_at.problems, looked_at.unit)


def write(
    db: Connection, workspace: Workspace, looked_at: ImportPreview, rater: str | None, by: str
) -> ImportReport:
    """Write one file inside the caller's transaction, and record it where it changed anything."""
    if looked_at.kind == "documents":
        done = _documents(db, looked_at)
    elif looked_at.kind == "queries":
        changes = queries.save(db, looked_at.items)
        done = report(looked_at, changes.added, changes.changed, changes.unchanged)
    elif looked_at.kind == "runs":
        done = runs.write(workspace, looked_at)
    else:
        done = _judgments(db, looked_at, rater)
    if done.added or done.changed:
        imports.add(db, record_of(looked_at, done, by))
    return done


def _documents(db: Connection, looked_at: ImportPreview) -> ImportReport:
    done = documents.save(db, looked_at.items)
    touched = checks.touched(db, set(done.changed))
    return report(looked_at, done.added, len(done.changed), done.unchanged, touched)


def _judgments(db: Connection, looked_at: ImportPreview, rater: str | None) -> ImportReport:
    items: Sequence[ImportedJudgment] = looked_at.items
    version = rubrics.ensure(db)
    raters = _raters(db, items, rater or f"import {Path(looked_at.file).stem}")
    pairs.add(db, [(item.query_id, item.doc_id) for item in items], "import")
    spoken = {person_id: judgments.pairs_of(db, person_id) for person_id in raters.values()}
    added = 0
    for item in items:
        person_id = raters[item.rater]
        added += _write(db, item, person_id, version, spoken[person_id], looked_at.file)
    return report(looked_at, added, 0, len(items) - added)


def _raters(db: Connection, items: Sequence[ImportedJudgment], default: str) -> Mapping[str, str]:
    names = sorted({item.rater for item in items})
    return {name: people.save(db, name or default, [Role.RATER]).person_id for name in names}


def _write(
    db: Connection,
    item: ImportedJudgment,
    person_id: str,
    version: int,
    spoken: set[int],
    file: str,
) -> bool:
    """Write one imported judgment, unless the same one stands; returns whether it was new."""
    pair = pairs.find(db, item.query_id, item.doc_id)
    if pair is None:
        raise Conflict(f"The pair {item.query_id} with {item.doc_id} is gone: import again.")
    reason = item.reason.strip() or NO_REASON
    if pair.pair_id in spoken and _stands(db, item, pair.pair_id, person_id, version, reason, file):
        return False
    judgments.append(
        db,
        pair_id=pair.pair_id,
        person_id=person_id,
        rubric_version=version,
        level=item.level,
        cause=item.cause,
        reason=reason,
        round=item.round,
        provenance=item.provenance or "import",
    )
    if item.round == "second":
        pairs.raise_quota(db, [pair.pair_id], 2)
    return True


def _stands(
    db: Connection,
    item: ImportedJudgment,
    pair_id: int,
    person_id: str,
    version: int,
    reason: str,
    file: str,
) -> bool:
    """Whether this person said just that before; raises InputError where it was something else."""
    mine = [j for j in judgments.of_pair(db, pair_id) if j.person_id == person_id]
    if (item.level, item.cause, reason) in [(j.level, j.cause, j.reason) for j in mine]:
        return True
    if judgments.last_event(db, pair_id, person_id, version) is None:
        return False
    before = mine[-1].level if mine else "nothing (it was undone)"
    raise InputError(
        f"nothing was imported. {item.query_id} with {item.doc_id} was judged by "
        f"{item.rater or 'this rater'} as {before} before, for another reason or at another "
        f"level than in this file ({item.level}): name another rater, or take the row out.",
        file=file,
    )
