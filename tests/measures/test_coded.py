"""Ids as whole numbers give the values that ids as strings give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from oracle import NAMES, cases

from labelkit.errors import InputError
from labelkit.measures import evaluate
from labelkit.measures.coded import code, coded_values


@settings(max_examples=400, deadline=None)
@given(cases(ties=True))
def test_coded_values_are_those_of_evaluate(case):
    """With ties, queries of different lengths, and documents that only one side knows."""
    qrels, run = case
    run = dict(list(run.items())[:-1]) if len(run) > 2 else run
    plain = evaluate(qrels, run, list(NAMES), no_relevant="zero", require_overlap=False)
    assert np.array_equal(plain.values, coded_values(code(qrels, run), list(NAMES)))


def test_a_nan_is_refused():
    """It has no place in an order."""
    with pytest.raises(InputError, match="NaN"):
        code({"q": {"a": 1}}, {"q": {"a": float("nan")}})
