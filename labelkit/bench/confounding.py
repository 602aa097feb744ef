"""Comparisons whose difference has two possible causes: the model and the chunking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from labelkit.retrieval import Candidate

CUT = ("bm25", "static", "encoder", "endpoint", "function")
"""Kinds that have a model of their own and cut documents."""


def confounded_pairs(candidates: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Pairs of candidates that differ in model and in chunking: what made the difference?"""
    return [
        (a, b)
        for a, b in combinations([one for one in candidates if one.kind in CUT], 2)
        if model_of(a) != model_of(b) and a.chunking != b.chunking
    ]


def model_of(candidate: Candidate) -> tuple[str, ...]:
    """What scores for a candidate, whatever it is given."""
    lexical = candidate.kind if candidate.kind == "bm25" else ""
    return lexical, candidate.model, candidate.function


def confounded(candidates: Sequence[Candidate]) -> list[str]:
    """A note for each candidate and each other chunking that it is confounded with."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for a, b in confounded_pairs(candidates):
        found.setdefault((a.name, str(a.chunking), str(b.chunking)), []).append(b.name)
    return [
        f"{name} ({own}) differs in model and in chunking from {', '.join(others)} ({their}): "
        "the difference cannot be put down to either"
        for (name, own, their), others in found.items()
    ]


def marked(
    comparison: dict[str, Any] | None, candidates: Sequence[Candidate]
) -> dict[str, Any] | None:
    """A comparison whose pairs say whether model and chunking both differ: `confounded`."""
    if comparison is None:
        return None
    known = {frozenset((a.name, b.name)) for a, b in confounded_pairs(candidates)}
    pairs = [
        {**pair, "confounded": frozenset((pair["a"], pair["b"])) in known}
        for pair in comparison["pairs"]
    ]
    return {**comparison, "pairs": pairs}


def verdict(pair: Mapping[str, Any]) -> str:
    """A pair's verdict, with a mark where model and chunking both differ."""
    mark = " (confounded: model and chunking differ)" if pair.get("confounded") else ""
    return f"{pair['verdict']}{mark}"
