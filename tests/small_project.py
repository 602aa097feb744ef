"""A small project that a person can keep in mind, and people who work through it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from labelkit import judging
from labelkit.judging import Task
from labelkit.model import Document, Judgment, Query, QuerySource, Role, Turn
from labelkit.rubric import STARTER
from labelkit.store import Workspace, documents, pairs, people, queries, rubrics

LEAD = "lee-lead"
ANN, BO, CY = "ann-rater", "bo-rater", "cy-rater"
RATERS = (ANN, BO, CY)
NAMES = ("Ann Rater", "Bo Rater", "Cy Rater")

MEMORY = Path("/dev/shm")

EARLIER = (Turn("user", "how do I write a csv file"), Turn("assistant", "Use csv.writer."))
"""What was said before each follow-up of `talk`."""


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A folder for tests that save thousands of times and ask nothing about the disk."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        yield Path(name)


LOOKED = 3.0
"""Seconds on screen of someone who read the document."""


def build(
    path: Path,
    *,
    query_count: int = 2,
    document_count: int = 3,
    quota: int = 1,
    pooled: bool = True,
) -> Workspace:
    """Every query with every document in the pool, if pooled; nothing judged."""
    workspace = Workspace.create(path, "Small")
    people.add(workspace, "Lee Lead", [Role.LEAD])
    for name in NAMES:
        people.add(workspace, name, [Role.RATER])
    found = [query(number) for number in range(1, query_count + 1)]
    corpus = [document(number) for number in range(1, document_count + 1)]
    with workspace.writing() as db:
        rubrics.save(db, STARTER, None)
        documents.save(db, corpus)
        queries.save(db, found)
    if pooled:
        pool(workspace, [(q.query_id, d.doc_id) for q in found for d in corpus], quota)
    return workspace


def talk(path: Path) -> Workspace:
    """A query that stands alone, and a conversation: two follow-ups, c1 and c2, and a turn, c3,
    that leans on nothing."""
    workspace = build(path, query_count=1, pooled=False)
    words = ("and with a header?", "how do I close it", "sort the rows of a table")
    with workspace.writing() as db:
        queries.save(
            db,
            [
                Query(f"c{number}", text, QuerySource.CONVERSATION, turns=EARLIER)
                for number, text in enumerate(words, 1)
            ],
        )
    return workspace


def held(workspace: Workspace, query_id: str) -> Query:
    """A query as the workspace holds it."""
    with workspace.reading() as db:
        found = queries.get(db, query_id)
    assert found is not None
    return found


def query(number: int) -> Query:
    """One accepted query."""
    return Query(f"q{number}", f"how do I mend thing {number}", QuerySource.LOG)


def document(number: int) -> Document:
    """One document."""
    return Document(f"d{number}", f"Thing {number}", f"Thing {number} is mended with glue.")


def pool(workspace: Workspace, keys: Iterable[tuple[str, str]], quota: int = 1) -> None:
    """Add pairs that want this many levels each."""
    with workspace.writing() as db:
        wanted = list(keys)
        pairs.add(db, wanted, "pool")
        found = [pairs.find(db, *key) for key in wanted]
        pairs.raise_quota(db, [pair.pair_id for pair in found if pair], quota)


def claim(workspace: Workspace, person_id: str) -> Task:
    """The next pair of someone who has one."""
    task = judging.claim(workspace, person_id)
    assert isinstance(task, Task), task
    return task


def say(workspace: Workspace, person_id: str, task: Task, level: int = 1) -> Judgment:
    """Judge the pair that is open."""
    reason = f"Thing and glue: {task.query.query_id} with {task.document.doc_id}."
    return judging.record(
        workspace, person_id, task.pair_id, level=level, reason=reason, seconds_on_screen=LOOKED
    )


def work_through(
    workspace: Workspace, person_id: str, level_of: Callable[[Task], int] = lambda task: 1
) -> list[Task]:
    """Judge until the queue is empty; returns what was seen, in order."""
    seen = []
    while isinstance(task := judging.claim(workspace, person_id), Task):
        say(workspace, person_id, task, level_of(task))
        seen.append(task)
    return seen


def keys(tasks: Sequence[Task]) -> list[tuple[str, str]]:
    """The pairs of some tasks, by name."""
    return [(task.query.query_id, task.document.doc_id) for task in tasks]


def expire_leases(workspace: Workspace) -> None:
    """Let half an hour and more pass for every pair that someone holds."""
    with workspace.writing() as db:
        db.execute("update leases set expires_at = '2000-01-01T00:00:00.000000+00:00'")
