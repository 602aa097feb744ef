"""Ties and holes, against every order and every way to judge, tried one by one."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import cases

from labelkit.measures import evaluate

NAMES = ["ndcg@1", "ndcg@3", "ndcg_exp@3", "ndcg@10", "recall@2", "precision@3", "hit@2", "mrr@3"]
NAMES += ["mrr@10", "ap", "ap@3", "judged@2", "rprecision", "rbp@3", "rbp", "bpref"]
LENIENT = {"no_relevant": "zero", "require_overlap": False}


def measured(qrels, run, **more):
    return evaluate(qrels, run, NAMES, **LENIENT, **more)


def every_order(run):
    """The run's documents in each order that its scores allow, as tie-free runs."""
    for order in permutations(run):
        if all(run[a] >= run[b] for a, b in pairwise(order)):
            yield {doc: float(-rank) for rank, doc in enumerate(order)}


@st.composite
def tied_queries(draw):
    docs = "abcdef"[: draw(st.integers(1, 6))]
    run = {doc: float(draw(st.integers(0, 2))) for doc in docs}
    judged = draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True))
    return {doc: draw(st.integers(0, 2)) for doc in judged}, run


@settings(max_examples=150, deadline=None)
@given(tied_queries(), st.integers(1, 2))
def test_expected_lowest_and_highest_are_those_of_all_orders(query, relevant_level):
    judged, run = query
    found = measured({"q": judged}, {"q": run}, relevant_level=relevant_level).ties
    orders = [
        measured({"q": judged}, {"q": one}, relevant_level=relevant_level).values[0]
        for one in every_order(run)
    ]
    np.testing.assert_allclose(found.expected[0], np.mean(orders, axis=0), atol=1e-12)
    np.testing.assert_allclose(found.low[0], np.min(orders, axis=0), atol=1e-12)
    np.testing.assert_allclose(found.high[0], np.max(orders, axis=0), atol=1e-12)


def test_three_tied_documents_with_one_relevant():
    qrels, run = {"q": {"a": 2}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    found = evaluate(qrels, run, ["ndcg@10", "mrr@10"]).ties
    assert found.expected[0] == pytest.approx([0.710310, 0.611111], abs=5e-7)
    assert (found.low[0, 0], found.high[0, 0]) == (0.5, 1.0)
    assert found.wide().all()


@settings(max_examples=200, deadline=None)
@given(cases(ties=True))
def test_the_headline_lies_between_the_extremes_over_ties(case):
    found = measured(*case)
    ties = found.ties
    assert (ties.low <= found.values + 1e-12).all()
    assert (found.values <= ties.high + 1e-12).all()
    assert (ties.low <= ties.expected + 1e-12).all()
    assert (ties.expected <= ties.high + 1e-12).all()


def test_without_ties_the_three_readings_are_the_headline():
    qrels, run = {"q": {"a": 2, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    found = measured(qrels, run)
    ties = found.ties
    assert not ties.wide().any()
    np.testing.assert_allclose(ties.expected, found.values, atol=1e-15)


@st.composite
def queries_with_holes(draw):
    docs = draw(st.permutations("abcdefgh"))[: draw(st.integers(1, 6))]
    judged = draw(st.lists(st.sampled_from("abcdefgh"), min_size=3, unique=True))
    qrels = {doc: draw(st.integers(0, 2)) for doc in judged}
    return qrels, {doc: float(-rank) for rank, doc in enumerate(docs)}


@settings(max_examples=120, deadline=None)
@given(queries_with_holes(), st.integers(1, 2))
def test_bounds_are_those_of_every_way_to_judge_the_holes(query, relevant_level):
    """Each measure's holes are the unjudged documents within its own k."""
    judged, run = query
    judged = {**judged, "zz": 2}  # the scale has level 2, so that the threshold stays
    main = measured({"q": judged}, {"q": run}, relevant_level=relevant_level)
    found = main.bounds()
    for j, measure in enumerate(main.measures):
        holes = [one.doc_id for one in main.ranked("q", measure.k) if one.level is None]
        if measure.name in ("judged", "bpref"):
            continue
        ways = [
            evaluate(
                {"q": {**judged, **dict(zip(holes, levels, strict=True))}},
                {"q": run},
                [measure],
                relevant_level=relevant_level,
                **LENIENT,
            ).values[0, 0]
            for levels in product(range(3), repeat=len(holes))
        ]
        assert found.low[0, j] == pytest.approx(min(ways), abs=1e-12), measure
        assert found.high[0, j] == pytest.approx(max(ways), abs=1e-12), measure


def test_a_relevant_hole_far_down_can_lower_ndcg():
    """The ideal grows by more than the ranking gains at rank 10."""
    run = {"q": {f"d{rank}": float(-rank) for rank in range(10)}}
    qrels = {"q": {"d0": 2} | {f"d{rank}": 0 for rank in range(1, 9)}}
    found = evaluate(qrels, run, ["ndcg@10"])
    bounds = found.bounds()
    assert bounds.low[0, 0] < found.values[0, 0] == bounds.high[0, 0] == 1.0


def test_without_holes_the_bounds_are_the_headline():
    qrels, run = {"q": {"a": 2, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    found = measured(qrels, run)
    assert not found.bounds().wide().any()


@settings(max_examples=100, deadline=None)
@given(cases(ties=False))
def test_many_queries_at_once_have_the_bounds_of_each_alone(case):
    qrels, run = case
    top = max(2, *(level for row in qrels.values() for level in row.values()))
    qrels = {q: {**row, "scale": top} for q, row in qrels.items()}
    together = measured(qrels, run).bounds(top)
    for i, query in enumerate(sorted(qrels)):
        alone = measured({query: qrels[query]}, {query: run[query]}).bounds(top)
        np.testing.assert_allclose(together.low[i], alone.low[0], atol=1e-12)
        np.testing.assert_allclose(together.high[i], alone.high[0], atol=1e-12)


def test_queries_that_do_not_count_have_no_bounds_and_no_ties():
    found = evaluate({"q": {"a": 0}, "r": {"a": 2}}, {"q": {"x": 1.0}, "r": {"a": 1.0}}, ["mrr@10"])
    assert np.isnan(found.bounds().high[0, 0])
    assert np.isnan(found.ties.expected[0, 0])
