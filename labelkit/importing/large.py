"""Documents of any number: staged beside the live tables, then merged; all of them or nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from labelkit.formats.source import Source, from_path
from labelkit.formats.tables import Problem
from labelkit.importing.merging import alone, folder, merge, silent, sweep_alone
from labelkit.importing.options import ImportOptions
from labelkit.importing.preview import DEFAULT
from labelkit.importing.reports import ImportReport, refusal
from labelkit.importing.staging import Progress, Staging, fill
from labelkit.store import Workspace
from labelkit.store.staging import Stage

LARGE = 20 << 20
"""From so many bytes on documents are staged; smaller files come in by one transaction."""


OnProblems = Callable[[list[Problem], str], None]


def keep_quiet(problems: list[Problem], unit: str) -> None:
    """Do nothing with problems: the first of them are in the error."""


def is_large(kind: str, paths: Sequence[str | Path]) -> bool:
    """Whether files are to be staged."""
    sizes = (Path(path).stat().st_size for path in paths if Path(path).is_file())
    return kind == "documents" and max(sizes, default=0) >= LARGE


def import_documents(
    workspace: Workspace,
    paths: Sequence[str | Path],
    *,
    options: ImportOptions = DEFAULT,
    by: str = "",
    progress: Progress = silent,
    name: str = "",
    on_problems: OnProblems = keep_quiet,
) -> ImportReport:
    """Import documents of any number, all of the files or nothing.

    `name` is what the files are called where that is not their own name; `on_problems` is given
    every problem before they are refused. Raises InputError with the first problems, Conflict
    where another such import is under way.
    """
    sources = [from_path(path) for path in paths]
    if name:
        sources[0].name = name
    with staged(workspace, sources, options, progress, on_problems) as (stage, staging):
        return merge(workspace, stage, staging, options, by, progress)


@contextmanager
def staged(
    workspace: Workspace,
    sources: Sequence[Source],
    options: ImportOptions,
    progress: Progress,
    on_problems: OnProblems = keep_quiet,
) -> Iterator[tuple[Stage, Staging]]:
    """Documents in a stage that is thrown away afterwards; no other large import runs meanwhile.

    Raises as `import_documents` does.
    """
    with alone(workspace):
        sweep_alone(workspace)
        stage = Stage.new(folder(workspace) / f"{uuid.uuid4().hex}.stage")
        try:
            staging = fill(workspace, stage, sources, options, progress)
            if staging.problems:
                on_problems(staging.problems, staging.unit)
                raise refusal(staging.file, staging.problems, staging.unit, staging.more)
            yield stage, staging
        finally:
            stage.discard()
