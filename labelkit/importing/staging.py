"""Filling a stage with the documents of files of any size; the live tables are not touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from labelkit.formats.source import Source
from labelkit.formats.tables import Problem, Row
from labelkit.importing import cells, checks, near, values
from labelkit.importing.options import ImportOptions
from labelkit.importing.preview import headers_of, open_reading, require_columns
from labelkit.store import Workspace
from labelkit.store.staging import Stage

Progress = Callable[[int, int, str], None]

ROWS_BETWEEN_REPORTS = 2000
MOST_PROBLEMS_KEPT = 10_000


@dataclass(slots=True)
class Staging:
    """What is known of files while they are staged."""

    file: str
    sha256: str = ""
    unit: str = "line"
    problems: list[Problem] = field(default_factory=list)
    more: int = 0
    folded: int = 0
    notes: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    how: dict[str, str] = field(default_factory=dict)

    def refuse(self, problem: Problem) -> None:
        """Keep a problem, or count it where there are very many."""
        if len(self.problems) < MOST_PROBLEMS_KEPT:
            self.problems.append(problem)
        else:
            self.more += 1


def fill(
    workspace: Workspace,
    stage: Stage,
    sources: Sequence[Source],
    options: ImportOptions,
    progress: Progress,
) -> Staging:
    """Stage the documents of some files; the live tables are not touched."""
    staging = Staging(", ".join(source.name for source in sources))
    for number, source in enumerate(sources):
        _fill_from(workspace, stage, staging, number, source, options, progress)
    hashes = [source.sha256() for source in sources]
    staging.sha256 = hashes[0] if len(hashes) == 1 else sha256("".join(hashes).encode()).hexdigest()
    if pairs := stage.alike(near.MOST + 1):
        staging.notes.append(near.warning(pairs, "document"))
    empty, first = stage.without_text()
    staging.notes += [checks.without_text(empty, first)] if empty else []
    stage.seal()
    return staging


def _fill_from(
    workspace: Workspace,
    stage: Stage,
    staging: Staging,
    number: int,
    source: Source,
    options: ImportOptions,
    progress: Progress,
) -> None:
    opened = open_reading("documents", source, options)
    headers = headers_of(workspace, "documents", opened, options)
    require_columns("documents", opened, headers, options)
    staging.columns, staging.headers, staging.how = opened.columns, headers, dict(opened.how)
    staging.unit = opened.unit
    staging.notes += opened.notes
    for count, one in enumerate(opened.rows()):
        if count % ROWS_BETWEEN_REPORTS == 0:
            progress(source.read_so_far >> 10, source.size >> 10, f"reading {source.name} (KB)")
        if isinstance(one, Row):
            _stage_row(stage, staging, number, one, headers)
        else:
            staging.refuse(one)


def _stage_row(
    stage: Stage, staging: Staging, file: int, row: Row, headers: dict[str, str]
) -> None:
    try:
        document = values.document(row.values, headers)
    except cells.Wrong as error:
        staging.refuse(Problem(row.line, error.column, error.message))
        return
    before = stage.put(document, file, row.line, near.plain(document.doc_id))
    if before is None:
        return
    if before.same:
        staging.folded += 1
        return
    where = f"{before.line}" + (f" of file {before.file + 1}" if before.file != file else "")
    staging.refuse(Problem(row.line, "", checks.twice([document.doc_id], where)))
