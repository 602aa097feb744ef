"""Looking at a file before anything is written: its rows, its problems, what it would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labelkit.errors import InputError
from labelkit.formats import reading
from labelkit.formats.source import Source, from_bytes
from labelkit.formats.tables import Problem, Reading, Row, Table
from labelkit.importing import checks, columns, scales, values, wide
from labelkit.importing.cells import Wrong
from labelkit.importing.coming import NOTHING, Coming
from labelkit.importing.options import ImportOptions
from labelkit.importing.scales import Grade
from labelkit.importing.values import ImportedJudgment
from labelkit.store import Workspace, imports

KINDS = ("documents", "queries", "judgments", "runs")
DEFAULT = ImportOptions()


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """A file as it was read: `items` in the file's order, `problems` by line.

    Nothing can be imported while there is a problem; `notes` are worth a look but stop nothing.
    `headers` maps our column names to the file's. `how` says how the file was read, `unit` what
    `line` counts. `grades` are the values of a scale with what each is read as; `left_out` counts
    rows that are read as unjudged or, where that was said, point to what is not here.
    """

    kind: str
    file: str
    headers: Mapping[str, str]
    rows: tuple[Row, ...]
    items: tuple[Any, ...]
    problems: tuple[Problem, ...]
    folded: int
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    how: Mapping[str, str] = field(default_factory=dict)
    unit: str = "line"
    grades: tuple[Grade, ...] = ()
    left_out: int = 0
    touched: tuple[checks.Touched, ...] = ()
    sha256: str = ""
    options: ImportOptions = DEFAULT

    @property
    def ready(self) -> bool:
        """Whether the file can be imported."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Matching:
    """The columns of a file, and which of them is read as which of ours where that is known."""

    columns: tuple[str, ...]
    headers: Mapping[str, str]
    remembered: bool = False


def match_columns(
    kind: str,
    file: str,
    data: bytes | Source,
    options: ImportOptions = DEFAULT,
    workspace: Workspace | None = None,
) -> Matching:
    """The columns of a file and how they are read if nobody says otherwise.

    A workspace remembers how the last file with the same header was read. Raises InputError for
    a file that cannot be read at all.
    """
    table = _first(open_reading(kind, _source(file, data), options))
    held: Mapping[str, str] = {}
    if workspace is not None:
        with workspace.reading() as db:
            held = imports.remembered(db, kind, table.columns)
    return Matching(table.columns, held or columns.match(kind, table.columns), bool(held))


def open_reading(kind: str, source: Source, options: ImportOptions) -> Reading:
    """A file of one kind, ready to be read row by row."""
    if kind not in KINDS:
        raise InputError(f"{kind!r} cannot be imported; choose {', '.join(KINDS)}.")
    return reading.open_source(source, options.read, kind)


def preview(
    workspace: Workspace,
    kind: str,
    file: str,
    data: bytes | Source,
    *,
    headers: Mapping[str, str] | None = None,
    options: ImportOptions = DEFAULT,
    coming: Coming = NOTHING,
) -> ImportPreview:
    """Read a file and hold it against the workspace, writing nothing.

    `headers` maps our column names to the file's where a person has matched them; without it
    those of the last file with the same header, or else the known names are matched. `coming` is
    what is imported together with the file. Raises InputError for what makes the whole file
    unreadable: an unknown kind or format, bytes in no known encoding, a missing column. What is
    wrong with a row is in `problems`.
    """
    source = _source(file, data)
    said = options if headers is None else replace(options, headers=headers)
    looked_at = look(workspace, kind, open_reading(kind, source, said), said, coming)
    return replace(looked_at, sha256=source.sha256())


def look(
    workspace: Workspace, kind: str, opened: Reading, options: ImportOptions, coming: Coming
) -> ImportPreview:
    """The same for a file that is open already."""
    table = opened.table()
    require_rows(table)
    found = headers_of(workspace, kind, table, options)
    as_read = table
    if kind == "judgments" and (raters := wide.rater_columns(table, found, options.raters)):
        table = wide.unfold(table, raters)
        found = {**found, "level": "level", "rater": "rater"}
    require_columns(kind, table, found, options)
    grades = _grades(kind, table, found, options)
    rows, problems, unjudged = _read(kind, table, found, options, grades)
    with workspace.reading() as db:
        checked = checks.check(db, kind, rows, options, coming)
    every = sorted([*problems, *checked.problems], key=lambda problem: problem.line)
    return ImportPreview(
        kind,
        table.file,
        found,
        as_read.rows,
        tuple(item for _, item in checked.kept),
        tuple(every),
        checked.folded,
        (*table.notes, *checked.notes),
        as_read.columns,
        table.how,
        table.unit,
        grades,
        unjudged + checked.skipped,
        checked.touched,
        options=options,
    )


