"""Each rater beside the others, as questions to talk about; never a ranking of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from labelkit.agreement.labels import Codes, Table
from labelkit.agreement.pairing import Pairing
from labelkit.agreement.report import TOO_FEW_UNITS
from labelkit.agreement.slices import Slice, slice_of, slice_of_pairs
from labelkit.model import LEVELS

SHIFT = 0.15
"""From this difference of a level's share on, the mix is worth a question."""
QUICK = 0.5
"""Below this share of the others' median time, the time is worth a question."""
COPIED = 3
"""From this many pairs with one and the same reason on, reasons are worth a question."""


@dataclass(frozen=True, slots=True)
class RaterNotes:
    """What one rater's labels look like beside the others' on the same pairs.

    `mix` and `others_mix` are shares by level over the pairs that others labeled too (None where
    there are none). `with_others` is agreement of this rater with each other one; `without` is
    agreement of the others with this rater left out. `same_again` of `asked_again` hidden
    repeats got the same level. `repeated_reasons` counts pairs whose reason this rater gave
    word for word for another pair. `questions` are for a talk.
    """

    rater: str
    n: int
    shared: int
    median_seconds: float | None
    mix: Mapping[int, float] | None
    others_mix: Mapping[int, float] | None
    with_others: Slice
    without: Slice
    same_again: int
    asked_again: int
    repeated_reasons: int
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """What a rater notes beside a level, label by label in the order in which they were given:
    active seconds (None where not measured), the written reason, and when."""

    seconds: Sequence[float | None]
    reasons: Sequence[str]
    moments: Sequence[str]


def rater_notes(
    pairing: Pairing, marks: Marks, repeats: Mapping[str, tuple[int, int]]
) -> list[RaterNotes]:
    """Notes on every rater, by name. `repeats` maps a rater to (same, asked) of the hidden
    repeats."""
    table = pairing.table
    raters = sorted((str(rater), code) for code, rater in enumerate(table.raters))
    places = _places(table)
    times = {rater: _median(table.given[places[code]], marks.seconds) for rater, code in raters}
    return [
        _notes(rater, code, pairing, places[code], times, marks.reasons, repeats.get(rater, (0, 0)))
        for rater, code in raters
    ]


def _places(table: Table) -> list[Codes]:
    """The places of each rater's labels, in order."""
    order = np.argsort(table.rater, kind="stable")
    sizes = np.bincount(table.rater, minlength=len(table.raters))
    return np.split(order, np.cumsum(sizes)[:-1]) if len(sizes) else []


def _notes(
    rater: str,
    code: int,
    pairing: Pairing,
    places: Codes,
    times: Mapping[str, float | None],
    reasons: Sequence[str],
    again: tuple[int, int],
) -> RaterNotes:
    table = pairing.table
    shared = places[table.pairable[table.unit[places]]]
    mine = np.bincount(table.value[shared], minlength=len(LEVELS))
    whole = table.counts[table.unit[shared]].sum(axis=0)
    one, other = pairing.raters
    pace = [time for name, time in times.items() if name != rater and time is not None]
    facts: dict[str, Any] = {
        "rater": rater,
        "n": len(places),
        "shared": len(shared),
        "median_seconds": times[rater],
        "mix": _mix(mine),
        "others_mix": _mix(whole - mine),
        "with_others": slice_of_pairs(
            f"{rater} and others", pairing.only((one == code) | (other == code))
        ),
        "without": slice_of(f"without {rater}", table.only(table.rater != code)),
        "same_again": again[0],
        "asked_again": again[1],
        "repeated_reasons": _repeated([reasons[given] for given in table.given[places].tolist()]),
    }
    return RaterNotes(**facts, questions=tuple(_questions(facts, pace)))


def _median(given: Codes, seconds: Sequence[float | None]) -> float | None:
    known = [seconds[one] for one in given.tolist()]
    measured = [time for time in known if time is not None]
    return median(measured) if measured else None


def _mix(counts: Codes) -> dict[int, float] | None:
    total = int(counts.sum())
    if not total:
        return None
    return {level: int(counts[level]) / total for level in LEVELS}


def _repeated(reasons: Sequence[str]) -> int:
    counts = Counter(" ".join(reason.split()).casefold() for reason in reasons if reason.strip())
    return sum(number for number in counts.values() if number > 1)


def _questions(facts: Mapping[str, Any], pace: Sequence[float]) -> list[str]:
    """Where something stands out on enough pairs, a question that does not know the answer."""
    found = []
    mix, others = facts["mix"], facts["others_mix"]
    if facts["shared"] >= TOO_FEW_UNITS and mix and others:
        level = max(LEVELS, key=lambda one: abs(mix[one] - others[one]))
        if abs(mix[level] - others[level]) >= SHIFT:
            found.append(
                f"Level {level} on {mix[level]:.0%} of the shared pairs, others "
                f"{others[level]:.0%}: what does level {level} mean to you?"
            )
    if facts["median_seconds"] is not None and pace:
        usual = median(pace)
        if facts["median_seconds"] < QUICK * usual:
            found.append(
                f"Half of the pairs took under {facts['median_seconds']:.0f} s, the others' "
                f"{usual:.0f} s: do you know this material well, or is something unclear to them?"
            )
    if facts["repeated_reasons"] >= COPIED:
        found.append(
            f"{facts['repeated_reasons']} pairs share their reason word for word with another: "
            "would a rule in the rubric say it once?"
        )
    if facts["asked_again"] >= 5 and facts["same_again"] / facts["asked_again"] < 0.8:
        found.append(
            f"{facts['same_again']} of {facts['asked_again']} repeated pairs got the same level: "
            "which of them were hard to decide?"
        )
    return found
