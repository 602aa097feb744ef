"""Batches: which pairs, for how many raters each, for whom, and until when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

from labelkit.errors import Conflict, InputError, NotReady
from labelkit.judging.pooling import DEPTH, pool, pooling_candidates
from labelkit.judging.third_labels import MOST_RATERS
from labelkit.model import Query, QueryState, Role
from labelkit.store import Connection, Workspace, batches, people, queries
from labelkit.store.batches import Batch

DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """What a lead asks for.

    Of the accepted queries those that fit everything given: ids, sources, types, and
    `unjudged` for those without any judged document. `retrievers` and `depth` name the pairs;
    no retriever stands for all that is pooled already. No `people` stands for anyone.
    """

    name: str
    raters: int = 1
    people: tuple[str, ...] = ()
    due: str | None = None
    query_ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    unjudged: bool = False
    retrievers: tuple[str, ...] = ()
    depth: int = DEPTH

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Wish:
        """The wish that `asdict` wrote down."""
        made: dict[str, Any] = {
            key: tuple(held) if isinstance(held, list) else held for key, held in value.items()
        }
        return cls(**made)


@dataclass(frozen=True, slots=True)
class Made:
    """A batch that was made, and how many of its pairs another open batch holds as well."""

    batch: Batch
    shared: int


def chosen(workspace: Workspace, wish: Wish) -> list[Query]:
    """The queries a wish names, by id; raises InputError for an unknown id, NotReady for none."""
    with workspace.reading() as db:
        return _chosen(db, wish)


def _chosen(db: Connection, wish: Wish) -> list[Query]:
    accepted = {query.query_id: query for query in queries.select(db, QueryState.ACCEPTED)}
    unknown = sorted(set(wish.query_ids) - set(accepted))
    if unknown:
        raise InputError(f"No accepted query has the id {unknown[0]!r}.")
    judged = batches.judged_queries(db) if wish.unjudged else set()
    found = [
        query
        for query_id, query in accepted.items()
        if (not wish.query_ids or query_id in wish.query_ids)
        and (not wish.sources or query.source.value in wish.sources)
        and (not wish.types or set(wish.types) & set(query.types))
        and query_id not in judged
    ]
    if not found:
        raise NotReady("No accepted query fits that choice: choose fewer conditions.")
    return found


def check(workspace: Workspace, person_id: str, wish: Wish) -> list[Query]:
    """Everything that can be refused before any pooling; returns the queries."""
    people.require(workspace, person_id, Role.LEAD)
    if not wish.name.strip():
        raise InputError("Give the batch a name that its raters and you will know it by.")
    if not 1 <= wish.raters <= MOST_RATERS:
        raise InputError(f"A pair can be given to 1 to {MOST_RATERS} raters, not {wish.raters}.")
    if not 1 <= wish.depth <= DEEPEST:
        raise InputError(f"A pool is 1 to {DEEPEST} documents deep, not {wish.depth}.")
    known = {candidate.name for candidate in pooling_candidates()}
    unknown = sorted(set(wish.retrievers) - known)
    if unknown:
        raise InputError(f"{unknown[0]!r} is no retriever here; choose {', '.join(sorted(known))}.")
    _check_due(wish.due)
    _check_people(workspace, wish.people, wish.raters)
    return chosen(workspace, wish)


def _check_due(due: str | None) -> None:
    try:
        day = None if due is None else date.fromisoformat(due)
    except ValueError:
        raise InputError(f"{due!r} is no day: write it as 2027-01-31.") from None
    if day is not None and day < datetime.now(UTC).date():
        raise InputError(f"{due} is past already: choose today or a later day.")


def _check_people(workspace: Workspace, named: Collection[str], raters: int) -> None:
    for person_id in named:
        people.require(workspace, person_id, Role.RATER, Role.LEAD)
    if named and len(set(named)) < raters:
        raise InputError(
            f"Each pair is to have {raters} raters and only {len(set(named))} "
            f"{'is' if len(set(named)) == 1 else 'are'} named: it could never be finished. Name "
            "more people, or anyone, or ask for fewer raters."
        )


def make(
    workspace: Workspace,
    person_id: str,
    wish: Wish,
    progress: Callable[[int, int, str], None] = lambda done, total, message: None,
) -> Made:
    """Pool what the wish's retrievers find and make a batch of it.

    Pairs that have enough levels already are part of it and count as done. Raises InputError or
    NotReady for what cannot be: too few people named, an unknown query, nothing pooled.
    """
    found = check(workspace, person_id, wish)
    query_ids = [query.query_id for query in found]
    if wish.retrievers:
        named = [one for one in pooling_candidates() if one.name in wish.retrievers]
        pool(workspace, named, depth=wish.depth, query_ids=query_ids, progress=progress)
    with workspace.writing() as db:
        return _made(db, person_id, wish, query_ids)


def _made(db: Connection, person_id: str, wish: Wish, query_ids: list[str]) -> Made:
    pair_ids = batches.pooled(db, query_ids, wish.retrievers, wish.depth)
    if not pair_ids:
        raise NotReady("Nothing is pooled for these queries: choose at least one retriever.")
    detail = {**asdict(wish), "queries": len(query_ids)}
    batch_id = batches.add(db, wish.name.strip(), wish.raters, detail, person_id, pair_ids)
    batches.change(db, batch_id, due=wish.due, people=wish.people, open=True, person_id=person_id)
    made = batches.get(db, batch_id)
    assert made is not None  # written two lines above
    return Made(made, batches.count_in_open(db, batch_id))


def change(
    workspace: Workspace,
    person_id: str,
    batch_id: int,
    *,
    people_named: Collection[str],
    due: str | None,
) -> None:
    """Give an open batch to other people, or another due day; recorded.

    Raises InputError where the named are too few for its pairs, Conflict where it is closed.
    """
    people.require(workspace, person_id, Role.LEAD)
    held = _open(workspace, batch_id)
    if due != held.due:
        _check_due(due)
    _check_people(workspace, people_named, held.raters)
    with workspace.writing() as db:
        batches.change(db, batch_id, due=due, people=people_named, open=True, person_id=person_id)


def close(workspace: Workspace, person_id: str, batch_id: int) -> int:
    """Close a batch: it names nobody any more; returns how many of its pairs still wait.

    Those stay in everyone's queue: nothing leaves a queue because a list was closed.
    """
    people.require(workspace, person_id, Role.LEAD)
    held = _open(workspace, batch_id)
    with workspace.writing() as db:
        batches.change(
            db, batch_id, due=held.due, people=held.people, open=False, person_id=person_id
        )
    return held.waiting


def _open(workspace: Workspace, batch_id: int) -> Batch:
    with workspace.reading() as db:
        held = batches.get(db, batch_id)
    if held is None or not held.open:
        raise Conflict("That batch is closed by now: reload the page.")
    return held


def standing(workspace: Workspace, person_id: str) -> list[Batch]:
    """Every batch with its progress, open ones first; raises NotAllowed unless a lead asks."""
    people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        return batches.all(db)


def due_day(workspace: Workspace, person_id: str) -> str | None:
    """The earliest day (ISO 8601) by which pairs are due that wait for this person, or None."""
    with workspace.reading() as db:
        return batches.due_for(db, person_id)


def is_overdue(due: str | None) -> bool:
    """Whether that day is over (UTC)."""
    return due is not None and due < datetime.now(UTC).date().isoformat()


def run(
    workspace: Workspace, arguments: Mapping[str, Any], progress: Callable[[int, int, str], None]
) -> None:
    """Make a batch as a job: `arguments` holds `person_id` and the wish as a mapping."""
    make(workspace, arguments["person_id"], Wish.of(arguments["wish"]), progress)
