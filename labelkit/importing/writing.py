"""Writing a looked-at file: one transaction, so that all of it is in or none of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from labelkit.errors import Conflict, InputError
from labelkit.importing.columns import ImportedJudgment
from labelkit.importing.preview import ImportPreview, preview
from labelkit.model import Role
from labelkit.store import Workspace, documents, judgments, pairs, people, queries, rubrics

MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, in counts; `changed` are documents whose content is new."""

    kind: str
    file: str
    added: int
    changed: int
    unchanged: int
    folded: int
    judgments_touched: int = 0
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The report as plain values."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        """The report in words."""
        if not self.added and not self.changed:
            return f"{self.file}: nothing changed; all {self.unchanged} {self.kind} are here."
        parts = [f"{self.added} {self.kind} added"]
        parts += [f"{self.changed} changed"] if self.changed else []
        parts += [f"{self.unchanged} unchanged"] if self.unchanged else []
        parts += [f"{self.folded} repeated rows folded"] if self.folded else []
        if self.judgments_touched:
            parts.append(f"{self.judgments_touched} judgments stand on the old text")
        return " ".join([f"{self.file}: {', '.join(parts)}.", *self.notes])


def import_file(
    workspace: Workspace, kind: str, path: str | Path, *, rater: str | None = None
) -> ImportReport:
    """Import a file from the disk; `rater` names who judged where the file does not.

    Raises InputError with the first problems, by line, where anything is wrong.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such file; check the path.", file=path)
    return apply(workspace, preview(workspace, kind, path.name, path.read_bytes()), rater=rater)


def apply(
    workspace: Workspace, looked_at: ImportPreview, *, rater: str | None = None
) -> ImportReport:
    """Write what was looked at, in one transaction.

    Raises InputError where the preview has problems or the workspace changed meanwhile.
    """
    if looked_at.problems:
        raise InputError(_summary(looked_at), file=looked_at.file)
    with workspace.writing() as db:
        if looked_at.kind == "documents":
            return _documents(db, looked_at)
        if looked_at.kind == "queries":
            added = queries.save(db, looked_at.items)
            return _report(looked_at, added.added, 0, added.unchanged)
        return _judgments(db, looked_at, rater)


def _summary(looked_at: ImportPreview) -> str:
    shown = [
        f"line {p.line}{f', column {p.column!r}' if p.column else ''}: {p.message}"
        for p in looked_at.problems[:MOST_PROBLEMS]
    ]
    more = len(looked_at.problems) - len(shown)
    tail = f"; and {more} more" if more > 0 else ""
    return f"nothing was imported. {'; '.join(shown)}{tail}."


def _report(
    looked_at: ImportPreview, added: int, changed: int, unchanged: int, touched: int = 0
) -> ImportReport:
    return ImportReport(
        looked_at.kind,
        looked_at.file,
        added,
        changed,
        unchanged,
        looked_at.folded,
        touched,
        looked_at.notes,
    )


def _documents(db: sqlite3.Connection, looked_at: ImportPreview) -> ImportReport:
    done = documents.save(db, looked_at.items)
    changed = set(done.changed)
    touched = sum(j.doc_id in changed for j in judgments.current(db)) if changed else 0
    return _report(looked_at, done.added, len(changed), done.unchanged, touched)


def _judgments(db: sqlite3.Connection, looked_at: ImportPreview, rater: str | None) -> ImportReport:
    items: Sequence[ImportedJudgment] = looked_at.items
    version = rubrics.ensure(db)
    raters = _raters(db, items, rater or f"import {Path(looked_at.file).stem}")
    pairs.add(db, [(item.query_id, item.doc_id) for item in items], "import")
    added = sum(_write(db, item, raters, version, looked_at.file) for item in items)
    return _report(looked_at, added, 0, len(items) - added)


def _raters(
    db: sqlite3.Connection, items: Sequence[ImportedJudgment], default: str
) -> Mapping[str, str]:
    names = sorted({item.rater for item in items})
    return {name: people.save(db, name or default, [Role.RATER]).person_id for name in names}


def _write(
    db: sqlite3.Connection,
    item: ImportedJudgment,
    raters: Mapping[str, str],
    version: int,
    file: str,
) -> bool:
    """Write one imported judgment, unless the same one stands; returns whether it was new."""
    pair = pairs.find(db, item.query_id, item.doc_id)
    if pair is None:
        raise Conflict(f"The pair {item.query_id} with {item.doc_id} is gone: import again.")
    person_id = raters[item.rater]
    held = judgments.last_event(db, pair.pair_id, person_id, version)
    reason = item.reason.strip() or f"imported from {file} without a reason"
    if held is not None:
        if (held.level, held.cause, held.reason) == (item.level, item.cause, reason):
            return False
        raise InputError(
            f"nothing was imported. {item.query_id} with {item.doc_id} was judged by "
            f"{item.rater or 'this rater'} as {held.level} before and is {item.level} in this "
            "file: name another rater, or take the row out.",
            file=file,
        )
    judgments.append(
        db,
        pair_id=pair.pair_id,
        person_id=person_id,
        rubric_version=version,
        level=item.level,
        cause=item.cause,
        reason=reason,
        round=item.round,
        provenance=item.provenance or f"import {file}",
    )
    if item.round == "second":
        pairs.raise_quota(db, [pair.pair_id], 2)
    return True
