"""The change ledger: why a score moved between two releases and two runs.

Both runs are scored under both releases on the queries that both hold. Which of labels and
system is changed first makes a difference where they interact, so each is given the mean of
its two orders (the Shapley value); the parts then sum to the whole difference exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from labelkit.errors import InputError
from labelkit.measures import Measure, evaluate

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Ledger:
    """A mean score then and now, and the parts of the difference, which sum to `total`.

    `cells` holds the four means on common queries: (run, release) by "old" and "new".
    `interaction` is how much the effect of the labels depends on the run.
    """

    measure: str
    then: float
    now: float
    queries_withdrawn: float
    labels_changed: float
    system_changed: float
    queries_added: float
    interaction: float
    cells: Mapping[str, float]
    n: Mapping[str, int]

    @property
    def total(self) -> float:
        """The whole difference."""
        return self.now - self.then

    @property
    def sentence(self) -> str:
        """The ledger in one line."""
        return (
            f"{self.measure} went from {self.then:.3f} to {self.now:.3f} ({self.total:+.3f}): "
            f"labels changed {self.labels_changed:+.3f}, queries added {self.queries_added:+.3f}, "
            f"queries withdrawn {self.queries_withdrawn:+.3f}, "
            f"system changed {self.system_changed:+.3f}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "total": self.total, "sentence": self.sentence}


def ledger(
    old_qrels: Qrels,
    new_qrels: Qrels,
    old_run: Run,
    new_run: Run,
    measure: str | Measure = "ndcg@10",
    *,
    relevant_level: int = 2,
) -> Ledger:
    """Split a score difference into labels changed, queries added or withdrawn, system changed.

    The old run has to have been made with the old release, the new run with the new one. Raises
    InputError where the releases share no query that counts.
    """
    common = sorted(old_qrels.keys() & new_qrels.keys())
    if not common:
        raise InputError("the two releases share no query: there is nothing to compare")
    kept_old = {query_id: old_qrels[query_id] for query_id in common}
    kept_new = {query_id: new_qrels[query_id] for query_id in common}
    then, n_then = _mean(old_qrels, old_run, measure, relevant_level)
    now, n_now = _mean(new_qrels, new_run, measure, relevant_level)
    oo, n_common = _mean(kept_old, old_run, measure, relevant_level)
    on, _ = _mean(kept_new, old_run, measure, relevant_level)
    no, _ = _mean(kept_old, new_run, measure, relevant_level)
    nn, _ = _mean(kept_new, new_run, measure, relevant_level)
    return Ledger(
        measure=str(measure),
        then=then,
        now=now,
        queries_withdrawn=oo - then,
        labels_changed=((on - oo) + (nn - no)) / 2,
        system_changed=((no - oo) + (nn - on)) / 2,
        queries_added=now - nn,
        interaction=(nn - no) - (on - oo),
        cells={
            "old run, old release": oo,
            "old run, new release": on,
            "new run, old release": no,
            "new run, new release": nn,
        },
        n={"then": n_then, "now": n_now, "common": n_common},
    )


def _mean(qrels: Qrels, run: Run, measure: str | Measure, relevant_level: int) -> tuple[float, int]:
    scored = evaluate(
        qrels, run, [measure], relevant_level=relevant_level, require_overlap=False
    ).values[:, 0]
    counted = scored[~np.isnan(scored)]
    if not len(counted):
        raise InputError(f"no query counts for {measure}: none has a relevant document")
    return float(counted.mean()), len(counted)
