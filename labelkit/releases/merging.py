"""What two releases say differently of one thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from labelkit.releases.reading import Release


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Something that two releases say differently: a "document", "query" or "rubric", which has
    to be chosen, or a "level", which stays a disagreement to be settled in the new project."""

    kind: str
    item: str
    first: str
    second: str

    @property
    def blocks(self) -> bool:
        """Whether somebody has to choose a side first."""
        return self.kind != "level"


def merge_conflicts(first: Release, second: Release) -> tuple[MergeConflict, ...]:
    """Everything that two releases say differently of one thing, by kind and id."""
    return (*_rubric(first, second), *_texts(first, second), *_levels(first, second))


def _rubric(first: Release, second: Release) -> Iterator[MergeConflict]:
    told = [release.manifest["rubric"] for release in (first, second)]
    if told[0]["sha256"] != told[1]["sha256"]:
        names = [f"version {one['version']}, {one['body']['title']}" for one in told]
        yield MergeConflict("rubric", "in force", *names)


def _texts(first: Release, second: Release) -> Iterator[MergeConflict]:
    for doc_id in sorted(first.hashes.keys() & second.hashes.keys()):
        if first.hashes[doc_id] != second.hashes[doc_id]:
            yield MergeConflict("document", doc_id, *_titles(doc_id, first, second))
    asked = {query.query_id: query for query in first.queries}
    for query in second.queries:
        held = asked.get(query.query_id)
        if held is not None and (held.text, held.turns) != (query.text, query.turns):
            yield MergeConflict("query", query.query_id, held.text, query.text)


def _titles(doc_id: str, *found: Release) -> Iterator[str]:
    for release in found:
        yield next(one.title for one in release.documents if one.doc_id == doc_id)


def _levels(first: Release, second: Release) -> Iterator[MergeConflict]:
    for query_id in sorted(first.qrels.keys() & second.qrels.keys()):
        one, other = first.qrels[query_id], second.qrels[query_id]
        for doc_id in sorted(one.keys() & other.keys()):
            if one[doc_id] != other[doc_id]:
                pair = f"{query_id} with {doc_id}"
                yield MergeConflict("level", pair, str(one[doc_id]), str(other[doc_id]))
