"""nDCG@10, Recall@10, MRR and AP of 10,000 queries × 100 results against pytrec_eval and ranx.

Usage: python benchmarks/metrics.py. pytrec_eval has its dictionaries ready, labelkit its coded
ids; both go from ids to per-query values. "From dictionaries" is labelkit's `evaluate` on the
same dictionaries as pytrec_eval; "both thresholds" is what `labelkit score` and `labelkit bench`
do: levels of 2 and of 1 as relevant. ranx, which compiles itself at first use, is measured with the
building of its objects where it is installed (it brings numba, matplotlib, ir_datasets and more,
so labelkit does not ask for it).
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytrec_eval
from floors import Figure, in_turns, verdict

from labelkit.measures import evaluate, evaluate_at, parse_all
from labelkit.measures.coded import code, coded_values
from labelkit.measures.perquery import Ranked, values

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


def main() -> None:
    """Measure in turns, check that all agree, and judge."""
    qrels, run = generated()
    witness = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS))
    strict = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS), relevance_level=2)
    coded = code(qrels, run)
    blocks = [(one, coded.counts.rows(one.rows)) for one in coded.blocks()]
    wanted = parse_all(OURS)
    work = {
        "pytrec_eval": lambda: witness.evaluate(run),
        "coded": lambda: coded_values(coded, OURS, relevant_level=1),
        "dictionaries": lambda: evaluate(qrels, run, OURS, relevant_level=1),
        "pytrec_eval, both levels": lambda: (witness.evaluate(run), strict.evaluate(run)),
        "dictionaries, both levels": lambda: evaluate_at((2, 1), qrels, run, OURS),
        "ranks": lambda: [
            values(one, Ranked(block.levels, counts, 1))
            for block, counts in blocks
            for one in wanted
        ],
        "coding": lambda: code(qrels, run),
    }
    if importlib.util.find_spec("ranx"):
        work["ranx"] = lambda: ranx_evaluate(qrels, run)
    seconds = in_turns(7, **work)
    theirs = witness.evaluate(run)
    expected = np.array([[theirs[q][name] for name in THEIRS.values()] for q in coded.query_ids])
    gap = float(np.abs(expected - coded_values(coded, OURS, relevant_level=1)).max())
    figures = [
        Figure("coded ids, times pytrec_eval", seconds["pytrec_eval"] / seconds["coded"], FASTER),
        Figure("ranks alone, µs a query", 1e6 * seconds["ranks"] / QUERIES, MICROSECONDS, False),
        Figure("largest difference to pytrec_eval", gap, 1e-12, False),
    ]
    if "ranx" in seconds:
        whole = seconds["coding"] + seconds["coded"]
        figures.append(Figure("with coding, times ranx", seconds["ranx"] / whole, FASTER_THAN_RANX))
    else:
        print("ranx is not installed: not measured")
    plain = seconds["pytrec_eval"] / seconds["dictionaries"]
    print(f"from dictionaries, times pytrec_eval: {plain:.2f} (no floor)")
    both = seconds["pytrec_eval, both levels"] / seconds["dictionaries, both levels"]
    print(f"from dictionaries, both thresholds, times pytrec_eval: {both:.2f} (no floor)")
    verdict("metrics", figures, seconds)


if __name__ == "__main__":
    main()
