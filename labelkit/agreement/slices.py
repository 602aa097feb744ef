"""Agreement in parts: by any grouping of units, by pair of raters, over time, by kind of rater.

Every part carries its n and its interval; where it has too few units it says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from labelkit.agreement.labels import Label
from labelkit.agreement.report import report
from labelkit.model import LEVELS

RESAMPLES = 2_000
"""Fewer than for the headline: parts are read side by side, not quoted."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Agreement in one part: `units` with two labels or more; `undefined` says why there is no
    alpha; `too_few` that the part is to be greyed."""

    name: str
    units: int
    raters: int
    alpha: float | None
    low: float | None
    high: float | None
    raw_agreement: float | None
    undefined: str | None
    too_few: bool
    band: str | None


def slice_of(
    name: str, labels: Iterable[Label], domain: Sequence[Hashable] = LEVELS, **options: Any
) -> Slice:
    """Agreement of these labels under a name."""
    told = report(labels, domain=domain, **{"resamples": RESAMPLES, **options})
    return Slice(
        name, told.pairable_units, told.pairable_raters, told.alpha, told.low, told.high,
        told.raw_agreement, told.undefined, told.too_few, told.band,
    )  # fmt: skip


def by_group(
    labels: Iterable[Label], groups: Mapping[Hashable, Collection[str]], **options: Any
) -> list[Slice]:
    """Agreement in each group, most units first. `groups` maps a unit to its groups' names, such
    as the source or types of its query; a unit may be in several, or in none."""
    members: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        for name in groups.get(label.unit, ()):
            members[name].append(label)
    found = [slice_of(name, held, **options) for name, held in members.items()]
    return sorted(found, key=lambda part: (-part.units, part.name))


def by_rater_pair(labels: Sequence[Label], **options: Any) -> dict[tuple[str, str], Slice]:
    """Agreement of every two raters on the units that both labeled, in order of name."""
    mine: dict[str, dict[Hashable, Label]] = defaultdict(dict)
    for label in labels:
        mine[str(label.rater)][label.unit] = label
    found = {}
    for a, b in combinations(sorted(mine), 2):
        shared = mine[a].keys() & mine[b].keys()
        if shared:
            both = [mine[rater][unit] for unit in mine[a] if unit in shared for rater in (a, b)]
            found[a, b] = slice_of(f"{a} and {b}", both, **options)
    return found


def over_time(
    labels: Sequence[Label],
    moments: Mapping[tuple[Hashable, Hashable], str],
    parts: int = 4,
    **options: Any,
) -> list[Slice]:
    """Agreement in `parts` of equal size, oldest first: drift; with 2, first half and second.

    `moments` maps (unit, rater) to an ISO time. A unit belongs to the time of its second label,
    when it first could be compared; units with one label are left out.
    """
    told: dict[Hashable, list[str]] = defaultdict(list)
    for label in labels:
        told[label.unit].append(moments[label.unit, label.rater])
    ready = {unit: sorted(times)[1] for unit, times in told.items() if len(times) > 1}
    order = sorted(ready, key=lambda unit: (ready[unit], str(unit)))
    edges = [round(len(order) * part / parts) for part in range(parts + 1)]
    one_day = len({time[:10] for time in ready.values()}) == 1
    shown = 16 if one_day else 10
    found = []
    for start, end in pairwise(edges):
        units = set(order[start:end])
        if units:
            first, last = ready[order[start]][:shown], ready[order[end - 1]][:shown]
            name = f"{first} to {last}".replace("T", " ")
            held = [label for label in labels if label.unit in units]
            found.append(slice_of(name, held, **options))
    return found


def crossed(
    labels: Sequence[Label], ones: Collection[Hashable], others: Collection[Hashable]
) -> list[Label]:
    """Each label of one group beside each label of the other on the same unit.

    Every such pair becomes a unit of its own with the two raters "one" and "other", so that
    agreement within a group plays no part; the unit, or its cluster, stays the cluster.
    """
    by_unit: dict[Hashable, list[Label]] = defaultdict(list)
    for label in labels:
        by_unit[label.unit].append(label)
    found = []
    for unit, held in by_unit.items():
        for a in (label for label in held if label.rater in ones):
            for b in (label for label in held if label.rater in others and label.rater != a.rater):
                key, cluster = (unit, a.rater, b.rater), a.cluster if a.cluster else unit
                found += [
                    Label(key, "one", a.value, cluster),
                    Label(key, "other", b.value, cluster),
                ]
    return found


def by_kind(labels: Sequence[Label], models: Collection[Hashable], **options: Any) -> list[Slice]:
    """Human with human, human with model, model with model: three figures, never one."""
    raters = {label.rater for label in labels}
    graders = raters & set(models)
    people = raters - graders
    return [
        slice_of("human–human", [one for one in labels if one.rater in people], **options),
        slice_of("human–model", crossed(labels, people, graders), **options),
        slice_of("model–model", [one for one in labels if one.rater in graders], **options),
    ]
