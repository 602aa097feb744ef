"""A run added in pieces gives what it gives at once, and so do several thresholds in one go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import NAMES, cases

from labelkit.errors import InputError
from labelkit.measures import evaluate, evaluate_at
from labelkit.measures.piecewise import Piecewise


@settings(max_examples=200, deadline=None)
@given(cases(ties=True), st.data())
def test_pieces_of_whole_queries_give_the_values_of_the_whole(case, data):
    """Any cut of the run into pieces, in any order."""
    qrels, run = case
    pieces = {}
    for query_id in data.draw(st.permutations(list(run))):
        pieces.setdefault(data.draw(st.integers(0, 2)), {})[query_id] = run[query_id]
    parts = Piecewise(qrels, list(NAMES), relevant_level=2, require_overlap=False)
    for piece in pieces.values():
        parts.add(piece)
    found, whole = parts.result(), evaluate(qrels, run, list(NAMES), require_overlap=False)
    # A product of one row is not summed in the order in which it is among others.
    np.testing.assert_allclose(found.values, whole.values, rtol=0, atol=1e-14)
    assert found.missing == whole.missing
    assert found.excluded == whole.excluded
    assert found.warnings == whole.warnings
    assert found.unjudged_queries == whole.unjudged_queries


@settings(max_examples=100, deadline=None)
@given(cases(ties=True))
def test_thresholds_measured_together_do_not_touch_each_other(case):
    """Each gives what it gives alone."""
    qrels, run = case
    together = evaluate_at((2, 1), qrels, run, list(NAMES), require_overlap=False)
    for level, found in together.items():
        alone = evaluate(qrels, run, list(NAMES), relevant_level=level, require_overlap=False)
        assert np.array_equal(found.values, alone.values, equal_nan=True)
        assert found.relevant_level == alone.relevant_level


def test_a_run_of_foreign_ids_is_refused_when_all_pieces_are_there():
    """One piece may well hold queries without judgments only."""
    parts = Piecewise({"q": {"a": 1}}, ["ndcg@10"], relevant_level=1)
    parts.add({"other": {"a": 1.0}})
    with pytest.raises(InputError, match="no query id"):
        parts.result()
    parts.add({"q": {"a": 1.0}})
    assert parts.result().values.tolist() == [[1.0]]
