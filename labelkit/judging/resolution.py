"""From several people's judgments of a pair to the one level that is frozen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from labelkit.errors import InputError
from labelkit.model import Adjudication, Judgment

Key = tuple[str, str]
"""A pair by name: (query_id, doc_id)."""


class State(StrEnum):
    """Where a pooled pair stands."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    CANNOT_JUDGE = "cannot_judge"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Resolution:
    """A pair's state, its level where resolved, and how that came about.

    `how` is "single", "agreed", "adjudicated", or the name of the rule that was chosen.
    """

    state: State
    level: int | None = None
    how: str = ""


def _median(levels: list[int]) -> int:
    """The lower median: of an even number of levels, the lower of the two in the middle."""
    return sorted(levels)[(len(levels) - 1) // 2]


RULES: Mapping[str, Callable[[list[int]], int]] = {"min": min, "median": _median, "max": max}


def resolve(
    pairs: Iterable[Key],
    judgments: Iterable[Judgment],
    adjudications: Iterable[Adjudication],
    rule: str | None = None,
) -> dict[Key, Resolution]:
    """The resolution of every pair: adjudicated level, else the common one, else the rule's.

    Of one person's judgments the one under the newest rubric version counts. Raises
    InputError for an unknown rule.
    """
    if rule is not None and rule not in RULES:
        raise InputError(f"{rule!r} is no resolution rule; choose {', '.join(RULES)}.")
    final = {(a.query_id, a.doc_id): a.level for a in adjudications}
    by_pair: dict[Key, dict[str, Judgment]] = defaultdict(dict)
    for judgment in sorted(judgments, key=lambda j: (j.rubric_version, j.judgment_id)):
        if judgment.round != "check":
            by_pair[judgment.query_id, judgment.doc_id][judgment.person_id] = judgment
    return {pair: _one(final.get(pair), by_pair.get(pair, {}), rule) for pair in pairs}


def _one(final: int | None, held: Mapping[str, Judgment], rule: str | None) -> Resolution:
    if final is not None:
        return Resolution(State.RESOLVED, final, "adjudicated")
    levels = [judgment.level for judgment in held.values() if judgment.level is not None]
    if not levels:
        return Resolution(State.CANNOT_JUDGE if held else State.UNJUDGED)
    if len(set(levels)) == 1:
        return Resolution(State.RESOLVED, levels[0], "single" if len(levels) == 1 else "agreed")
    if rule is None:
        return Resolution(State.UNRESOLVED)
    return Resolution(State.RESOLVED, RULES[rule](levels), rule)
