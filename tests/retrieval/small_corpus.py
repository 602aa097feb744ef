"""A corpus small enough to see the right ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Candidate, Retrieval, default_candidates, retrieve

DOCUMENTS = [
    Document("csv.writer", "csv.writer", "Write rows to a CSV file, separated by commas."),
    Document("socket.bind", "socket.bind", "Bind a network socket to an address and a port."),
    Document("math.sqrt", "math.sqrt", "Return the square root of a number."),
    Document("time.sleep", "time.sleep", "Pause the program for a number of seconds."),
]
QUERIES = [
    Query("q1", "save a table as comma separated values", QuerySource.LOG),
    Query("q2", "wait two seconds before going on", QuerySource.LOG),
    Query("q3", "root of a number", QuerySource.LOG),
]
BEST = {"q1": "csv.writer", "q2": "time.sleep", "q3": "math.sqrt"}


def built_in(name: str) -> Candidate:
    """One of the built-in candidates."""
    return next(one for one in default_candidates() if one.name == name)


def top(
    candidate: Candidate,
    cache: Path,
    documents: Sequence[Document] = DOCUMENTS,
    queries: Sequence[Query] = QUERIES,
    depth: int = 4,
) -> Retrieval:
    """Retrieve from the small corpus."""
    return retrieve(candidate, documents, queries, depth, cache)
