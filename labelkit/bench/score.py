"""Score run files against qrels: no workspace, any number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from labelkit.formats.trec import Negative, Scattered, read_qrels
from labelkit.formats.trec_coded import coded_pieces
from labelkit.formats.trec_columns import Odd
from labelkit.formats.trec_pieces import grouped_pieces, scattered_pieces
from labelkit.measures import Estimate, Measure, estimates, with_companions
from labelkit.measures.dictionaries import answered
from labelkit.measures.judgments import Qrels
from labelkit.measures.piecewise import TIE_GAP, PerQuery, Piecewise, add_to
from labelkit.measures.ranking import Rankings, ScoreDtype, Values
from labelkit.resampling import RESAMPLES

DEFAULT_MEASURES = ("ndcg@10", "recall@10")
JUDGED_ENOUGH = 0.90
RUN_ENDINGS = {".gz", ".run", ".trec", ".txt", ".tsv", ".res"}


@dataclass(frozen=True, slots=True)
class RunScore:
    """One run: its per-query values, the estimate of each measure, and the means at level ≥ 1
    where the threshold is higher and matters."""

    name: str
    evaluation: PerQuery
    estimates: dict[str, Estimate]
    at_level_1: dict[str, float | None]

    @property
    def n(self) -> int:
        """Number of queries that count for every measure (of judged@k, only if there is nothing
        else: a missing query scores 0, but shows nothing that could be judged)."""
        scored = [m.needs_relevant for m in self.evaluation.measures]
        values = self.evaluation.values[:, np.array(scored) if any(scored) else slice(None)]
        return int((~np.isnan(values).any(axis=1)).sum())

    @property
    def excluded(self) -> tuple[str, ...]:
        """Queries without a relevant document for at least one measure."""
        return tuple(sorted(set().union(*self.evaluation.excluded.values())))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What has to be read beside the figures."""
        return (
            *self.evaluation.warnings,
            *_poorly_covered(self.evaluation, self.estimates),
            *_moved_by_ties(self.ties),
        )

    @property
    def ties(self) -> dict[str, dict[str, float | None]]:
        """By measure, the lowest, highest and expected mean over all orders of documents with
        equal scores."""
        found = self.evaluation.ties
        parts = {"low": found.low, "high": found.high, "expected": found.expected}
        return {
            str(measure): {n: _mean(part[:, j]) for n, part in parts.items() if part is not None}
            for j, measure in enumerate(self.evaluation.measures)
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "name": self.name,
            "n": self.n,
            "excluded": len(self.excluded),
            "missing": len(self.evaluation.missing),
            "coverage": self.evaluation.coverage,
            "relevant_level": self.evaluation.relevant_level,
            "metrics": {name: _figures(one) for name, one in self.estimates.items()},
            "at_level_1": self.at_level_1,
            "ties": self.ties,
            "excluded_queries": {m: list(q) for m, q in self.evaluation.excluded.items() if q},
            "missing_queries": list(self.evaluation.missing),
            "warnings": list(self.warnings),
        }


