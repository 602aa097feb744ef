"""Each rater beside the others, as questions to talk about; never a ranking of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from labelkit.agreement.labels import Label
from labelkit.agreement.report import TOO_FEW_UNITS
from labelkit.agreement.slices import Slice, crossed, slice_of
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


def rater_notes(
    labels: Sequence[Label],
    *,
    seconds: Mapping[tuple[Hashable, Hashable], float | None],
    reasons: Mapping[tuple[Hashable, Hashable], str],
    repeats: Mapping[str, tuple[int, int]],
    **options: Any,
) -> list[RaterNotes]:
    """Notes on every rater, by name. `seconds` and `reasons` map (unit, rater) to active seconds
    and the written reason; `repeats` a rater to (same, asked) of the hidden repeats."""
    raters = sorted({str(label.rater) for label in labels})
    times = {rater: _median(labels, seconds, rater) for rater in raters}
    return [
        _notes(rater, raters, labels, times, reasons, repeats.get(rater, (0, 0)), options)
        for rater in raters
    ]


def _notes(
    rater: str,
    raters: Sequence[str],
    labels: Sequence[Label],
    times: Mapping[str, float | None],
    reasons: Mapping[tuple[Hashable, Hashable], str],
    again: tuple[int, int],
    options: Mapping[str, Any],
) -> RaterNotes:
    mine = [label for label in labels if label.rater == rater]
    others = [label for label in labels if label.rater != rater]
    units = {label.unit for label in mine}
    theirs = [label for label in others if label.unit in units]
    shared = {label.unit for label in theirs}
    mix = _mix([label for label in mine if label.unit in shared])
    compared = crossed(labels, {rater}, set(raters) - {rater})
    repeated = _repeated([reasons.get((label.unit, rater), "") for label in mine])
    pace = [time for name, time in times.items() if name != rater and time is not None]
    facts: dict[str, Any] = {
        "rater": rater,
        "n": len(mine),
        "shared": len(shared),
        "median_seconds": times[rater],
        "mix": mix,
        "others_mix": _mix(theirs),
        "with_others": slice_of(f"{rater} and others", compared, **options),
        "without": slice_of(f"without {rater}", others, **options),
        "same_again": again[0],
        "asked_again": again[1],
        "repeated_reasons": repeated,
    }
    return RaterNotes(**facts, questions=tuple(_questions(facts, pace)))


def _median(
    labels: Sequence[Label],
    seconds: Mapping[tuple[Hashable, Hashable], float | None],
    rater: str,
) -> float | None:
    known = [seconds.get((one.unit, one.rater)) for one in labels if one.rater == rater]
    measured = [time for time in known if time is not None]
    return median(measured) if measured else None


def _mix(labels: Sequence[Label]) -> dict[int, float] | None:
    if not labels:
        return None
    counts = Counter(label.value for label in labels)
    return {level: counts[level] / len(labels) for level in LEVELS}


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
