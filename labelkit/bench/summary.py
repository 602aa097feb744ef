"""From rankings to what can be said: metrics, intervals, comparisons, slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labelkit import measures
from labelkit.bench.confounding import confounded, marked
from labelkit.bench.decision import decide
from labelkit.bench.files import RunScores
from labelkit.bench.plan import Plan
from labelkit.bench.slices import Slice, slices, synthetic_ids
from labelkit.intake.query_types import DATE_BOUND
from labelkit.measures import Evaluation, FamilyComparison
from labelkit.measures.piecewise import TIE_GAP
from labelkit.model import LEVELS, Query, demo_labels
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidates import on_paper, undocumented
from labelkit.wording import counted

if TYPE_CHECKING:
    from labelkit.bench.run import ReleaseData

Evaluations = dict[str, dict[int, Evaluation]]
"""Candidate to declared threshold to its evaluation."""


def summarise(
    release: ReleaseData,
    candidates: Sequence[Candidate],
    records: Sequence[Mapping[str, Any]],
    runs: Mapping[str, RunScores],
    plan: Plan,
    exact_runs: Mapping[str, RunScores] | None = None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The content of summary.json and the rows of per_query.csv.

    `records` say what became of each candidate, `runs` hold the rankings of those that completed,
    `exact_runs` what exact search finds on the vectors of approximate ones.
    """
    evaluations: Evaluations = {name: evaluate(release, run, plan) for name, run in runs.items()}
    family = compare(evaluations, plan)
    synthetic = synthetic_ids(release.queries)
    without = compare(evaluations, plan, synthetic) if synthetic else None
    reported = [
        candidate_summary(candidate, record, evaluations.get(candidate.name), family, plan)
        for candidate, record in zip(candidates, records, strict=True)
    ]
    for name, run in (exact_runs or {}).items():
        of_exact = evaluate(release, run, plan)[plan.relevant_level]
        loss = of_exact.values - evaluations[name][plan.relevant_level].values
        one = next(one for one in reported if one["name"] == name)
        one["index_loss"] = losses(of_exact, loss, plan)
    summary = {
        "state": "completed",
        "release": {"tag": release.tag, "content_sha256": release.content_sha256},
        "plan": plan.as_dict(),
        "queries": len(release.queries),
        "documents": len(release.documents),
        "left_out": left_out(release, plan),
        "candidates": reported,
        "comparison": marked(comparison(family), candidates),
        "comparison_without_synthetic": marked(comparison(without), candidates),
        "slices": slice_summaries(release.queries, evaluations, plan),
        "warnings": warnings(release, candidates, evaluations, reported, plan),
    }
    summary["decision"] = decide(summary)
    return summary, per_query_rows(evaluations)


def evaluate(release: ReleaseData, run: RunScores, plan: Plan) -> dict[int, Evaluation]:
    """Score one run at each declared threshold."""
    return measures.evaluate_at(
        plan.levels, release.qrels, run, plan.reported, require_overlap=False
    )


