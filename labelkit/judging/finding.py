"""Finding a document by hand: search the whole corpus as one types, and add to the pool.

This is how the passage that should answer a query gets judged when no retriever found it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelkit.errors import InputError
from labelkit.model import Document, Role
from labelkit.retrieval import typed_search
from labelkit.store import Workspace, documents, finding, pairs, people, queries

K = 10
LONGEST = 400
"""Characters of what was typed that are searched for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document that fits the words, and nothing that could bias: no score, no retriever."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Added:
    """Where a document went that was added by hand; `new` is False where it was there already."""

    pair_id: int
    new: bool


def find(
    workspace: Workspace, person_id: str, query_id: str, words: str, k: int = K
) -> list[Found]:
    """The documents that fit the words best, judged or not, in the pool or not.

    BM25 and wordllama, merged by reciprocal rank; titles alone until the index is ready. Raises
    InputError for an unknown query, NotAllowed where the person is neither rater nor lead.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    wanted = words[:LONGEST].replace("\x00", " ").strip()
    with workspace.reading() as db:
        if queries.get(db, query_id) is None:
            raise InputError(f"There is no query {query_id!r}: reload the page.")
        if not wanted:
            return []
        index = typed_search.load(_folder(workspace, finding.corpus_state(db)))
        if index is None:
            return [_found(one) for one in finding.by_title(db, wanted.split(), k)]
        return [_found(one) for one in finding.in_order(db, index.search(wanted, k))]


def is_ready(workspace: Workspace) -> bool:
    """Whether the index of the documents as they are now has been built."""
    with workspace.reading() as db:
        return _folder(workspace, finding.corpus_state(db)).is_dir()


def build(
    workspace: Workspace, arguments: Mapping[str, Any], progress: Callable[[int, int, str], None]
) -> None:
    """Build the index of the documents as they are now: a job, with no arguments."""
    with workspace.reading() as db:
        folder = _folder(workspace, finding.corpus_state(db))
        if not folder.is_dir():
            typed_search.build(documents.each(db), documents.count(db), folder, progress)


def add_by_hand(workspace: Workspace, person_id: str, query_id: str, doc_id: str) -> Added:
    """Add a document to the query's pool, as found by a person; again, it changes nothing.

    Raises InputError for ids that do not exist, NotAllowed where the person is neither rater
    nor lead.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        if queries.get(db, query_id) is None or documents.get(db, doc_id) is None:
            raise InputError(f"The query {query_id!r} or the document {doc_id!r} is not here.")
        new = pairs.add(db, [(query_id, doc_id)], "hand") == 1
        pair = pairs.find(db, query_id, doc_id)
        if pair is None:
            raise InputError(f"The document {doc_id!r} was not added: try again.")
        return Added(pair.pair_id, new)


def _folder(workspace: Workspace, state: str) -> Path:
    return workspace.cache / "find" / state


def _found(document: Document) -> Found:
    return Found(document.doc_id, document.title or document.doc_id, document.text)
