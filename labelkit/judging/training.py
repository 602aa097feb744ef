"""Working through pairs with an agreed level: what warm-up and quiz have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labelkit.errors import Conflict
from labelkit.judging import agreed
from labelkit.judging.checking import check_answer, check_evidence_given, check_quotes
from labelkit.model import Document, Query, QuerySource, Span
from labelkit.rubric import Rubric
from labelkit.store import Connection, Workspace, documents, pairs, queries, rubrics
from labelkit.store import training as stored
from labelkit.store.training import Answer, Attempt, Item, Setup


@dataclass(frozen=True, slots=True)
class Exercise:
    """One pair to practise on; like a task, it shows nothing that would tell the level."""

    item_id: int
    query: Query
    document: Document
    rubric: Rubric
    position: int
    of: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the person said of a pair, and the level agreed on, with the reason for it."""

    item_id: int
    query: Query
    document: Document
    level: int
    reason: str
    agreed_level: int
    agreed_reason: str
    source: str

    @property
    def distance(self) -> int:
        """How many levels apart the two are."""
        return abs(self.level - self.agreed_level)


def in_use(workspace: Workspace) -> bool:
    """Whether a warm-up or a quiz is on: asked before every pair, so it reads one thing."""
    with workspace.reading() as db:
        setups = (stored.current(db, kind) for kind in ("warm_up", "quiz"))
        return any(setup is not None and setup.on for setup in setups)


def running(db: Connection, setup: Setup, person_id: str) -> Attempt | None:
    """The attempt that this person has begun and not finished, or None."""
    held = stored.attempts(db, setup.setup_id, person_id)
    return held[-1] if held and not finished(db, held[-1]) else None


def finished(db: Connection, attempt: Attempt) -> bool:
    """Whether every pair of the attempt has its answer."""
    return not _left(db, attempt)


def _left(db: Connection, attempt: Attempt) -> list[Item]:
    said = stored.answers(db, attempt.attempt_id)
    return [
        item
        for item in stored.items(db, attempt.setup_id, attempt.draw)
        if item.item_id not in said
    ]


def exercise(db: Connection, attempt: Attempt) -> Exercise | None:
    """The next pair of an attempt, or None where all are done."""
    left = _left(db, attempt)
    if not left:
        return None
    item, of = left[0], len(stored.items(db, attempt.setup_id, attempt.draw))
    return Exercise(
        item.item_id,
        _query(db, item),
        _document(db, item),
        _rubric_without(rubrics.current(db), item),
        of - len(left) + 1,
        of,
    )


def _query(db: Connection, item: Item) -> Query:
    pair = None if item.pair_id is None else pairs.get(db, item.pair_id)
    query = None if pair is None else queries.get(db, pair.query_id)
    if query is None:
        return Query(f"example {item.item_id}", item.query_text, QuerySource.MANUAL)
    return replace(query, source_doc_id=None, drafted_text=None, note="")


def _document(db: Connection, item: Item) -> Document:
    found = documents.get(db, item.doc_id)
    return found or Document(item.doc_id, item.doc_id, item.passage)


def _rubric_without(rubric: Rubric, item: Item) -> Rubric:
    """The rubric without the boundary example that is asked about: it would tell the level."""
    kept = tuple(
        example
        for example in rubric.examples
        if (example.query, example.doc_id) != agreed.identity(item)
    )
    return replace(rubric, examples=kept)


def answer(
    db: Connection,
    attempt: Attempt | None,
    item_id: int,
    level: int | None,
    reason: str,
    evidence: Sequence[Span],
) -> Feedback:
    """Write the answer to the pair that is next.

    Evidence is asked for where the rubric requires it, as with a real pair, and is not kept:
    no agreed passage is there to compare it with. Raises InputError without a level, a reason or
    such evidence, Conflict where another pair is next by now.
    """
    check_answer(level, None, reason)
    left = [] if attempt is None else _left(db, attempt)
    if attempt is None or level is None or not left or left[0].item_id != item_id:
        raise Conflict("That pair was answered by now, perhaps in another tab: go on from here.")
    check_quotes(_document(db, left[0]).text, evidence)
    check_evidence_given(db, level, evidence)
    stored.answer(db, attempt.attempt_id, item_id, level, reason.strip())
    return _feedback(db, left[0], Answer(item_id, level, reason.strip(), ""))


def feedback(db: Connection, attempt: Attempt) -> list[Feedback]:
    """What was said so far in an attempt beside what is agreed, in the order of the pairs."""
    said = stored.answers(db, attempt.attempt_id)
    found = stored.items(db, attempt.setup_id, attempt.draw)
    return [_feedback(db, item, said[item.item_id]) for item in found if item.item_id in said]


def _feedback(db: Connection, item: Item, said: Answer) -> Feedback:
    return Feedback(
        item.item_id,
        _query(db, item),
        _document(db, item),
        said.level,
        said.reason,
        item.level,
        item.reason,
        item.source,
    )


def taken(db: Connection, setup: Setup | None, draws: Sequence[int]) -> set[tuple[str, str]]:
    """The pairs of some draws of a setup that is in use."""
    if setup is None or not setup.on:
        return set()
    return {
        agreed.identity(item)
        for number in draws
        for item in stored.items(db, setup.setup_id, number)
    }