def per_query_rows(evaluations: Evaluations) -> list[dict[str, Any]]:
    """One row per query, run, metric and threshold; a metric that no threshold changes once."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name, by_level in evaluations.items():
        for evaluation in by_level.values():
            for row in evaluation.rows(name):
                key = (row["query_id"], name, row["metric"], row["relevant_level"])
                rows.setdefault(key, row)
    return list(rows.values())


def compare(
    evaluations: Evaluations, plan: Plan, without: frozenset[str] = frozenset()
) -> FamilyComparison | None:
    """The declared comparisons on the primary metric; None when there is nothing to compare.

    Queries `without` are left aside.
    """
    values = {
        name: primary_values(by_level[plan.relevant_level], plan, without)
        for name, by_level in evaluations.items()
    }
    if len(values) < 2 or np.isnan(np.column_stack(list(values.values()))).any(axis=1).all():
        return None
    pairs = plan.pairs and [pair for pair in plan.pairs if set(pair) <= values.keys()]
    if pairs is not None and not pairs:
        return None
    return measures.compare_family(values, pairs=pairs, seed=plan.seed, resamples=plan.resamples)


def primary_values(
    evaluation: Evaluation, plan: Plan, without: frozenset[str]
) -> NDArray[np.float64]:
    """The primary metric by query, NaN for those left aside."""
    aside = np.array([query_id in without for query_id in evaluation.query_ids], dtype=bool)
    return np.where(aside, np.nan, evaluation.column(plan.primary))


def comparison(family: FamilyComparison | None) -> dict[str, Any] | None:
    """The comparisons as JSON, with the difference that every pair could show."""
    if family is None:
        return None
    resolvable = [pair.smallest_resolvable for pair in family.pairs]
    known = [value for value in resolvable if value is not None]
    return {**asdict(family), "smallest_resolvable": max(known) if known else None}


def candidate_summary(
    candidate: Candidate,
    record: Mapping[str, Any],
    by_level: Mapping[int, Evaluation] | None,
    family: FamilyComparison | None,
    plan: Plan,
) -> dict[str, Any]:
    """What summary.json says of one candidate; a state and a reason where it did not finish."""
    shown = (
        "chunks", "dimensions", "index", "index_bytes", "truncated_share", "lost_token_share",
        "latency_ms", "machine", "build_seconds", "encode_seconds", "encoded_documents",
        "encoded_queries", "fingerprint", "index_recall", "fidelity", "notes", "billed_tokens",
        "cost", "peak_memory_bytes",
    )  # fmt: skip
    summary: dict[str, Any] = {
        "name": candidate.name,
        "state": record["state"],
        "why": record["why"],
        "kind": candidate.kind,
        "model": candidate.model,
        "chunking": str(candidate.chunking),
        "about": asdict(on_paper(candidate)),
        "undocumented": undocumented(candidate),
    }
    if by_level is None:
        return summary
    summary |= {key: record[key] for key in shown if key in record}
    groups = family.groups if family else ()
    summary["groups"] = [n for n, names in enumerate(groups, 1) if candidate.name in names]
    summary["coverage"] = by_level[plan.relevant_level].coverage
    summary["holes"] = len(by_level[plan.relevant_level].holes(plan.k))
    summary["metrics"] = {
        str(level): metric_table(evaluation, plan) for level, evaluation in by_level.items()
    }
    return summary


def losses(
    of_exact: Evaluation, difference: NDArray[np.float64], plan: Plan
) -> dict[str, dict[str, Any]]:
    """What an approximate index loses against exact search on the same vectors, by metric."""
    found = estimated(of_exact, difference, plan)
    return {str(one): found[str(one)] for one in of_exact.measures if one.name != "judged"}


def metric_table(evaluation: Evaluation, plan: Plan) -> dict[str, dict[str, Any]]:
    """Each metric's mean with interval, what it stands on, and how far holes and ties move it."""
    bounds, ties = evaluation.bounds(LEVELS[-1]), evaluation.ties
    figures = estimated(evaluation, evaluation.values, plan)
    return {
        str(measure): {
            **figures[str(measure)],
            "relevant_level": evaluation.relevant_level,
            "excluded": len(evaluation.excluded[str(measure)]),
            "missing": len(evaluation.missing),
            "holes_low": mean(bounds.low[:, j]),
            "holes_high": mean(bounds.high[:, j]),
            "ties_gap": gap(ties.low[:, j], ties.high[:, j]),
        }
        for j, measure in enumerate(evaluation.measures)
    }


def estimated(
    evaluation: Evaluation, values: NDArray[np.float64], plan: Plan
) -> dict[str, dict[str, Any]]:
    """Mean, interval, n and method by measure; `values` [queries, measures]."""
    found = measures.estimates(list(values.T), seed=plan.seed, resamples=plan.resamples)
    keys = ("mean", "low", "high", "n", "method", "note")
    return {
        str(measure): {key: getattr(one, key) for key in keys}
        for measure, one in zip(evaluation.measures, found, strict=True)
    }


