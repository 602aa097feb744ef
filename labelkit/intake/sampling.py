"""Drawing queries from a log: by frequency, by strata, or from head, torso and tail; seeded.

Each query has a random number of its own, made from the seed and its normalised form, and not
from its place in the file (permanent random numbers, Ohlsson 1995). The same log and seed give
the same draw, whatever the order of rows; a larger draw by frequency holds the smaller one; a
longer log keeps most of it. What was drawn is therefore known by its settings alone.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from labelkit.errors import InputError
from labelkit.intake import query_types
from labelkit.intake.logs import Group

METHODS = {
    "frequency": "what is searched often is drawn often: figures stand for the traffic",
    "stratified": "as many from each stratum: rare kinds are seen as well as common ones",
    "bands": "as many from head, torso and tail, each a third of the traffic",
}
BANDS = ("head", "torso", "tail")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a log is drawn from; recorded with the draw."""

    method: str = "frequency"
    size: int = 100
    seed: int = 0
    strata: str = "type"

    def as_dict(self) -> dict[str, Any]:
        """The settings that matter to the method."""
        kept = asdict(self)
        return kept if self.method == "stratified" else {**kept, "strata": None}


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the log: its distinct queries and searches, and how many queries were drawn."""

    name: str
    queries: int
    searches: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Draw:
    """The queries drawn, the stratum of each by its key, and what each stratum held."""

    settings: Settings
    groups: tuple[Group, ...]
    stratum_of: Mapping[str, str]
    strata: tuple[Stratum, ...]


def draw(groups: Sequence[Group], settings: Settings) -> Draw:
    """Draw at most `settings.size` distinct queries, the most frequent first.

    Within a stratum queries are drawn by frequency too; within a band all alike, because what a
    band is for is to see past the frequent ones. Raises InputError for unknown settings.
    """
    _check(settings)
    parts = _parts(groups, settings)
    wanted = allocate(settings.size, [len(members) for members in parts.values()])
    weigh = _one if settings.method == "bands" else _frequency
    chosen = {
        name: sorted(members, key=lambda one: _rank(one, settings.seed, weigh))[:number]
        for (name, members), number in zip(parts.items(), wanted, strict=True)
    }
    drawn = sorted(
        (one for members in chosen.values() for one in members), key=lambda g: (-g.count, g.key)
    )
    return Draw(
        settings,
        tuple(drawn),
        {one.key: name for name, members in chosen.items() for one in members},
        tuple(
            Stratum(name, len(members), sum(one.count for one in members), len(chosen[name]))
            for name, members in parts.items()
        ),
    )


def allocate(size: int, held: Sequence[int]) -> list[int]:
    """As many from each part; what a small part cannot give is shared by the others."""
    given = [0] * len(held)
    while rest := min(size, sum(held)) - sum(given):
        open_ = [at for at, number in enumerate(held) if given[at] < number]
        share = rest // len(open_)
        for at in open_ if share else open_[:rest]:
            given[at] = min(held[at], given[at] + max(share, 1))
    return given


def bands(groups: Sequence[Group]) -> dict[str, str]:
    """The band of each query by its key: which third of the traffic, from the most frequent.

    Queries searched equally often stand in one band, that of the middle of their traffic.
    """
    total, before = sum(group.count for group in groups), 0
    found: dict[str, str] = {}
    ordered = sorted(groups, key=lambda group: -group.count)
    for count, members in groupby(ordered, key=lambda group: group.count):
        keys = [group.key for group in members]
        middle = (before + count * len(keys) / 2) / total
        found |= dict.fromkeys(keys, BANDS[min(2, int(3 * middle))])
        before += count * len(keys)
    return found


def _check(settings: Settings) -> None:
    if settings.method not in METHODS:
        raise InputError(
            f"{settings.method!r} is no way to draw; choose from {', '.join(METHODS)}."
        )
    if settings.strata not in STRATA:
        raise InputError(f"{settings.strata!r} makes no strata; choose from {', '.join(STRATA)}.")
    if settings.size < 1:
        raise InputError(f"a draw holds at least one query, not {settings.size}.")


def _parts(groups: Sequence[Group], settings: Settings) -> dict[str, list[Group]]:
    """The strata of the log, those with the most searches first."""
    if settings.method == "frequency":
        return {"all": list(groups)} if groups else {}
    band = bands(groups) if settings.method == "bands" else {}
    found: dict[str, list[Group]] = {}
    for group in groups:
        name = band[group.key] if band else STRATA[settings.strata](group)
        found.setdefault(name, []).append(group)
    if band:
        return {name: found[name] for name in BANDS if name in found}
    searches = {name: sum(one.count for one in members) for name, members in found.items()}
    return {name: found[name] for name in sorted(found, key=lambda name: (-searches[name], name))}


def _frequency(group: Group) -> int:
    return group.count


def _one(group: Group) -> int:
    return 1


def _rank(group: Group, seed: int, weigh: Callable[[Group], int]) -> tuple[float, str]:
    """The smaller, the earlier drawn: an exponential waiting time whose rate is the weight.

    Taking the n smallest draws one after the other without replacement, each with a probability
    in proportion to its weight among those left (Efraimidis and Spirakis 2006, algorithm A-ES:
    the n largest u^(1/w), here as -log(u)/w).
    """
    digest = hashlib.sha256(f"{seed}\0{group.key}".encode("utf-8", "surrogatepass")).digest()
    uniform = (int.from_bytes(digest[:8]) + 0.5) / 2**64
    return -math.log(uniform) / weigh(group), group.key


def _by_type(group: Group) -> str:
    """The most telling type that the rules suggest: what it is besides its form, if anything."""
    return query_types.suggest(group.text)[-1].type


def _by_length(group: Group) -> str:
    words = len(group.text.split())
    return "1 to 3 words" if words < 4 else "4 to 7 words" if words < 8 else "8 words and more"


def _by_filter(group: Group) -> str:
    return next(iter(group.filters), "no filter")


def _by_month(group: Group) -> str:
    return group.first.strip()[:7] or "no date"


STRATA: Mapping[str, Callable[[Group], str]] = {
    "type": _by_type,
    "length": _by_length,
    "filter": _by_filter,
    "month": _by_month,
}
"""What a log can be divided by: suggested type, length, most common filter, first month."""
