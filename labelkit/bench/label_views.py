"""The leaderboard as each single rater's labels give it, and by each rule for split pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from labelkit.judging.resolution import RULES
from labelkit.measures import Measure, redrawn
from labelkit.measures.redrawn import Layout, Levels, Pair

if TYPE_CHECKING:
    from labelkit.bench.run import ReleaseData

WHOLE = 0.8
"""A rater has judged a query who gave a level to this share of its judged pairs."""

FEWEST_QUERIES = 5

Given = Mapping[Pair, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class LabelView:
    """The means under other labels, and under the published ones on the same queries.

    `name` is a rater's pseudonym or a rule; `changed` of `pairs` labels differ from the published
    ones; `tau` is Kendall's with the published order on the same queries.
    """

    name: str
    queries: int
    pairs: int
    changed: int
    means: Mapping[str, float]
    published: Mapping[str, float]
    tau: float

    @property
    def leader(self) -> str:
        """The candidate with the highest mean."""
        return max(self.means, key=lambda name: self.means[name])


def given_levels(judgments: Iterable[Mapping[str, Any]]) -> dict[Pair, dict[str, int]]:
    """Each rater's level of each pair; of several the one under the newest rubric.

    Checks of labels, adjudications and causes are left out.
    """
    found: dict[Pair, dict[str, int]] = defaultdict(dict)
    rows = [row for row in judgments if row["role"] == "rater" and row.get("round") != "check"]
    for row in sorted(rows, key=lambda row: row.get("rubric_version") or 0):
        if row["level"] is not None:
            found[row["query_id"], row["doc_id"]][row["rater"]] = row["level"]
    return found


def by_rule(
    layout: Layout, release: ReleaseData, measure: Measure, threshold: int
) -> tuple[LabelView, ...]:
    """One view for each rule: pairs with several raters get the rule's level, settled or not."""
    given = given_levels(release.judgments)
    split = {pair: list(held.values()) for pair, held in given.items() if len(held) > 1}
    published = redrawn.published(layout, release.qrels)
    views = []
    for name, rule in RULES.items():
        other = published.copy()
        for i, pair in enumerate(layout.pairs):
            if pair in split:
                other[i] = rule(split[pair])
        views.append(_view(name, layout, published, other, len(split), measure, threshold))
    return tuple(views)


def by_rater(
    layout: Layout, release: ReleaseData, measure: Measure, threshold: int
) -> tuple[LabelView, ...]:
    """One view for each rater who judged enough queries: these queries, by that rater's labels.

    A query counts for a rater who judged most of its pairs; what the rater left out is taken
    for unjudged. Raters with fewer than FEWEST_QUERIES such queries have no view.
    """
    given = given_levels(release.judgments)
    names = sorted({rater for held in given.values() for rater in held})
    views = [_by_one(name, given, layout, release, measure, threshold) for name in names]
    return tuple(view for view in views if view is not None)


def _by_one(
    rater: str,
    given: Given,
    layout: Layout,
    release: ReleaseData,
    measure: Measure,
    threshold: int,
) -> LabelView | None:
    own: dict[str, dict[str, int]] = {query: {} for query in release.qrels}
    for (query, doc), held in given.items():
        if rater in held:
            own[query][doc] = held[rater]
    whole = [query for query, row in own.items() if len(row) >= WHOLE * len(release.qrels[query])]
    if len(whole) < FEWEST_QUERIES:
        return None
    part = _part(layout, whole)
    published = redrawn.published(part, release.qrels)
    # A pair that the rater left out gains nothing, as an unjudged one: level 0.
    levels = np.array([own[query].get(doc, 0) for query, doc in part.pairs], dtype=np.int8)
    judged = sum(len(own[query]) for query in whole)
    return _view(rater, part, published, levels, judged, measure, threshold)


def _part(layout: Layout, query_ids: Iterable[str]) -> Layout:
    """The layout of some queries only."""
    wanted = set(query_ids)
    chosen = [q for q, query in enumerate(layout.query_ids) if query in wanted]
    kept = [i for i, (query, _) in enumerate(layout.pairs) if query in wanted]
    moved = np.full(len(layout.pairs) + 2, -1, dtype=np.intp)
    moved[kept] = np.arange(len(kept))
    moved[-2:] = -2, -1
    sizes = np.diff(layout.starts, append=len(layout.pairs))[chosen]
    return Layout(
        layout.names,
        tuple(layout.query_ids[q] for q in chosen),
        tuple(layout.pairs[i] for i in kept),
        np.cumsum([0, *sizes[:-1]]),
        moved[layout.places[:, chosen]],
    )


def _view(
    name: str,
    layout: Layout,
    published: Levels,
    other: Levels,
    pairs: int,
    measure: Measure,
    threshold: int,
) -> LabelView:
    both = redrawn.scored(layout, np.stack([other, published]), measure, threshold)
    means = redrawn.means(both)
    return LabelView(
        name,
        int((~np.isnan(both[0, 0])).sum()),
        pairs,
        int((other != published).sum()),
        dict(zip(layout.names, means[0].tolist(), strict=True)),
        dict(zip(layout.names, means[1].tolist(), strict=True)),
        float(redrawn.taus(means[:1], means[1])[0]),
    )
