"""Whether judgments and runs point to queries and documents that are here, and to which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labelkit.formats.spreadsheet import as_written
from labelkit.formats.tables import Problem
from labelkit.importing import near
from labelkit.importing.coming import Coming
from labelkit.importing.options import ImportOptions
from labelkit.store import Connection, documents, imports

if TYPE_CHECKING:
    from labelkit.importing.checks import Checked

EXAMPLES = 3
Pointing = list[tuple[int, Any]]


def resolve(
    db: Connection, kind: str, checked: Checked, options: ImportOptions, coming: Coming
) -> None:
    """Replace texts and positions by query ids, and find what points to nothing."""
    order = list(dict.fromkeys([*imports.query_order(db), *(q.query_id for q in coming.queries)]))
    checked.kept, problems = _by_text(db, checked.kept, coming)
    checked.problems += problems
    if options.query_ids == "by-position":
        checked.kept, problems = _by_position(checked.kept, order)
        checked.problems += problems
    lost = _lost(db, checked.kept, set(order), coming)
    if lost:
        checked.kept = [_as_written(one, lost.get(one[0], [])) for one in checked.kept]
        lost = _lost(db, checked.kept, set(order), coming)
    if not lost:
        return
    if kind == "runs":
        _note_lost(checked, lost)
    elif options.unknown == "skip":
        checked.kept = [one for one in checked.kept if one[0] not in lost]
        checked.skipped += len(lost)
    else:
        checked.problems += _refused(checked.kept, lost, order)


def _as_written(one: tuple[int, Any], lost: list[tuple[str, str]]) -> tuple[int, Any]:
    """A row whose ids point to nothing, without the apostrophe that our CSV puts before "=1"."""
    line, item = one
    names = {name: as_written(name) for _, name in lost}
    query_id = names.get(item.query_id, item.query_id)
    doc_id = names.get(item.doc_id, item.doc_id)
    if (query_id, doc_id) == (item.query_id, item.doc_id):
        return one
    return line, replace(item, query_id=query_id, doc_id=doc_id)


def _by_text(db: Connection, kept: Pointing, coming: Coming) -> tuple[Pointing, list[Problem]]:
    """Judgments of a file that gives the query's text instead of its id."""
    if not any(getattr(item, "query_text", "") for _, item in kept):
        return kept, []
    known = imports.queries_by_text(db)
    for query in coming.queries:
        if query.query_id not in known.get(query.text, ()):
            known.setdefault(query.text, []).append(query.query_id)
    found, problems, gone = [], [], 0
    for line, item in kept:
        ids = known.get(item.query_text, [])
        if len(ids) == 1:
            found.append((line, replace(item, query_id=ids[0], query_text="")))
        else:
            problems.append(Problem(line, "query_text", _not_one(item.query_text, ids)))
            gone += not ids
    return found, [*_share_gone(problems, gone, len(kept)), *dict.fromkeys(problems)]


def _not_one(text: str, ids: Sequence[str]) -> str:
    if ids:
        return f"{text!r} is the text of {' and '.join(ids)}: give the query's id instead"
    return f"there is no query with the text {text!r} in the workspace"


def _share_gone(problems: list[Problem], gone: int, total: int) -> Iterator[Problem]:
    if gone:
        yield Problem(
            problems[0].line,
            "",
            f"{gone:,} of {total:,} judgments ask a query that is not here: import the queries "
            "first (the same file may hold them: labelkit import queries --ids from-text)",
        )


def _by_position(kept: Pointing, order: list[str]) -> tuple[Pointing, list[Problem]]:
    """Query numbers that count the queries in the order in which they came in, from 1."""
    found, problems = [], []
    for line, item in kept:
        number = _number(item.query_id)
        if 1 <= number <= len(order):
            found.append((line, replace(item, query_id=order[number - 1])))
        else:
            said = f"{item.query_id!r} is no position: there are {len(order):,} queries"
            problems.append(Problem(line, "query_id", said))
    return found, problems


def _number(name: str) -> int:
    return int(name) if name.isascii() and name.isdecimal() and len(name) < 10 else 0


def _lost(
    db: Connection, kept: Pointing, held: set[str], coming: Coming
) -> dict[int, list[tuple[str, str]]]:
    """By line what a row points to that is not here: ("query" or "document", its id)."""
    gone = documents.missing(db, (item.doc_id for _, item in kept))
    gone = {doc_id for doc_id in gone if not coming.has_document(doc_id)}
    lost: dict[int, list[tuple[str, str]]] = {}
    for line, item in kept:
        named = [("query", item.query_id)] if item.query_id not in held else []
        named += [("document", item.doc_id)] if item.doc_id in gone else []
        for one in named:
            if one not in lost.setdefault(line, []):
                lost[line].append(one)
    return lost


def _refused(
    kept: Pointing, lost: dict[int, list[tuple[str, str]]], order: list[str]
) -> Iterator[Problem]:
    shown = Counter(f"{what} {name!r}" for found in lost.values() for what, name in found)
    examples = ", ".join(name for name, _ in shown.most_common(EXAMPLES))
    rows = sum(line in lost for line, _ in kept)
    yield Problem(
        next(iter(lost)),
        "",
        f"{rows:,} of {len(kept):,} judgments point to ids that are not here "
        f"({rows / len(kept):.0%}; such as {examples}): {_advice(kept, lost, order)}",
    )
    for line, found in lost.items():
        for what, name in found:
            yield Problem(line, "", f"there is no {what} {name!r} in the workspace")


def _advice(kept: Pointing, lost: dict[int, list[tuple[str, str]]], order: list[str]) -> str:
    """What to do; where the numbers may count the queries, that first."""
    usual = (
        "import the queries and documents first, check that the file uses the same ids, or leave "
        "such rows out (--unknown skip)"
    )
    numbers = {_number(item.query_id) for _, item in kept}
    queries_lost = any(what == "query" for found in lost.values() for what, _ in found)
    if not queries_lost or not numbers or min(numbers) < 1 or max(numbers) > len(order):
        return usual
    return f"{_counting(kept, order, max(numbers))}; else {usual}"


def _counting(kept: Pointing, order: list[str], highest: int) -> str:
    plain = {near.plain(name) for name in order}
    still = sum(near.plain(item.query_id) not in plain for _, item in kept)
    example = next((n for n in range(1, highest + 1) if near.plain(order[n - 1]) != str(n)), 1)
    return (
        f"even without leading zeros {still:,} rows name no query. The file's query numbers run up "
        f"to {highest:,} and there are {len(order):,} queries, so they may count the queries by "
        f"position (query {example} would be {order[example - 1]!r}): if so, say --query-ids "
        "by-position"
    )


def _note_lost(checked: Checked, lost: dict[int, list[tuple[str, str]]]) -> None:
    """A run may rank what is not here, but not nothing that is."""
    first, total = next(iter(lost)), len(checked.kept)
    for what in ("query", "document"):
        names = [name for found in lost.values() for one, name in found if one == what]
        if len(names) == total:
            said = f"none of its {what} ids is here (such as {names[0]!r}): use the project's ids"
            checked.problems.append(Problem(first, "", said))
            return
    checked.notes.append(
        f"{len(lost):,} of {total:,} lines name a query or document that is not here (such as "
        f"{' '.join(lost[first][0])!r})."
    )
