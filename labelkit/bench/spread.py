"""How far two candidates differ from query to query, as the latest run measured it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from labelkit.bench.results import load_run
from labelkit.bench.runs import list_runs
from labelkit.intake import DIFFERENCE, SizeAdvice, size_advice
from labelkit.measures.paired import standard_errors_to_resolve
from labelkit.wording import counted


@dataclass(frozen=True, slots=True)
class Spread:
    """The widest standard deviation of per-query differences among a run's pairs.

    `comparisons` is the size of the declared family, whose level the pairs share.
    """

    sd: float
    run: str
    primary: str
    pair: tuple[str, str]
    queries: int
    comparisons: int

    @property
    def words(self) -> str:
        """Where the figure comes from."""
        return (
            f"{self.primary} of {self.pair[0]} against {self.pair[1]} on "
            f"{counted(self.queries, 'query')} in the run {self.run}, the widest of "
            f"{self.comparisons}"
        )


def latest_spread(runs: Path) -> Spread | None:
    """The spread of the newest finished run with a comparison; None where there is none."""
    for folder in list_runs(runs):
        result = load_run(folder)
        comparison = result.summary.get("comparison") if result.finished else None
        known = [
            pair for pair in (comparison or {"pairs": []})["pairs"] if pair["smallest_resolvable"]
        ]
        if comparison and known:
            widest = max(known, key=lambda pair: float(pair["smallest_resolvable"]))
            family = len(comparison["pairs"])
            # The summary holds what these queries resolve: so many standard errors of this size.
            errors = standard_errors_to_resolve(family, comparison["level"])
            sd = widest["smallest_resolvable"] * math.sqrt(widest["n"]) / errors
            pair = (widest["a"], widest["b"])
            primary = result.plan.primary
            return Spread(sd, folder.name, primary, pair, widest["n"], family)
    return None


def advise(runs: Path, have: int, difference: float = DIFFERENCE) -> SizeAdvice:
    """Whether `have` queries are enough: by the latest run's spread, else by a stated default."""
    spread = latest_spread(runs)
    if spread is None:
        return size_advice(have, difference)
    return size_advice(
        have, difference, sd=spread.sd, sd_from=spread.words, comparisons=spread.comparisons
    )
