"""A second witness beside pytrec_eval: ir_measures."""

from __future__ import annotations

import random

import ir_measures
import numpy as np
from ir_measures import AP, RR, Bpref, P, R, nDCG

from labelkit.measures import evaluate

OURS = ("ndcg@10", "recall@10", "mrr@10", "precision@5", "ap@100", "bpref")
THEIRS = (
    *(nDCG @ 10, R(rel=2) @ 10, RR(rel=2) @ 10, P(rel=2) @ 5),
    *(AP(rel=2) @ 100, Bpref(rel=2)),
)


def test_per_query_values_equal_those_of_ir_measures():
    """Ours with no_relevant="zero" are theirs, a query missing from the run counting 0 in both."""
    generator = random.Random(7)
    documents = [f"d{number}" for number in range(300)]
    qrels = {
        f"q{number}": {
            doc: generator.choice((0, 0, 1, 2)) for doc in generator.sample(documents, 40)
        }
        for number in range(60)
    }
    run = {
        query: {doc: -float(rank) for rank, doc in enumerate(generator.sample(documents, 100))}
        for query in list(qrels)[:-3]
    }
    ours = evaluate(qrels, run, OURS, no_relevant="zero")
    theirs = {
        (str(value.measure), value.query_id): value.value
        for value in ir_measures.iter_calc(list(THEIRS), qrels, run)
    }
    for name, measure in zip(OURS, THEIRS, strict=True):
        expected = [theirs[str(measure), query] for query in ours.query_ids]
        np.testing.assert_allclose(ours.column(name), expected, atol=1e-12)
