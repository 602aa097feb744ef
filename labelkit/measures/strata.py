"""Which judged pairs share a mix of levels: those that the candidates rank alike.

A document at the top of several candidates is relevant more often than one that none shows. If
all pairs shared one mix, an error would be as likely at rank 1 as anywhere, and every redrawn
comparison would come out closer than it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.perquery import discounts
from labelkit.measures.redrawn import Floats, Layout, Levels

SHARES = (0.5, 0.75, 0.9)
"""The pairs are cut here, from the least to the most promising."""


def strata(layout: Layout, levels: Levels) -> NDArray[np.int64]:
    """The stratum of each pair, from 0, the least promising, [pairs].

    How promising: least squares of the published levels on the discount of the pair's rank in
    each candidate (0 where it is not shown). The candidates are treated alike, and what each of
    them is worth is read from the labels.
    """
    ranks = rank_discounts(layout)
    table = np.column_stack([ranks, np.ones(len(ranks))])
    weights, *_ = np.linalg.lstsq(table, levels.astype(np.float64), rcond=None)
    promising = np.round(table @ weights, 9)
    cuts = np.searchsorted(np.quantile(promising, SHARES), promising, side="left")
    return np.unique(cuts, return_inverse=True)[1].reshape(-1).astype(np.int64)


def rank_discounts(layout: Layout) -> Floats:
    """1 / log2(rank + 1) of each pair in each candidate, 0 where it is not shown, [pairs, C]."""
    found = np.zeros((len(layout.pairs), len(layout.names)))
    weights = np.broadcast_to(discounts(layout.places.shape[2]), layout.places.shape[1:])
    for c, places in enumerate(layout.places):
        shown = places >= 0
        found[places[shown], c] = weights[shown]
    return found
