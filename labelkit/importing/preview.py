"""Looking at a file before anything is written: its rows, its problems, what it would change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.errors import InputError
from labelkit.formats import reading, source
from labelkit.formats.tables import Problem, Row, Table
from labelkit.importing import columns
from labelkit.importing.columns import ImportedJudgment, Wrong
from labelkit.store import Connection, Workspace, documents, people, queries

KINDS = ("documents", "queries", "judgments")


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """A file as it was read: `items` in the file's order, `problems` by line.

    Nothing can be imported while there is a problem; `notes` are worth a look but stop nothing.
    `headers` maps our column names to the file's.
    """

    kind: str
    file: str
    headers: Mapping[str, str]
    rows: tuple[Row, ...]
    items: tuple[Any, ...]
    problems: tuple[Problem, ...]
    folded: int
    notes: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether the file can be imported."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Matching:
    """The columns of a file, and which of them is read as which of ours where a name is known."""

    columns: tuple[str, ...]
    headers: Mapping[str, str]


def match_columns(kind: str, file: str, data: bytes) -> Matching:
    """The columns of a file and how they are read if nobody says otherwise.

    Raises InputError for a file that cannot be read at all.
    """
    table = _as_table(kind, file, data)
    return Matching(table.columns, columns.match(kind, table.columns))


def preview(
    workspace: Workspace,
    kind: str,
    file: str,
    data: bytes,
    *,
    headers: Mapping[str, str] | None = None,
) -> ImportPreview:
    """Read a file and hold it against the workspace, writing nothing.

    `headers` maps our column names to the file's where a person has matched them; without it
    the known names are matched. Raises InputError for what makes the whole file unreadable: an
    unknown kind or ending, bytes that are not UTF-8, a missing column. What is wrong with a row
    is in `problems`.
    """
    table = _as_table(kind, file, data)
    headers = columns.match(kind, table.columns) if headers is None else headers
    missing = [name for name in columns.REQUIRED[kind] if name not in headers]
    if missing:
        raise InputError(
            f"no column {missing[0]!r} (any of {', '.join(columns.NAMES[kind][missing[0]])}); "
            f"the file has {', '.join(map(repr, table.columns)) or 'no columns'}.",
            file=file,
            line=1,
        )
    found, problems = _read(kind, table, headers)
    kept, doubled, folded = _fold(kind, found)
    with workspace.reading() as db:
        unknown = _unknown_ids(db, kind, kept)
        clashes = [*_clashes(db, kind, kept), *_unusable_raters(db, kind, kept)]
    every = sorted([*problems, *doubled, *unknown, *clashes], key=lambda p: p.line)
    items = tuple(item for _, item in kept)
    notes = tuple(_notes(kind, items))
    return ImportPreview(kind, file, headers, table.rows, items, tuple(every), folded, notes)


def _notes(kind: str, items: Sequence[Any]) -> Iterator[str]:
    if kind != "documents":
        return
    empty = [item.doc_id for item in items if not item.text.strip() and not item.title.strip()]
    if empty:
        yield f"{len(empty)} documents have neither title nor text (such as {empty[0]!r})."


def _as_table(kind: str, file: str, data: bytes) -> Table:
    if kind not in KINDS:
        raise InputError(f"{kind!r} cannot be imported; choose {', '.join(KINDS)}.")
    table = reading.open_source(source.from_bytes(file, data), kind=kind).table()
    if not table.rows and not table.problems:
        raise InputError(
            "The file holds no rows; if its first line is no header, say --header-row 0.", file=file
        )
    return table


Read = list[tuple[int, Any]]


def _read(kind: str, table: Table, headers: Mapping[str, str]) -> tuple[Read, list[Problem]]:
    found: Read = []
    problems = list(table.problems)
    for row in table.rows:
        try:
            found.append((row.line, columns.READERS[kind](row.values, headers)))
        except Wrong as error:
            problems.append(Problem(row.line, error.column, error.message))
    return found, problems


def _name(kind: str, item: Any) -> tuple[str, ...]:
    if kind == "documents":
        return (item.doc_id,)
    if kind == "queries":
        return (item.query_id,)
    return (item.query_id, item.doc_id, item.rater)


def _fold(kind: str, found: Read) -> tuple[Read, list[Problem], int]:
    """Keep the first of each id; the same content again is counted, other content refused."""
    first: dict[tuple[str, ...], tuple[int, Any]] = {}
    problems, folded = [], 0
    for line, item in found:
        name = _name(kind, item)
        if name not in first:
            first[name] = (line, item)
        elif first[name][1] == item:
            folded += 1
        else:
            problems.append(
                Problem(
                    line,
                    "",
                    f"{' with '.join(filter(None, name))} stands on line "
                    f"{first[name][0]} too, with other content: keep one of them",
                )
            )
    return list(first.values()), problems, folded


def _unknown_ids(db: Connection, kind: str, kept: Read) -> list[Problem]:
    """Judgments must point to queries and documents that are here."""
    if kind != "judgments":
        return []
    held = {"query": queries.ids(db), "document": documents.ids(db)}
    problems = []
    for line, item in kept:
        for what, name in (("query", item.query_id), ("document", item.doc_id)):
            if name not in held[what]:
                problems.append(Problem(line, "", f"there is no {what} {name!r} in the workspace"))
    if problems:
        share = len({problem.line for problem in problems})
        problems.insert(
            0,
            Problem(
                problems[0].line,
                "",
                f"{share} of {len(kept)} judgments point to ids that are not here: import the "
                "queries and documents first, or check that the file uses the same ids",
            ),
        )
    return problems


def _clashes(db: Connection, kind: str, kept: Read) -> list[Problem]:
    """A query that is here with another text: judgments may stand on it."""
    if kind != "queries":
        return []
    problems = []
    for line, item in kept:
        held = queries.get(db, item.query_id)
        if held is not None and not queries.asks_the_same(held, item):
            problems.append(
                Problem(
                    line,
                    "",
                    f"query {item.query_id!r} is here already with another text "
                    f"({held.text!r}): give the new one an id of its own",
                )
            )
    return problems


def _unusable_raters(db: Connection, kind: str, kept: Read) -> list[Problem]:
    """Names that no person can have, or that read like another person's."""
    if kind != "judgments":
        return []
    first = {item.rater: line for line, item in reversed(kept) if item.rater}
    problems = []
    for name, line in first.items():
        try:
            people.check_name(db, name)
        except InputError as error:
            problems.append(Problem(line, "rater", error.message))
    return problems


def sample(preview: ImportPreview, limit: int = 10) -> Sequence[Mapping[str, Any]]:
    """The first rows as the file has them, with their lines, for a table on the page."""
    return [{"line": row.line, **row.values} for row in preview.rows[:limit]]


__all__ = [
    "KINDS",
    "ImportPreview",
    "ImportedJudgment",
    "Matching",
    "match_columns",
    "preview",
    "sample",
]
