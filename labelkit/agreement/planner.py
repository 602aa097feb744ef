"""How many second labels alpha needs: by simulation from the labels that are there."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelkit.agreement.alpha import Array, alphas
from labelkit.agreement.prevalence import joint_table, skilled_alpha
from labelkit.wording import counted

WIDTHS = (0.15, 0.10)
GRID = (30, 50, 100, 200, 400, 800, 1_600, 3_200)
SIMULATIONS = 2_000
ASSUMED_ALPHA = 0.63
ENOUGH_TO_LEARN_FROM = 30
"""From this many pairs with two labels on, their own table is simulated from."""


@dataclass(frozen=True, slots=True)
class Target:
    """For one half-width: pairs needed with two labels, and how many `more` than there are;
    None where more than the largest simulated sample would be needed."""

    half_width: float
    pairs: int | None
    more: int | None


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """The plan: targets, the expected half-width at each simulated size, and what it rests on."""

    present: int
    alpha: float
    assumed: bool
    targets: tuple[Target, ...]
    curve: tuple[tuple[int, float], ...]
    sentence: str


def plan_sample(
    coincidences: Sequence[Sequence[float]],
    present: int,
    *,
    mix: Sequence[float] | None = None,
    widths: Sequence[float] = WIDTHS,
    seed: int = 0,
) -> SamplePlan:
    """How many pairs need a second label for each half-width of the 95 % interval.

    `coincidences` and `present` are those of an AgreementReport ([3, 3], pairable units). Below
    30 such pairs, or without variation, raters are assumed to reach alpha 0.63 at the `mix` of
    levels given (60/25/15 where there is none).
    """
    found = np.asarray(coincidences, dtype=np.float64)
    assumed = present < ENOUGH_TO_LEARN_FROM or _fixed(found)
    joint = _assumed(mix) if assumed else found / found.sum()
    alpha = float(alphas(joint * 1e9, np.arange(3.0), "ordinal"))
    curve = tuple((n, half_width(joint, n, seed=seed)) for n in GRID)
    targets = tuple(_target(width, curve, present) for width in widths)
    return SamplePlan(present, alpha, assumed, targets, curve, _sentence(present, alpha, targets))


def half_width(joint: Array, n: int, *, simulations: int = SIMULATIONS, seed: int = 0) -> float:
    """Half the span of the middle 95 % of alpha over simulated samples of n pairs.

    `joint` [3, 3] is the chance of each pair of levels.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(n, (joint / joint.sum()).ravel(), size=simulations)
    tables = drawn.reshape(-1, *joint.shape).astype(np.float64)
    values = alphas(
        tables + tables.transpose(0, 2, 1), np.arange(len(joint), dtype=np.float64), "ordinal"
    )
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(high - low) / 2


def _fixed(found: Array) -> bool:
    """Whether the table leaves nothing to simulate: one level only, or no disagreement at all."""
    return bool((found.sum(axis=0) > 0).sum() < 2 or np.trace(found) == found.sum())


def _assumed(mix: Sequence[float] | None) -> Array:
    shares = tuple(mix) if mix and sum(share > 0 for share in mix) > 1 else (60.0, 25.0, 15.0)
    low, high = 1 / 3, 1.0
    for _ in range(40):  # alpha grows with skill: halve until it is the assumed one
        middle = (low + high) / 2
        low, high = (
            (middle, high) if skilled_alpha(shares, middle) < ASSUMED_ALPHA else (low, middle)
        )
    return joint_table(shares, high)


def _target(width: float, curve: Sequence[tuple[int, float]], present: int) -> Target:
    for (n, wide), (m, narrow) in itertools.pairwise(curve):
        if curve[0][1] <= width:
            pairs = curve[0][0]
        elif wide > width >= narrow:
            share = np.log(wide / width) / np.log(wide / narrow)
            pairs = int(np.ceil(n * (m / n) ** share / 5) * 5)
        else:
            continue
        return Target(width, pairs, max(0, pairs - present))
    return Target(width, None, None)


def _sentence(present: int, alpha: float, targets: Sequence[Target]) -> str:
    needs = [
        f"about {one.pairs:,} pairs for ±{one.half_width:.2f} ({one.more:,} more)"
        if one.pairs is not None
        else f"more than {GRID[-1]:,} pairs for ±{one.half_width:.2f}"
        for one in targets
    ]
    held = counted(present, "pair has", "pairs have")
    return f"{held} two labels. For an alpha near {alpha:.2f}: {', '.join(needs)}."
