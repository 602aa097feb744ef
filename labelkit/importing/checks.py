"""Holding what was read against itself and against the workspace; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from labelkit.errors import InputError
from labelkit.formats.tables import Problem
from labelkit.importing import near, pointing
from labelkit.importing.coming import Coming
from labelkit.importing.options import ImportOptions
from labelkit.store import Connection, documents, judgments, people, queries
from labelkit.wording import counted

Read = list[tuple[int, Any]]
MOST_HELD = 200_000
"""In a workspace of more documents, new ids are not held against its own for likeness."""


@dataclass(frozen=True, slots=True)
class Touched:
    """A judgment that stands on a text which the file changes."""

    query_id: str
    doc_id: str
    person_id: str
    level: int | None


@dataclass(slots=True)
class Checked:
    """What can be imported, what is wrong, and what is worth a look."""

    kept: Read
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    folded: int = 0
    skipped: int = 0
    touched: tuple[Touched, ...] = ()


def check(
    db: Connection, kind: str, found: Read, options: ImportOptions, coming: Coming
) -> Checked:
    """Fold what stands twice, find what contradicts, and hold the rest against the workspace."""
    checked = Checked(found)
    if kind in ("judgments", "runs"):
        pointing.resolve(db, kind, checked, options, coming)
    _fold(kind, checked)
    CHECKS[kind](db, checked)
    return checked


def _name(kind: str, item: Any) -> tuple[str, ...]:
    if kind == "documents":
        return (item.doc_id,)
    if kind == "queries":
        return (item.query_id,)
    if kind == "runs":
        return (item.query_id, item.doc_id)
    return (item.query_id, item.doc_id, item.rater)


def _fold(kind: str, checked: Checked) -> None:
    """Keep the first of each id; the same content again is counted, other content refused."""
    first: dict[tuple[str, ...], tuple[int, Any]] = {}
    for line, item in checked.kept:
        name = _name(kind, item)
        if name not in first:
            first[name] = (line, item)
        elif first[name][1] == item:
            checked.folded += 1
        else:
            checked.problems.append(Problem(line, "", twice(name, str(first[name][0]))))
    checked.kept = list(first.values())


def twice(name: Iterable[str], line: str) -> str:
    """What is said of a row whose id stands further up with other content."""
    said = " with ".join(part for part in name if part)
    return f"{said} stands on line {line} too, with other content: keep one of them"


def _documents(db: Connection, checked: Checked) -> None:
    items = [item for _, item in checked.kept]
    empty = [item.doc_id for item in items if not item.text.strip() and not item.title.strip()]
    if empty:
        checked.notes.append(without_text(len(empty), empty[0]))
    new = [item.doc_id for item in items]
    held = documents.ids(db) if documents.count(db) <= MOST_HELD else set()
    if pairs := near.alike(new, sorted(held)):
        checked.notes.append(near.warning(pairs, "document"))
    checked.touched = touched(db, _changed(db, items))


def without_text(count: int, first: str) -> str:
    """The note on documents that hold nothing to read."""
    have = counted(count, "document has", "documents have")
    return f"{have} neither title nor text (such as {first!r})."


def _changed(db: Connection, items: list[Any]) -> set[str]:
    held = documents.held(db, [item.doc_id for item in items])
    return {
        item.doc_id
        for item in items
        if item.doc_id in held and held[item.doc_id] != held_form(item)
    }


def held_form(document: Any) -> tuple[str, str, str]:
    """Title, metadata and hash as the store compares them."""
    _, title, _, metadata, digest = documents.columns(document)
    return (title, metadata, digest)


def touched(db: Connection, doc_ids: set[str]) -> tuple[Touched, ...]:
    """The judgments that stand on these documents."""
    if not doc_ids:
        return ()
    return tuple(
        Touched(j.query_id, j.doc_id, j.person_id, j.level)
        for j in judgments.current(db)
        if j.doc_id in doc_ids
    )


def _queries(db: Connection, checked: Checked) -> None:
    """A query that is here with another text is refused: judgments may stand on it."""
    for line, item in checked.kept:
        held = queries.get(db, item.query_id)
        if held is not None and not queries.asks_the_same(held, item):
            checked.problems.append(
                Problem(
                    line,
                    "",
                    f"query {item.query_id!r} is here already with another text "
                    f"({held.text!r}): give the new one an id of its own",
                )
            )
    new = [item.query_id for _, item in checked.kept]
    if pairs := near.alike(new, sorted(queries.ids(db))):
        checked.notes.append(near.warning(pairs, "query"))


def _judgments(db: Connection, checked: Checked) -> None:
    checked.problems += _unusable_raters(db, checked.kept)


def _unusable_raters(db: Connection, kept: Read) -> Iterator[Problem]:
    """Names that no person can have, or that read like another person's."""
    first = {item.rater: line for line, item in reversed(kept) if item.rater}
    for name, line in first.items():
        try:
            people.check_name(db, name)
        except InputError as error:
            yield Problem(line, "rater", error.message)


def _runs(db: Connection, checked: Checked) -> None:
    """Nothing more: a run may rank what nobody judged."""


CHECKS: dict[str, Callable[[Connection, Checked], None]] = {
    "documents": _documents,
    "queries": _queries,
    "judgments": _judgments,
    "runs": _runs,
}
