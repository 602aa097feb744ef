"""How much the mix of levels alone lowers alpha: what two skilled raters would reach at it.

The model: two raters of equal skill err independently; three slips of four go to the
neighbouring level, the fourth to the far one, and slips from the middle go either way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelkit.agreement.alpha import Array, alphas

SKILL = 0.85
TO_NEIGHBOUR = 0.75
LARGE_SHARE = 0.75
"""From this share of one level on, the warning is given."""


def joint_table(mix: Sequence[float], skill: float = SKILL) -> Array:
    """The chance of each pair of levels, [3, 3], for true levels in this mix; sums to 1."""
    shares = np.asarray(mix, dtype=np.float64)
    far = (1 - skill) * (1 - TO_NEIGHBOUR)
    near, half = (1 - skill) * TO_NEIGHBOUR, (1 - skill) / 2
    slips = np.array([[skill, near, far], [half, skill, half], [far, near, skill]])
    return np.asarray(np.einsum("t,ti,tj->ij", shares / shares.sum(), slips, slips))


def skilled_alpha(mix: Sequence[float], skill: float = SKILL) -> float:
    """The ordinal alpha of many labels of two such raters: 0.63 at 60/25/15, 0.34 at 90/6/4."""
    many = joint_table(mix, skill) * 1e9
    return float(alphas(many, np.arange(3.0), "ordinal"))


def prevalence_warning(mix: Sequence[float]) -> str | None:
    """A sentence where one of three levels is so frequent that alpha is low for that alone."""
    total = sum(mix)
    if len(mix) != 3 or not total or max(mix) / total < LARGE_SHARE:
        return None
    level = max(range(3), key=lambda one: mix[one])
    return (
        f"{mix[level] / total:.0%} of the labels are level {level}: two raters who are each right "
        f"{SKILL:.0%} of the time would reach an alpha of about {skilled_alpha(mix):.2f} at this "
        f"mix, and {skilled_alpha((60, 25, 15)):.2f} at 60/25/15; draw a sample in which all "
        "levels are present"
    )