def mean(values: NDArray[np.float64]) -> float | None:
    """The mean over the queries that count; None when there are none."""
    return None if np.isnan(values).all() else float(np.nanmean(values))


def gap(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """How far the mean can move."""
    return (mean(high) or 0.0) - (mean(low) or 0.0)


def left_out(release: ReleaseData, plan: Plan) -> list[dict[str, Any]]:
    """The queries that do not count, by reason; each query stands under one reason."""
    best = {query_id: max(row.values(), default=0) for query_id, row in release.qrels.items()}
    threshold = min(plan.relevant_level, max(best.values(), default=1) or 1)
    counting = [str(one) for one in plan.reported if one.needs_relevant]
    ungraded = [str(one) for one in plan.reported if one.needs_relevant and not one.graded]
    unjudged = [query.query_id for query in release.queries if query.query_id not in best]
    partly = [query_id for query_id, level in best.items() if 0 < level < threshold]
    reasons = (
        ("no judged document", [str(one) for one in plan.reported], unjudged),
        ("no relevant document at any level", counting, [q for q, n in best.items() if n == 0]),
        (f"no document of level {threshold}, only of lower ones", ungraded, partly),
    )
    return [
        {"why": why, "metrics": metrics, "query_ids": sorted(query_ids)}
        for why, metrics, query_ids in reasons
        if query_ids
    ]


def slice_summaries(
    queries: Sequence[Query], evaluations: Evaluations, plan: Plan
) -> list[dict[str, Any]]:
    """The reported metrics at the declared threshold for every slice of the queries."""
    return [
        {
            "by": one.by,
            "value": one.value,
            "queries": len(one.query_ids),
            "candidates": {
                name: slice_metrics(by_level[plan.relevant_level], one, plan)
                for name, by_level in evaluations.items()
            },
        }
        for one in slices(queries)
    ]


def slice_metrics(evaluation: Evaluation, one: Slice, plan: Plan) -> dict[str, Any]:
    """The metrics of one candidate over the queries of one slice."""
    inside = np.array([query_id in one.query_ids for query_id in evaluation.query_ids])
    return estimated(evaluation, evaluation.values[inside], plan)


def warnings(
    release: ReleaseData,
    candidates: Sequence[Candidate],
    evaluations: Evaluations,
    reported: Sequence[Mapping[str, Any]],
    plan: Plan,
) -> list[str]:
    """What a reader has to know beside the numbers, each once."""
    found = list(plan.warnings(len(release.documents)))
    found += demo_labels([judgment.get("provenance", "") for judgment in release.judgments])
    found += about_queries(release.queries, candidates)
    found += confounded([one for one in candidates if one.name in evaluations])
    found += [f"{one['name']}: {note}" for one in reported for note in one.get("notes", ())]
    for by_level in evaluations.values():
        found += by_level[plan.relevant_level].warnings
    for one in reported:
        for metric, row in one.get("metrics", {}).get(str(plan.relevant_level), {}).items():
            if row["ties_gap"] > TIE_GAP:
                found.append(f"{one['name']}: tied scores move {metric} by {row['ties_gap']:.3f}")
    return list(dict.fromkeys(found))


def about_queries(queries: Sequence[Query], candidates: Sequence[Candidate]) -> list[str]:
    """What the queries are that a reader could take for something else."""
    found = []
    dated = sum(DATE_BOUND in query.types for query in queries)
    if dated:
        found.append(
            f"date-bound: {dated:,} of {counted(len(queries), 'query')}. They test a filter rather "
            "than an encoder; see the slice by type."
        )
    left = sum(bool(query.turns) and query.rewritten_text is None for query in queries)
    for candidate in candidates:
        if candidate.turns == "rewritten" and left:
            found.append(
                f"{candidate.name}: {counted(left, 'query')} with earlier turns and "
                "without a rewritten form: searched as typed."
            )
    return found
