"""What the analysis of a winner under doubt finds, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from labelkit.bench.label_views import LabelView


@dataclass(frozen=True, slots=True)
class Chance:
    """How often a candidate has the highest mean, ties split: with redrawn labels on these
    queries, with these labels on redrawn queries, and with both redrawn."""

    name: str
    mean: float
    labels: float
    queries: float
    both: float


@dataclass(frozen=True, slots=True)
class Gap:
    """Candidate a minus b: as published, and the 95 % interval under each kind of doubt.

    `ahead` is the share of redrawn labels under which a is above b (a tie counts half).
    """

    a: str
    b: str
    difference: float
    labels: tuple[float, float]
    queries: tuple[float, float]
    both: tuple[float, float]
    ahead: float


@dataclass(frozen=True, slots=True)
class Tau:
    """Kendall's tau with the published order over redrawn labels; `same` is how often the
    whole order stays; `counts` how often each value comes up."""

    mean: float
    low: float
    high: float
    same: float
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A judgment of the smallest set that would change the winner.

    `now` is the released level, `flips_at` the one that counts for the rival, `chance` how
    likely the model takes that level for true, `raters` how many people gave the pair a level.
    """

    query_id: str
    query: str
    doc_id: str
    title: str
    now: int
    flips_at: int
    chance: float
    raters: int
    adjudicated: bool


@dataclass(frozen=True, slots=True)
class Flipped:
    """The smallest set of judgments whose change puts `rival` ahead; `exact`: none is smaller."""

    rival: str
    exact: bool
    judgments: tuple[Doubtful, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """How far the winner of a run stands on labels that may be wrong.

    `confusion` rows are true levels, columns given ones, with `confusion_low` and `_high`.
    """

    primary: str
    relevant_level: int
    leader: str
    draws: int
    seed: int
    queries: int
    pairs: Mapping[str, int]
    changed: float
    confusion: list[list[float]]
    confusion_low: list[list[float]]
    confusion_high: list[list[float]]
    candidates: tuple[Chance, ...]
    differences: tuple[Gap, ...]
    tau: Tau
    flip: Flipped | None
    raters: tuple[LabelView, ...]
    rules: tuple[LabelView, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return asdict(self)
