"""How many queries are enough: what a given number resolves, and what a given difference needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from labelkit.errors import InputError
from labelkit.measures.paired import standard_errors_to_resolve
from labelkit.resampling import LEVEL
from labelkit.wording import counted

FIRST_TARGET = (80, 200)
TOO_FEW = 50
DIFFERENCE = 0.05

DEFAULT_SD = 0.25
DEFAULT_SD_FROM = (
    "a default: on Cranfield's 225 queries the nDCG@10 of two of our built-in candidates differ "
    "by query with a standard deviation of 0.14 to 0.23"
)
"""Measured for the six pairs of bm25, wordllama, wordllama-64 and all-MiniLM-L6-v2, and rounded
up. Recall@10 gave 0.24 to 0.34 there, MRR@10 0.29 to 0.41: a metric that is mostly 0 or 1 by
query needs more queries."""


@dataclass(frozen=True, slots=True)
class SizeAdvice:
    """What `have` queries can show, and how many a true difference of `difference` takes.

    `sd` is the standard deviation of the per-query differences it rests on, `sd_from` where that
    comes from. `resolves` is the smallest true difference found with 80 % power; None below two
    queries. `short_by` is 0 where there are enough.
    """

    have: int
    difference: float
    needed: int
    resolves: float | None
    sd: float
    sd_from: str
    comparisons: int

    @property
    def short_by(self) -> int:
        """How many queries are missing for this difference."""
        return max(0, self.needed - self.have)

    @property
    def too_few(self) -> bool:
        """Whether there are so few that a release warns."""
        return self.have < TOO_FEW

    @property
    def sentence(self) -> str:
        """The advice in words."""
        low, high = FIRST_TARGET
        here = counted(self.have, "accepted query")
        if self.too_few:
            return (
                f"{here}: too few to decide on, below {TOO_FEW} any difference short of a large "
                f"one stays hidden. A first target is {low} to {high}."
            )
        if self.short_by:
            return (
                f"{here}: {self.short_by:,} more needed to tell apart candidates that differ "
                f"by {self.difference:g}."
            )
        return f"{here}: enough to tell apart candidates that differ by {self.difference:g}."

    @property
    def basis(self) -> str:
        """What the advice rests on, in words."""
        found = "" if self.resolves is None else f"{self.have:,} resolve {self.resolves:.3f}; "
        many = "" if self.comparisons == 1 else f", {self.comparisons} comparisons"
        return (
            f"{found}a difference of {self.difference:g} takes {self.needed:,} (80 % power, 5 % "
            f"level{many}, standard deviation of the differences by query {self.sd:.2f}: "
            f"{self.sd_from})."
        )


def queries_needed(
    difference: float, sd: float = DEFAULT_SD, *, comparisons: int = 1, level: float = LEVEL
) -> int:
    """Queries with which a true mean difference is found with 80 % power by a paired test.

    n = ((z₁ + z₂) · sd / difference)² + z₁² / 2, rounded up, where z₁ is the normal quantile of
    1 - α/2m (two-sided, Bonferroni over m comparisons) and z₂ that of the power. The first term
    is the usual size for a paired comparison (Cohen 1988; for test collections: Sakai 2016,
    "Topic set size design"), and inverts `measures.paired.smallest_resolvable`; the second is
    Guenther's (1981) correction, because the standard deviation is itself estimated from these
    queries. Raises InputError for a difference or deviation that is not above zero.
    """
    if not (0 < difference < math.inf and 0 < sd < math.inf) or comparisons < 1:
        raise InputError(
            f"a difference of {difference:g} with a standard deviation of {sd:g} cannot be "
            "planned for: both have to be above zero."
        )
    z = standard_errors_to_resolve(comparisons, level)
    correction = NormalDist().inv_cdf(1 - (1 - level) / (2 * comparisons)) ** 2 / 2
    return math.ceil((z * sd / difference) ** 2 + correction)


def size_advice(
    have: int,
    difference: float = DIFFERENCE,
    *,
    sd: float | None = None,
    sd_from: str = "",
    comparisons: int = 1,
) -> SizeAdvice:
    """Advice for `have` queries; `sd` is that of the latest run, else a stated default."""
    spread = DEFAULT_SD if sd is None else sd
    needed = queries_needed(difference, spread, comparisons=comparisons)
    z = standard_errors_to_resolve(comparisons)
    return SizeAdvice(
        have,
        difference,
        needed,
        None if have < 2 else z * spread / math.sqrt(have),
        spread,
        DEFAULT_SD_FROM if sd is None else sd_from,
        comparisons,
    )
