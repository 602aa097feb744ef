"""Parts of a query set that deserve their own line: source, type, tag, language, length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labelkit.model import Query, QuerySource

LENGTHS = ((1, 3), (4, 7), (8, None))
"""Words per query: keywords, phrases, sentences."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the queries: what they have in common, and their ids."""

    by: str
    value: str
    query_ids: frozenset[str]


def slices(queries: Sequence[Query]) -> list[Slice]:
    """All, with and without synthetic ones, then by source, type, tag, language, length and turns.

    A slice that holds no query, or repeats a dimension's only value, is left out.
    """
    everything = Slice("all", "all queries", frozenset(query.query_id for query in queries))
    return [everything, *_synthetic(queries), *_dimensions(queries)]


def synthetic_ids(queries: Sequence[Query]) -> frozenset[str]:
    """The ids of the queries that an LLM drafted."""
    return frozenset(q.query_id for q in queries if q.source is QuerySource.SYNTHETIC)


def _synthetic(queries: Sequence[Query]) -> Iterator[Slice]:
    synthetic = synthetic_ids(queries)
    others = frozenset(q.query_id for q in queries) - synthetic
    if synthetic and others:
        yield Slice("synthetic", "without synthetic", others)
        yield Slice("synthetic", "only synthetic", synthetic)


def _dimensions(queries: Sequence[Query]) -> Iterator[Slice]:
    found: dict[str, dict[str, set[str]]] = {}
    for query in queries:
        for by, value in _labels(query):
            found.setdefault(by, {}).setdefault(value, set()).add(query.query_id)
    for by, values in found.items():
        if by in ("tag", "type") or len(values) > 1:
            yield from (Slice(by, value, frozenset(values[value])) for value in sorted(values))


def _labels(query: Query) -> Iterator[tuple[str, str]]:
    yield "source", query.source.value
    yield "language", query.language or "not stated"
    yield "length", length_label(query.text)
    yield "turns", "follow-up turn" if query.turns else "stands alone"
    yield from (("type", one) for one in query.types)
    yield from (("tag", tag) for tag in query.tags)


def length_label(text: str) -> str:
    """The length of a query in words, as a band."""
    words = max(1, len(text.split()))
    low, high = next(band for band in LENGTHS if band[1] is None or words <= band[1])
    return f"{low} words and more" if high is None else f"{low} to {high} words"