def headers_of(
    workspace: Workspace, kind: str, table: Table | Reading, options: ImportOptions
) -> dict[str, str]:
    """Which column is read as what: as said, as remembered, or by its name."""
    found: Mapping[str, str]
    if options.headers is not None:
        found = {ours: theirs for ours, theirs in options.headers.items() if theirs}
    else:
        with workspace.reading() as db:
            held = imports.remembered(db, kind, table.columns)
        found = held or columns.match(kind, table.columns)
    taken = set(options.named.values())
    said = {o: t for o, t in found.items() if t not in taken} | dict(options.named)
    for ours, theirs in said.items():
        if theirs not in table.columns or ours not in columns.NAMES[kind]:
            raise InputError(
                f"{theirs!r} cannot be read as {ours!r}: the file has the columns "
                f"{_named(table.columns)}, and ours are {', '.join(columns.NAMES[kind])}.",
                file=table.file,
            )
    return said


def require_rows(table: Table) -> None:
    """Refuse a file without a single row."""
    if not table.rows and not table.problems:
        raise InputError(
            "The file holds no rows; if its first line is no header, say --header-row 0.",
            file=table.file,
        )


def require_columns(
    kind: str, table: Table | Reading, headers: Mapping[str, str], options: ImportOptions
) -> None:
    """Refuse a file that lacks a column nothing can be read without."""
    for name in columns.missing(kind, headers, ids_from_text=options.ids == "from-text"):
        raise InputError(
            f"no column {name!r} (any of {', '.join(columns.NAMES[kind][name])}); the file has "
            f"{_named(table.columns)}. Say which it is (--column {name}=HEADER)"
            f"{_other_ways(kind, name)}.",
            file=table.file,
            line=1,
        )


def _other_ways(kind: str, name: str) -> str:
    own = {"documents": "doc_id", "queries": "query_id"}.get(kind)
    return ", or make ids out of the content (--ids from-text)" if name == own else ""


def _named(names: Sequence[str], most: int = 20) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return (shown + (" …" if len(names) > most else "")) or "no columns"


def _source(file: str, data: bytes | Source) -> Source:
    return from_bytes(file, data) if isinstance(data, bytes) else data


def _first(opened: Reading) -> Table:
    """The first rows: enough to see the columns of a file that names them row by row."""
    table = opened.table(100 if opened.columns else None)
    require_rows(table)
    return table


Read = list[tuple[int, Any]]


def _grades(
    kind: str, table: Table, headers: Mapping[str, str], options: ImportOptions
) -> tuple[Grade, ...]:
    if kind != "judgments":
        return ()
    return scales.table((row.values.get(headers["level"]) for row in table.rows), options.levels)


def _read(
    kind: str,
    table: Table,
    headers: Mapping[str, str],
    options: ImportOptions,
    grades: tuple[Grade, ...],
) -> tuple[Read, list[Problem], int]:
    """The items by line, what is wrong with rows, and how many rows are read as unjudged."""
    found: Read = []
    problems = list(table.problems)
    asked = scales.question(grades, options.levels is not None)
    if asked:
        problems.append(Problem(table.rows[0].line, headers["level"], asked))
    unjudged = {grade.value for grade in grades if grade.known and grade.level is None}
    open_ = {grade.value for grade in grades if asked and not grade.known}
    # One question stands for all rows of an unknown grade; they are read on for what they point to.
    levels = {**{g.value: g.level for g in grades}, **dict.fromkeys(open_, 0)} if open_ else None
    left_out = 0
    for row in table.rows:
        grade = scales.canonical(row.values.get(headers["level"])) if grades else ""
        if grade in unjudged and not (grade == "" and row.values.get(headers.get("cause", ""))):
            left_out += 1
            continue
        try:
            found.append(
                (row.line, values.read(kind, row.values, headers, levels or options.levels))
            )
        except Wrong as error:
            problems.append(Problem(row.line, error.column, error.message))
    return found, problems, left_out


def sample(preview: ImportPreview, limit: int = 10) -> Sequence[Mapping[str, Any]]:
    """The first rows as the file has them, with their lines, for a table on the page."""
    return [{preview.unit: row.line, **row.values} for row in preview.rows[:limit]]


__all__ = [
    "KINDS",
    "ImportPreview",
    "ImportedJudgment",
    "Matching",
    "match_columns",
    "preview",
    "sample",
]
