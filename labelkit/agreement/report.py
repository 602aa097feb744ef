"""The agreement report: alpha with everything that it stands on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from labelkit.agreement import words
from labelkit.agreement.alpha import Array, coincidences, headline_alpha
from labelkit.agreement.breakdown import (
    Conflict,
    HotSpot,
    RaterPair,
    conflicts,
    hot_spots,
    rater_pairs,
    raw_agreement,
)
from labelkit.agreement.interval import Interval, alpha_interval, clustered
from labelkit.agreement.labels import Codes, Label, Table, tabulate
from labelkit.agreement.pairing import pair_up
from labelkit.agreement.prevalence import prevalence_warning
from labelkit.model import LEVELS
from labelkit.resampling import LEVEL, RESAMPLES

TOO_FEW_UNITS = 30


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Krippendorff's alpha and what has to be read beside it.

    `alpha`, `low`, `high`: the coefficient and its BCa interval at `level`; None where there is
    none, and then `undefined` ("no_variation", "no_overlap", "one_rater") or `interval_note` says
    why. `units` have at least one label, `pairable_units` at least two, `pairable_raters` gave one
    of those, and `pairable` is the number of pairable values (Krippendorff's n). `raw_agreement`
    is the share of equal pairs of labels. `coincidences` is the symmetric coincidence matrix in
    the order of `domain`, its sum is `pairable`. `hot_spots` are empty without clusters.
    `resampled` says what the bootstrap drew: "units" or "clusters".
    `band` is read from the point, `band_low` from the interval's lower end.
    """

    alpha: float | None
    low: float | None
    high: float | None
    undefined: str | None
    interval_note: str
    metric: str
    domain: tuple[Hashable, ...]
    units: int
    raters: int
    pairable: int
    pairable_units: int
    pairable_raters: int
    raw_agreement: float | None
    label_mix: Mapping[Hashable, int]
    coincidences: tuple[tuple[float, ...], ...]
    rater_pairs: tuple[RaterPair, ...]
    hot_spots: tuple[HotSpot, ...]
    conflicts: tuple[Conflict, ...]
    resampled: str
    resamples: int
    undefined_resamples: int
    seed: int
    level: float
    too_few: bool
    band: str | None
    band_low: str | None
    warnings: tuple[str, ...]
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the keys of `label_mix` become strings."""
        plain = asdict(self)
        plain["label_mix"] = {str(value): count for value, count in self.label_mix.items()}
        return plain


def report(
    labels: Iterable[Label],
    *,
    domain: Sequence[Hashable] = LEVELS,
    metric: str = "ordinal",
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> AgreementReport:
    """How far independent raters agree.

    `domain` lists the possible values in ascending order; `metric` is ordinal, nominal, interval
    or ratio. Where several units share a cluster, clusters are resampled. Raises InputError for a
    value outside the domain, a rater with two labels on one unit, or an unknown metric.
    """
    table = tabulate(labels, domain, metric)
    return report_of(table, metric, seed=seed, resamples=resamples, level=level)


def report_of(
    table: Table,
    metric: str = "ordinal",
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> AgreementReport:
    """How far the raters of a table agree; see `report`."""
    counts = table.counts[table.pairable]
    undefined = why_undefined(table, counts)
    parts, resampled = resampled_parts(table, coincidences(counts))
    alpha, interval = None, Interval(None, None, 0, "")
    if undefined is None:
        alpha = headline_alpha(counts, table.positions, metric)
        interval = alpha_interval(
            parts, table.positions, metric, seed=seed, resamples=resamples, level=level
        )
    facts: dict[str, Any] = {
        "alpha": alpha,
        "low": interval.low,
        "high": interval.high,
        "undefined": undefined,
        "metric": metric,
        "units": len(table.units),
        "raters": len(table.raters),
        "pairable_units": len(counts),
        "pairable_raters": pairable_raters(table),
        "raw_agreement": raw_agreement(counts),
        "interval_note": interval.note,
        "undefined_resamples": interval.undefined,
        "resamples": resamples if undefined is None else 0,
        "level": level,
        "too_few": len(counts) < TOO_FEW_UNITS,
        "band": words.band(alpha),
        "band_low": words.band(interval.low),
    }
    split = tuple(conflicts(table))
    return AgreementReport(
        **facts,
        domain=table.domain,
        pairable=int(counts.sum()),
        label_mix=dict(zip(table.domain, table.counts.sum(axis=0).tolist(), strict=True)),
        coincidences=tuple(map(tuple, coincidences(counts).sum(axis=0).tolist())),
        rater_pairs=tuple(rater_pairs(pair_up(table), metric)),
        hot_spots=() if table.clusters == table.units else tuple(hot_spots(table, split)),
        conflicts=split,
        resampled=resampled,
        seed=seed,
        warnings=tuple(words.warnings(**facts, **_suspicions(table, counts))),
        sentence=words.sentence(**facts),
    )


def _suspicions(table: Table, counts: Codes) -> dict[str, Any]:
    """The one of three or more raters who labeled every compared unit, and a mix that lowers
    alpha by itself (of the levels only, not of another domain)."""
    given = np.bincount(table.rater[table.pairable[table.unit]], minlength=len(table.raters))
    hubs = np.flatnonzero((given == len(counts)) & (given > 0))
    several = int((given > 0).sum()) > 2
    mix = counts.sum(axis=0).tolist() if table.domain == LEVELS else []
    return {
        "in_all": table.raters[int(hubs[0])] if several and len(hubs) == 1 else None,
        "prevalence": prevalence_warning(mix),
    }


def why_undefined(table: Table, counts: Codes) -> str | None:
    """Why there is no alpha of the pairable `counts` [units, values], the most basic reason
    first; None where there is one."""
    if len(np.unique(table.rater)) == 1:
        return "one_rater"
    if not len(counts):
        return "no_overlap"
    if (counts.sum(axis=0) > 0).sum() < 2:
        return "no_variation"
    return None


def pairable_raters(table: Table) -> int:
    """How many raters gave a label to a unit that has another."""
    return len(np.unique(table.rater[table.pairable[table.unit]]))


def resampled_parts(table: Table, parts: Array) -> tuple[Array, str]:
    """The pairable units' `parts` as the bootstrap draws them: by cluster where units share one,
    and which of the two, "units" or "clusters"."""
    mine = table.cluster[table.pairable]
    if len(np.unique(mine)) == len(mine):
        return parts, "units"
    return clustered(parts, mine), "clusters"
