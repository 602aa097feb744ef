"""Drafts that ask in other words what another query asks, found by a static encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelkit.model import Query
from labelkit.retrieval.nearest import nearest_texts

SAME_MEANING = 0.72
"""Cosine of two queries' wordllama vectors from which on they are taken to ask the same.

Measured on the demo's 131 queries without earlier turns (8,515 pairs): the two planted
near-duplicates that it can see stand at 0.87 and 0.77, the nearest other pair at 0.65. The third
("is == safe for checking an API token" against "constant time way to compare two API tokens")
stands at 0.55 among thirteen pairs that ask different things: it is not found.
"""

NEAREST = 5


def alike(drafts: Sequence[Query], known: Sequence[Query], cache: Path) -> dict[str, list[Any]]:
    """Findings by draft: the queries that mean the same, nearest first, at most five.

    Each finding names the other query, so that one which was rejected since can be left out.
    Queries with earlier turns are not compared: their own words do not say what they ask.
    """
    asked = [query for query in drafts if not query.turns]
    others = [query for query in known if not query.turns]
    if not asked or not others:
        return {}
    near = nearest_texts(
        [query.text for query in asked], [query.text for query in others], NEAREST + 1, cache
    )
    found: dict[str, list[Any]] = {}
    for query, hits in zip(asked, near, strict=True):
        found[query.query_id] = [
            _finding(others[place], cosine)
            for place, cosine in hits
            if cosine >= SAME_MEANING and others[place].query_id != query.query_id
        ][:NEAREST]
    return found


def _finding(other: Query, cosine: float) -> dict[str, Any]:
    return {
        "name": "near-duplicate",
        "evidence": f"{other.query_id} asks “{other.text}” (similar in meaning: {cosine:.2f})",
        "query_id": other.query_id,
    }
