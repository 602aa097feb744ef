"""What an import did or why it did nothing, in words, counts and rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from labelkit.errors import InputError
from labelkit.formats.spreadsheet import safe_csv
from labelkit.formats.tables import Problem
from labelkit.importing.checks import Touched
from labelkit.importing.counting import of_kind
from labelkit.importing.preview import ImportPreview
from labelkit.store.imports import Record
from labelkit.wording import counted

MOST_PROBLEMS = 5
TOUCHED_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, in counts; `changed` are documents whose content is new.

    `touched` are the judgments that stand on the old text of changed documents, `left_out` rows
    that were read as unjudged or point to what is not here.
    """

    kind: str
    file: str
    added: int
    changed: int
    unchanged: int
    folded: int
    judgments_touched: int = 0
    notes: tuple[str, ...] = ()
    left_out: int = 0
    touched: tuple[Touched, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The report as plain values."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        """The report in words."""
        if not self.added and not self.changed:
            return self._unchanged
        parts = [f"{of_kind(self.added, self.kind)} added"]
        parts += [f"{self.changed:,} changed"] if self.changed else []
        parts += [f"{self.unchanged:,} unchanged"] if self.unchanged else []
        parts += [f"{counted(self.folded, 'row')} folded into an earlier"] if self.folded else []
        parts += [f"{counted(self.left_out, 'row')} left out"] if self.left_out else []
        if self.judgments_touched:
            stand = counted(self.judgments_touched, "judgment stands", "judgments stand")
            parts.append(f"{stand} on the old text{self._which}")
        return " ".join([f"{self.file}: {', '.join(parts)}.", *self.notes])

    @property
    def _unchanged(self) -> str:
        """That everything was here before."""
        held = of_kind(self.unchanged, self.kind, "is", "are")
        said = f"{self.file}: nothing changed; {'' if self.unchanged == 1 else 'all '}{held} here."
        left = counted(self.left_out, "row was", "rows were")
        return said + (f" {left} left out." if self.left_out else "")

    @property
    def _which(self) -> str:
        """The first of the judgments that stand on an old text."""
        shown = [f"{one.query_id} with {one.doc_id}" for one in self.touched[:TOUCHED_SHOWN]]
        more = " …" if len(self.touched) > TOUCHED_SHOWN else ""
        return f" ({'; '.join(shown)}{more})" if shown else ""


def report(
    looked_at: ImportPreview,
    added: int,
    changed: int,
    unchanged: int,
    touched: Sequence[Touched] = (),
) -> ImportReport:
    """The report of a file that was written."""
    return ImportReport(
        looked_at.kind,
        looked_at.file,
        added,
        changed,
        unchanged,
        looked_at.folded,
        len(touched),
        looked_at.notes,
        looked_at.left_out,
        tuple(touched),
    )


def counts_of(done: ImportReport) -> dict[str, int]:
    """The counts that are recorded with an import."""
    names = ("added", "changed", "unchanged", "folded", "left_out", "judgments_touched")
    return {name: getattr(done, name) for name in names}


def record_of(looked_at: ImportPreview, done: ImportReport, by: str) -> Record:
    """An import as it is recorded: the file, how it was read, what it brought and who did it."""
    return Record(
        kind=looked_at.kind,
        file=looked_at.file,
        file_sha256=looked_at.sha256,
        columns=looked_at.columns,
        headers={k: v for k, v in looked_at.headers.items() if v in looked_at.columns},
        options={"read as": dict(looked_at.how), **looked_at.options.as_dict()},
        levels={grade.value: grade.level for grade in looked_at.grades},
        counts=counts_of(done),
        imported_by=by,
    )


def refusal(
    file: str, problems: Sequence[Problem], unit: str, more: int = 0, advice: str = ""
) -> InputError:
    """Why nothing of a file was imported; `more` problems are counted and not listed."""
    shown = [_problem(problem, unit) for problem in problems[:MOST_PROBLEMS]]
    more += len(problems) - len(shown)
    tail = f"; and {more:,} more" if more > 0 else ""
    return InputError(f"nothing was imported. {'; '.join(shown)}{tail}.{advice}", file=file)


def _problem(problem: Problem, unit: str) -> str:
    column = f", column {problem.column!r}" if problem.column else ""
    return f"{unit} {problem.line}{column}: {problem.message}"


def problems_csv(problems: Iterable[Problem], unit: str) -> bytes:
    """Every problem by row, for a spreadsheet."""
    rows: list[tuple[Any, ...]] = [(one.line, one.column, one.message) for one in problems]
    return safe_csv((unit, "column", "problem"), rows)
