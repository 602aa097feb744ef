"""nDCG@10, Recall@10, MRR and AP of 10,000 queries × 100 results against pytrec_eval and ranx.

Usage: python benchmarks/metrics.py. Per-query values, at one threshold and at both that are
reported (level 2 and level 1 as relevant; pytrec_eval has to run twice). "Coded": each has ready
what it makes of a file, pytrec_eval its dictionaries and `labelkit score` its coded rankings, whose
lines were matched with the judgments as they were read. "File": reading and matching included,
pytrec_eval with its own reader. "Dictionaries": what `labelkit bench` does, on the dictionaries of
pytrec_eval. ranx, which compiles itself at first use, is measured with the building of its objects
where it is installed (it brings numba, matplotlib, ir_datasets and more, so labelkit does not ask
for it), against labelkit from the same dictionaries.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval
from floors import Figure, in_turns, verdict

from labelkit.formats.trec import write_run
from labelkit.formats.trec_coded import coded_pieces
from labelkit.measures import evaluate, evaluate_at, parse_all
from labelkit.measures.dictionaries import answered
from labelkit.measures.judgments import count_levels
from labelkit.measures.perquery import Ranked, Values, values
from labelkit.measures.piecewise import Piecewise, add_to
from labelkit.measures.ranking import Rankings, blocks

QUERIES, DEPTH, JUDGED, CORPUS = 10_000, 100, 30, 100_000
OURS = ("ndcg@10", "recall@10", "mrr@100", "ap")
THEIRS = {
    "ndcg_cut.10": "ndcg_cut_10",
    "recall.10": "recall_10",
    "recip_rank": "recip_rank",
    "map": "map",
}
FASTER, FASTER_THAN_RANX, MICROSECONDS = 4.0, 5.0, 2.0
RANX = ["ndcg@10", "recall@10", "mrr", "map"]

Rows = dict[str, dict[str, Any]]


def generated() -> tuple[Rows, Rows]:
    """Qrels and a run: 10 of the ranked documents and 20 others are judged."""
    rng = np.random.default_rng(0)
    docs = [f"doc{number}" for number in range(CORPUS)]
    qrels, run = {}, {}
    for number in range(QUERIES):
        drawn = rng.choice(CORPUS, DEPTH + 20, replace=False)
        run[f"q{number}"] = {docs[i]: float(DEPTH - rank) for rank, i in enumerate(drawn[:DEPTH])}
        judged = np.concatenate(
            [rng.choice(drawn[:DEPTH], JUDGED - 20, replace=False), drawn[DEPTH:]]
        )
        levels = rng.integers(0, 3, JUDGED).tolist()
        qrels[f"q{number}"] = {docs[i]: level for i, level in zip(judged, levels, strict=True)}
    return qrels, run


def ranx_evaluate(qrels: Rows, run: Rows) -> None:
    """ranx with the building of its objects."""
    from ranx import Qrels, Run
    from ranx import evaluate as ranx

    ranx(Qrels(qrels), Run(run), RANX)


def measured(pieces: Iterable[Rankings], qrels: Rows) -> Values:
    """Per-query values as `labelkit score` finds them, at one threshold."""
    whole = Piecewise(qrels, OURS, relevant_level=1, no_relevant="zero")
    for piece in pieces:
        add_to([whole], piece)
    return whole.result().values


def measured_at_both(pieces: Iterable[Rankings], qrels: Rows) -> None:
    """The same at both thresholds."""
    strict = Piecewise(qrels, OURS, relevant_level=2)
    both = [strict, strict.beside(OURS, 1)]
    for piece in pieces:
        add_to(both, piece)


def parsed(path: Path) -> Rows:
    """The run as pytrec_eval reads it."""
    with path.open() as file:
        return pytrec_eval.parse_run(file)


def evaluated(run: Rows, *evaluators: Any) -> None:
    """The run at the threshold of each evaluator of pytrec_eval."""
    for one in evaluators:
        one.evaluate(run)


def works(qrels: Rows, run: Rows, path: Path) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    pieces = list(coded_pieces(path, qrels))
    witness = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS))
    strict = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS), relevance_level=2)
    wanted = parse_all(OURS)
    counts = count_levels(sorted(qrels), qrels)
    laid_out = [(one.levels, counts.rows(one.rows)) for one in blocks(answered(qrels, run))]
    work: dict[str, Callable[[], Any]] = {
        "pytrec_eval": lambda: witness.evaluate(run),
        "pytrec_eval, both": lambda: evaluated(run, witness, strict),
        "pytrec_eval, file": lambda: witness.evaluate(parsed(path)),
        "coded": lambda: measured(pieces, qrels),
        "coded, both": lambda: measured_at_both(pieces, qrels),
        "pytrec_eval, file, both": lambda: evaluated(parsed(path), witness, strict),
        "file": lambda: measured(coded_pieces(path, qrels), qrels),
        "file, both": lambda: measured_at_both(coded_pieces(path, qrels), qrels),
        "dictionaries": lambda: evaluate(qrels, run, OURS, relevant_level=1),
        "dictionaries, both": lambda: evaluate_at((2, 1), qrels, run, OURS),
        "ranks": lambda: [
            values(one, Ranked(levels, counted, 1))
            for levels, counted in laid_out
            for one in wanted
        ],
    }
    if importlib.util.find_spec("ranx"):
        work["ranx"] = lambda: ranx_evaluate(qrels, run)
    return work


def largest_gap(qrels: Rows, work: dict[str, Callable[[], Any]]) -> float:
    """The largest difference between a value of labelkit and the same of pytrec_eval."""
    theirs = work["pytrec_eval"]()
    expected = [[theirs[q][name] for name in THEIRS.values()] for q in sorted(qrels)]
    return float(np.abs(np.array(expected) - work["coded"]()).max())


def _times(seconds: dict[str, float], ours: str) -> float:
    """How many times longer pytrec_eval takes for the same."""
    theirs = ours.replace("coded", "pytrec_eval").replace("dictionaries", "pytrec_eval")
    return seconds[theirs.replace("file", "pytrec_eval, file")] / seconds[ours]


def main() -> None:
    """Measure in turns, check that all agree, and judge."""
    qrels, run = generated()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        write_run(path, run, "a")
        work = works(qrels, run, path)
        seconds = in_turns(7, **work)
        gap = largest_gap(qrels, work)
    figures = [
        Figure("coded, times pytrec_eval", _times(seconds, "coded"), FASTER),
        Figure("coded, both, times pytrec_eval", _times(seconds, "coded, both"), FASTER),
        Figure("ranks alone, µs a query", 1e6 * seconds["ranks"] / QUERIES, MICROSECONDS, False),
        Figure("largest difference to pytrec_eval", gap, 1e-12, False),
    ]
    if "ranx" in seconds:
        slower = seconds["ranx"] / seconds["dictionaries"]
        figures.append(Figure("from dictionaries, times ranx", slower, FASTER_THAN_RANX))
    else:
        print("ranx is not installed: not measured")
    for ours in ("dictionaries", "dictionaries, both", "file", "file, both"):
        print(f"{ours}, times pytrec_eval: {_times(seconds, ours):.2f} (no floor)")
    verdict("metrics", figures, seconds)


if __name__ == "__main__":
    main()
