"""The agreement report: alpha with everything that it stands on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.agreement import words
from labelkit.agreement.alpha import coincidences, headline_alpha
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
from labelkit.agreement.labels import Label, Table, tabulate
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
    counts = table.counts[table.pairable]
    undefined = _undefined(table, counts)
    parts, resampled = _resampled_parts(table, coincidences(counts))
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
        "pairable_raters": int((table.codes[table.pairable] >= 0).any(axis=0).sum()),
        "raw_agreement": raw_agreement(counts),
        "undefined_resamples": interval.undefined,
        "resamples": resamples if undefined is None else 0,
        "level": level,
        "too_few": len(counts) < TOO_FEW_UNITS,
        "band": words.band(alpha),
        "band_low": words.band(interval.low),
    }
    return AgreementReport(
        **facts,
        interval_note=interval.note,
        domain=table.domain,
        pairable=int(counts.sum()),
        label_mix=dict(zip(table.domain, table.counts.sum(axis=0).tolist(), strict=True)),
        coincidences=tuple(map(tuple, coincidences(counts).sum(axis=0).tolist())),
        rater_pairs=tuple(rater_pairs(table, metric)),
        hot_spots=() if table.clusters == table.units else tuple(hot_spots(table)),
        conflicts=tuple(conflicts(table)),
        resampled=resampled,
        seed=seed,
        warnings=tuple(words.warnings(**facts, **_suspicions(table, counts))),
        sentence=words.sentence(**facts),
    )


def _suspicions(table: Table, counts: NDArray[np.int64]) -> dict[str, Any]:
    """The one of three or more raters who labeled every compared unit, and a mix that lowers
    alpha by itself (of the levels only, not of another domain)."""
    given = table.codes[table.pairable] >= 0
    hubs = np.flatnonzero(given.all(axis=0)) if len(given) else np.array([], dtype=np.intp)
    several = int(given.any(axis=0).sum()) > 2 if len(given) else False
    mix = counts.sum(axis=0).tolist() if table.domain == LEVELS else []
    return {
        "in_all": table.raters[int(hubs[0])] if several and len(hubs) == 1 else None,
        "prevalence": prevalence_warning(mix),
    }


def _undefined(table: Table, counts: NDArray[np.int64]) -> str | None:
    """Why there is no alpha, the most basic reason first."""
    if len(table.raters) == 1:
        return "one_rater"
    if not len(counts):
        return "no_overlap"
    if (counts.sum(axis=0) > 0).sum() < 2:
        return "no_variation"
    return None


def _resampled_parts(table: Table, parts: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
    mine = [cluster for cluster, two in zip(table.clusters, table.pairable, strict=True) if two]
    if len(set(mine)) == len(mine):
        return parts, "units"
    return clustered(parts, mine), "clusters"
