"""The numbers are trec_eval's: against pytrec_eval on random cases, against its own test files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import NAMES, cases, witness

from labelkit.errors import InputError
from labelkit.formats.trec import read_qrels, read_run
from labelkit.measures import evaluate

PARITY = {"no_relevant": "zero", "require_overlap": False}
TREC_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def assert_same(qrels, run, relevant_level, **more):
    ours = evaluate(qrels, run, list(NAMES), relevant_level=relevant_level, **PARITY, **more)
    theirs = witness(qrels, run, ours.relevant_level)
    expected = [[theirs[q][name] for name in NAMES] for q in ours.query_ids]
    np.testing.assert_allclose(ours.values, expected, rtol=0, atol=1e-12)


@settings(max_examples=1500, deadline=None)
@given(cases(ties=False), st.integers(1, 3))
def test_tie_free_cases_equal_pytrec_eval(case, relevant_level):
    assert_same(*case, relevant_level)


@settings(max_examples=700, deadline=None)
@given(cases(ties=True), st.integers(1, 3))
def test_tied_documents_rank_as_in_trec_eval(case, relevant_level):
    assert_same(*case, relevant_level)


def test_large_ragged_runs_equal_pytrec_eval():
    rng = np.random.default_rng(3)
    qrels, run = {}, {}
    for i in range(300):
        size = int(rng.integers(1, 400))
        docs = [f"d{j}" for j in rng.permutation(600)]
        run[f"q{i}"] = dict(zip(docs[:size], rng.integers(0, 300, size).astype(float), strict=True))
        qrels[f"q{i}"] = {
            d: int(x) for d, x in zip(docs[::7], rng.integers(0, 3, 600), strict=False)
        }
    assert_same(qrels, run, 2)


def test_scores_tie_in_single_precision_only_when_asked():
    """A gap of 2e-8 is an order in float64, and a tie for pytrec_eval, which then goes by id."""
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 0.5 + 2e-8, "b": 0.5}}
    assert evaluate(qrels, run, ["mrr@10"]).values[0, 0] == 1.0
    single = evaluate(qrels, run, ["mrr@10"], score_dtype="float32")
    assert single.values[0, 0] == witness(qrels, run)["q"]["mrr@1000"] == 0.5
    assert [one.doc_id for one in single.ranked("q")] == ["b", "a"]


def trec_names(ours: str) -> str:
    name, _, k = ours.partition("@")
    full = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "ap": "map_cut"}
    whole = {"ap": "map", "rprecision": "Rprec", "mrr@1000": "recip_rank"}
    return whole.get(ours) or f"{'success' if name == 'hit' else full[name]}_{k}"


def published(path):
    """{(measure, query): value} of a trec_eval output file."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(name, query): value for name, query, value in rows}


@pytest.mark.parametrize(
    ("output", "qrels_name", "run_name", "relevant_level"),
    [
        ("out.test", "qrels.test", "results.test", 1),
        ("out.test.a", "qrels.test", "results.test", 1),
        ("out.test.aq", "qrels.test", "results.test", 1),
        ("out.test.aqc", "qrels.test", "results.trunc", 1),
        ("out.test.aql", "qrels.rel_level", "results.test", 2),
    ],
)
def test_trec_evals_published_outputs_come_out(
    shared_data, output, qrels_name, run_name, relevant_level
):
    """aqc was made with -c, so that a query missing from the run counts as 0: our default."""
    folder = shared_data / "trec_eval"
    qrels = read_qrels(folder / qrels_name, negative="not_relevant")
    names = [f"{n}@{k}" for n in ("ndcg", "recall", "precision", "ap") for k in TREC_CUTS]
    names += ["ap", "rprecision", "mrr@1000", "hit@1", "hit@5", "hit@10"]
    run = read_run(folder / run_name)
    ours = evaluate(qrels, run, names, relevant_level=relevant_level, no_relevant="zero")
    theirs = published(folder / output)
    checked = 0
    for name in names:
        column = ours.column(name)
        by_query = dict(zip(ours.query_ids, column, strict=True)) | {"all": column.mean()}
        for query, value in by_query.items():
            if (trec_names(name), query) in theirs:
                assert f"{value:.4f}" == theirs[trec_names(name), query], (name, query)
                checked += 1
    assert checked >= {"out.test": 12, "out.test.a": 42}.get(output, 150)


def test_a_query_absent_from_the_run_can_be_dropped_as_trec_eval_does_without_c(shared_data):
    folder = shared_data / "trec_eval"
    qrels, run = read_qrels(folder / "qrels.test"), read_run(folder / "results.trunc")
    dropped = evaluate(qrels, run, ["ap", "ndcg@10"], missing="drop")
    assert dropped.missing == ("302",)
    assert np.isnan(dropped.values).all(axis=1).tolist() == [False, True, False]


def test_negative_levels_are_refused_until_their_meaning_is_known(shared_data):
    with pytest.raises(InputError, match=r"line 2770.*negative level"):
        read_qrels(shared_data / "trec_eval" / "qrels.rel_level")