def score(
    qrels_path: str | Path,
    run_paths: Sequence[str | Path],
    measures: Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    relevant_level: int = 2,
    no_relevant: Literal["exclude", "zero"] = "exclude",
    missing: Literal["zero", "drop"] = "zero",
    negative: Negative = "refuse",
    score_dtype: ScoreDtype = "float64",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[RunScore, ...]:
    """Score TREC run files against TREC or BEIR qrels, in the order given.

    Recall@k and MRR@k are always reported together, and judged@k beside them. See
    `labelkit.measures.evaluate` for the conventions. Raises InputError for bad files or measures.
    """
    shown = with_companions(measures)
    qrels = read_qrels(qrels_path, negative=negative)
    names = _names(run_paths)
    rules: dict[str, Any] = {
        "no_relevant": no_relevant,
        "missing": missing,
        "score_dtype": score_dtype,
    }
    scores = []
    for name, path in zip(names, run_paths, strict=True):
        main, easier = measured(path, qrels, shown, relevant_level, rules)
        found = estimates(list(main.values.T), seed=seed, resamples=resamples)
        by_name = dict(zip(map(str, main.measures), found, strict=True))
        scores.append(RunScore(name, main, by_name, _means(easier) if easier else {}))
    return tuple(scores)


def measured(
    path: str | Path,
    qrels: Qrels,
    measures: Sequence[Measure],
    relevant_level: int,
    rules: Mapping[str, Any],
) -> tuple[PerQuery, PerQuery | None]:
    """A run file's values, and those at level ≥ 1 where that is another level and matters.

    The file may be larger than memory: it is read in pieces of whole queries. Columns are read
    first; line by line where these hold something odd; and over temporary files where the lines
    of a query do not stand together.
    """
    easier = [one for one in measures if one.needs_relevant and not one.graded]

    def added(pieces: Iterable[Rankings]) -> tuple[PerQuery, PerQuery | None]:
        evaluations = [Piecewise(qrels, measures, relevant_level=relevant_level, **rules)]
        if evaluations[0].relevant_level > 1 and easier:
            evaluations.append(evaluations[0].beside(easier, 1))
        for piece in pieces:
            add_to(evaluations, piece)
        main, *second = (one.result() for one in evaluations)
        return main, second[0] if second else None

    try:
        try:
            return added(coded_pieces(path, qrels))
        except Odd:
            return added(answered(qrels, run) for run in grouped_pieces(path))
    except Scattered:
        return added(answered(qrels, run) for run in scattered_pieces(path))


def per_query_rows(scores: Sequence[RunScore]) -> Iterator[dict[str, Any]]:
    """Rows with query_id, run, metric, relevant_level and value, run by run."""
    for one in scores:
        yield from one.evaluation.rows(one.name)


def _names(paths: Sequence[str | Path]) -> list[str]:
    """File names without their usual endings; the whole path where two would be alike."""
    short = [_short(Path(path)) for path in paths]
    times = Counter(short)
    return [
        name if times[name] == 1 else str(path) for name, path in zip(short, paths, strict=True)
    ]


def _short(path: Path) -> str:
    while path.suffix in RUN_ENDINGS:
        path = path.with_suffix("")
    return path.name


def _means(evaluation: PerQuery) -> dict[str, float | None]:
    return {str(one): _mean(evaluation.column(one)) for one in evaluation.measures}


def _mean(values: Values) -> float | None:
    counted = values[~np.isnan(values)]
    return float(counted.mean()) if len(counted) else None


def _figures(one: Estimate) -> dict[str, Any]:
    figures = asdict(one)
    return {key: figures[key] for key in ("mean", "low", "high", "n", "method", "note")}


def _poorly_covered(evaluation: PerQuery, estimates: dict[str, Estimate]) -> Iterator[str]:
    if evaluation.missing:
        yield (
            f"{len(evaluation.missing):,} of {len(evaluation.query_ids):,} judged queries have no "
            f"result in this run (coverage {evaluation.coverage:.0%})"
        )
    for measure in evaluation.measures:
        mean = estimates[str(measure)].mean
        if measure.name == "judged" and mean is not None and mean < JUDGED_ENOUGH:
            yield (
                f"{measure} is {mean:.0%}: unjudged documents count as not relevant, so the "
                "figures may be too low; judge the holes"
            )


def _moved_by_ties(ties: Mapping[str, Mapping[str, float | None]]) -> Iterator[str]:
    for measure, found in ties.items():
        low, high = found["low"], found["high"]
        if low is not None and high is not None and high - low > TIE_GAP:
            yield (
                f"documents with equal scores move {measure} between {low:.4f} and {high:.4f}, "
                f"with {found['expected']:.4f} to be expected of a random order; the figure takes "
                "them by document id, descending"
            )
