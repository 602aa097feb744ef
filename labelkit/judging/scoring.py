"""The score of a quiz, and what somebody would score who has not read anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from labelkit.errors import InputError
from labelkit.model import LEVELS

MEASURES: Mapping[str, str] = {
    "exact": "share of pairs with exactly the agreed level",
    "distance": "one level off counts half, two levels off counts nothing",
}


def points(measure: str, level: int, agreed: int) -> Fraction:
    """What one answer earns, 0 to 1. Raises InputError for an unknown measure."""
    if measure == "exact":
        return Fraction(level == agreed)
    if measure == "distance":
        return 1 - Fraction(abs(level - agreed), 2)
    raise InputError(f"{measure!r} is no way to score; choose {' or '.join(MEASURES)}.")


def score(measure: str, answers: Iterable[tuple[int, int]]) -> Fraction:
    """The mean points of (level, agreed level) answers; exact, so that 8 of 10 is 0.8."""
    earned = [points(measure, level, agreed) for level, agreed in answers]
    return sum(earned, Fraction()) / len(earned)


def passed(result: Fraction, pass_mark: float) -> bool:
    """Whether a score reaches the mark, which is meant to four decimals."""
    return result >= Fraction(round(pass_mark * 10_000), 10_000)


def by_chance(measure: str, agreed: Sequence[int]) -> float:
    """The expected score of who guesses each level equally often."""
    guesses = [(level, one) for one in agreed for level in LEVELS]
    return float(score(measure, guesses))


def by_one_level(measure: str, agreed: Sequence[int]) -> tuple[int, float]:
    """The level that scores most when given every time, and that score."""
    best = max(LEVELS, key=lambda level: score(measure, [(level, one) for one in agreed]))
    return best, float(score(measure, [(best, one) for one in agreed]))


def chance_to_pass(measure: str, agreed: Sequence[int], pass_mark: float) -> float:
    """How probably somebody passes who guesses: exact, over the distribution of all guesses."""
    totals: Mapping[Fraction, Fraction] = {Fraction(): Fraction(1)}
    for one in agreed:
        after: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        for total, share in totals.items():
            for level in LEVELS:
                after[total + points(measure, level, one)] += share / len(LEVELS)
        totals = after
    return float(
        sum(share for total, share in totals.items() if passed(total / len(agreed), pass_mark))
    )
