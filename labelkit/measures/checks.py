"""What is refused before anything is measured, and what is said beside the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from labelkit.errors import InputError
from labelkit.measures.judgments import LevelCounts, Qrels
from labelkit.measures.names import Measure
from labelkit.measures.ranking import Run
from labelkit.wording import counted

DEEP_SHARE = 0.10
"""Warn when more than this share of queries has more relevant documents than the cut-off."""


def require_overlap(qrels: Qrels, run: Run) -> None:
    """Refuse a run whose query ids, or whose document ids, are none of the judged ones."""
    if not qrels:
        raise InputError("there are no judgments; give qrels with at least one query")
    if run and not qrels.keys() & run.keys():
        raise InputError(
            "no query id of the run occurs in the judgments: the run has "
            f"{_some(run)}, the judgments have {_some(qrels)}; ids are compared as exact strings"
        )
    answers = ((row, run.get(query_id, {})) for query_id, row in qrels.items())
    if any(run.values()) and not any(row.keys() & found.keys() for row, found in answers):
        _require_known_documents(qrels, run)


def _require_known_documents(qrels: Qrels, run: Run) -> None:
    judged = set().union(*qrels.values())
    if judged and not any(judged & ranking.keys() for ranking in run.values()):
        found = {doc_id: 0 for ranking in run.values() for doc_id in islice(ranking, 3)}
        raise InputError(
            "no document id of the run occurs in the judgments: the run has "
            f"{_some(found)}, the judgments have {_some(dict.fromkeys(sorted(judged)))}; "
            "ids are compared as exact strings"
        )


def notices(
    counts: LevelCounts, threshold: int, asked: int, measures: Sequence[Measure], unknown: int
) -> Iterator[str]:
    """What a reader has to know beside the numbers, one sentence each."""
    if threshold != asked:
        yield (
            f"the judgments hold no level above 1: relevant means level ≥ {threshold} here, "
            f"not ≥ {asked}"
        )
    if unknown:
        yield f"left out: {counted(unknown, 'query')} of the run without judgments"
    yield from _deep(counts, threshold, measures)


def _deep(counts: LevelCounts, threshold: int, measures: Sequence[Measure]) -> Iterator[str]:
    relevant = counts.relevant(threshold)
    relevant = relevant[relevant > 0]
    for measure in measures:
        if measure.name not in ("recall", "ap") or measure.k is None or not len(relevant):
            continue
        share = float(np.mean(relevant > measure.k))
        if share > DEEP_SHARE:
            yield (
                f"{measure}: {share:.0%} of queries have more than {measure.k} relevant documents, "
                "so that even a perfect ranking stays below 1; take a larger k"
            )


def _some(ids: Mapping[str, object]) -> str:
    shown = ", ".join(repr(one) for one in islice(ids, 3))
    return f"{shown} and {len(ids) - 3} more" if len(ids) > 3 else shown
