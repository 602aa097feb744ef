"""Random qrels and runs, and pytrec_eval's names for our measures."""

from __future__ import annotations

import pytrec_eval
from hypothesis import strategies as st

DOCS = [f"d{i}" for i in range(14)] + ["D1", "é", "z", "日本", "d-1"]
NAMES = {
    "ndcg@1": "ndcg_cut_1",
    "ndcg@3": "ndcg_cut_3",
    "ndcg@10": "ndcg_cut_10",
    "recall@3": "recall_3",
    "recall@10": "recall_10",
    "precision@1": "P_1",
    "precision@5": "P_5",
    "hit@1": "success_1",
    "hit@3": "success_3",
    "mrr@1000": "recip_rank",
    "ap@3": "map_cut_3",
    "ap": "map",
    "rprecision": "Rprec",
    "bpref": "bpref",
}


def witness(qrels, run, relevant_level=1):
    """pytrec_eval's values by query and by our names; scores must be whole numbers."""
    asked = {"ndcg_cut.1,3,10", "recall.3,10", "P.1,5", "success.1,3", "recip_rank", "map"}
    asked |= {"map_cut.3", "Rprec", "bpref"}
    found = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=relevant_level).evaluate(
        run
    )
    return {q: {ours: row[theirs] for ours, theirs in NAMES.items()} for q, row in found.items()}


@st.composite
def cases(draw, *, ties: bool):
    """(qrels, run): up to four queries; without ties, scores are distinct whole numbers."""
    queries = [f"q{i}" for i in range(draw(st.integers(1, 4)))]
    qrels, run = {}, {}
    for query in queries:
        judged = draw(st.lists(st.sampled_from(DOCS), min_size=1, max_size=10, unique=True))
        qrels[query] = {doc: draw(st.integers(0, 3)) for doc in judged}
        ranked = draw(st.lists(st.sampled_from(DOCS), min_size=1, max_size=14, unique=True))
        scores = range(len(ranked))
        if ties:
            scores = [draw(st.integers(0, 3)) for _ in ranked]
        run[query] = {doc: float(score) for doc, score in zip(ranked, scores, strict=True)}
    return qrels, run
