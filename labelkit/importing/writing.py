"""Writing a looked-at file: one transaction, so that all of it is in or none of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from labelkit.errors import Conflict, InputError
from labelkit.importing.columns import ImportedJudgment
from labelkit.importing.preview import ImportPreview, preview
from labelkit.model import Role
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    pairs,
    people,
    queries,
    rubrics,
)

MOST_PROBLEMS = 5
NO_REASON = "imported without a reason"
"""Neither this nor the provenance names the file: its name may be a person's, and is frozen."""


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
    return import_files(workspace, kind, [path], rater=rater)[0]


def import_files(
    workspace: Workspace, kind: str, paths: Sequence[str | Path], *, rater: str | None = None
) -> list[ImportReport]:
    """Import several files in one transaction: all of them, or nothing.

    Raises InputError as `import_file` does.
    """
    looked_at = [preview(workspace, kind, Path(path).name, _bytes(Path(path))) for path in paths]
    for one in looked_at:
        _refuse_problems(one)
    with workspace.writing() as db:
        return [_write_file(db, one, rater) for one in looked_at]


def _bytes(path: Path) -> bytes:
    if not path.is_file():
        raise InputError("there is no such file; check the path.", file=path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}.", file=path) from None


def apply(
    workspace: Workspace, looked_at: ImportPreview, *, rater: str | None = None
) -> ImportReport:
    """Write what was looked at, in one transaction.

    Raises InputError where the preview has problems or the workspace changed meanwhile.
    """
    _refuse_problems(looked_at)
    with workspace.writing() as db:
        return _write_file(db, looked_at, rater)


def _refuse_problems(looked_at: ImportPreview) -> None:
    if looked_at.problems:
        raise InputError(_summary(looked_at), file=looked_at.file)


def _write_file(db: Connection, looked_at: ImportPreview, rater: str | None) -> ImportReport:
    if looked_at.kind == "documents":
        return _documents(db, looked_at)
    if looked_at.kind == "queries":
        done = queries.save(db, looked_at.items)
        return _report(looked_at, done.added, done.changed, done.unchanged)
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


def _documents(db: Connection, looked_at: ImportPreview) -> ImportReport:
    done = documents.save(db, looked_at.items)
    changed = set(done.changed)
    touched = sum(j.doc_id in changed for j in judgments.current(db)) if changed else 0
    return _report(looked_at, done.added, len(changed), done.unchanged, touched)


def _judgments(db: Connection, looked_at: ImportPreview, rater: str | None) -> ImportReport:
    items: Sequence[ImportedJudgment] = looked_at.items
    version = rubrics.ensure(db)
    raters = _raters(db, items, rater or f"import {Path(looked_at.file).stem}")
    pairs.add(db, [(item.query_id, item.doc_id) for item in items], "import")
    added = sum(_write(db, item, raters, version, looked_at.file) for item in items)
    return _report(looked_at, added, 0, len(items) - added)


def _raters(db: Connection, items: Sequence[ImportedJudgment], default: str) -> Mapping[str, str]:
    names = sorted({item.rater for item in items})
    return {name: people.save(db, name or default, [Role.RATER]).person_id for name in names}


def _write(
    db: Connection,
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
    reason = item.reason.strip() or NO_REASON
    said = (item.level, item.cause, reason)
    mine = [j for j in judgments.of_pair(db, pair.pair_id) if j.person_id == person_id]
    if said in [(held.level, held.cause, held.reason) for held in mine]:
        return False
    if judgments.last_event(db, pair.pair_id, person_id, version) is not None:
        before = mine[-1].level if mine else "nothing (it was undone)"
        raise InputError(
            f"nothing was imported. {item.query_id} with {item.doc_id} was judged by "
            f"{item.rater or 'this rater'} as {before} before, for another reason or at another "
            f"level than in this file ({item.level}): name another rater, or take the row out.",
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
        provenance=item.provenance or "import",
    )
    if item.round == "second":
        pairs.raise_quota(db, [pair.pair_id], 2)
    return True
