"""Each row of the rule book (design.md 7), by an example that can be worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from labelkit.errors import InputError
from labelkit.measures import evaluate


def values(qrels, run, names, **more):
    found = evaluate(qrels, run, names, **more)
    return dict(zip(names, found.values[0].tolist(), strict=True))


def ranking(*docs):
    return {doc: float(-rank) for rank, doc in enumerate(docs)}


GRADED = {"q": {"a": 2, "b": 1, "c": 1}}


def test_linear_and_exponential_ndcg_and_ap_of_the_hand_case():
    run = {"q": ranking("b", "a", "x")}
    names = ["ndcg@1", "ndcg@2", "ndcg@10", "ndcg_exp@10", "ap"]
    strict = values(GRADED, run, names)
    lenient = values(GRADED, run, names, relevant_level=1)
    assert strict == pytest.approx(
        {
            "ndcg@1": 0.5,
            "ndcg@2": 0.859719,
            "ndcg@10": 0.722424,
            "ndcg_exp@10": 0.700276,
            "ap": 0.5,
        },
        abs=5e-7,
    )
    assert lenient == pytest.approx({**strict, "ap": 0.666667}, abs=5e-7)


def test_rank_biased_precision_of_a_hand_case():
    """Relevant at ranks 1, 3 and 12, and a reader who goes on with chance 0.8 (ir-measures has
    the measure only through cwl_eval, so the sum is written out)."""
    qrels = {"q": {"a": 2, "b": 2, "c": 2, "low": 1}}
    run = {"q": ranking("a", "low", "b", *[f"x{i}" for i in range(8)], "c")}
    found = values(qrels, run, ["rbp@10", "rbp"])
    assert found == pytest.approx(
        {"rbp@10": 0.2 * (1 + 0.8**2), "rbp": 0.2 * (1 + 0.8**2 + 0.8**11)}, abs=1e-15
    )


def test_the_threshold_never_changes_ndcg():
    run = {"q": ranking("b", "a", "x")}
    both = [values(GRADED, run, ["ndcg@10", "ndcg_exp@3"], relevant_level=k) for k in (1, 2)]
    assert both[0] == both[1]


def test_one_of_five_relevant_at_rank_one():
    qrels = {"q": {f"r{i}": 1 for i in range(5)}}
    found = values(qrels, {"q": ranking("r0", "x", "y")}, ["ndcg@10"])
    assert found["ndcg@10"] == pytest.approx(0.339160, abs=5e-7)


def test_ten_queries_with_the_relevant_document_at_known_ranks():
    ranks = [1, 3, 1, 7, 2, 1, 15, 4, 1, 2]
    qrels = {f"q{i}": {"r": 1} for i in range(10)}
    run = {
        f"q{i}": ranking(*[f"x{j}" for j in range(1, rank)], "r") for i, rank in enumerate(ranks)
    }
    names = ["recall@1", "recall@5", "recall@10", "recall@50", "mrr@10", "ndcg@10"]
    means = evaluate(qrels, run, names).values.mean(axis=0).round(3).tolist()
    assert means == [0.4, 0.8, 0.9, 1.0, 0.573, 0.653]


def test_recall_and_ap_divide_by_all_relevant_and_warn_where_k_is_too_small():
    qrels = {"q": {f"r{i}": 1 for i in range(5)}}
    run = {"q": ranking(*[f"r{i}" for i in range(5)])}
    found = evaluate(qrels, run, ["recall@2", "ap@2", "ndcg@2"])
    assert found.values[0].tolist() == pytest.approx([0.4, 0.4, 1.0])
    assert any(w.startswith("recall@2: 100% of queries have more than 2") for w in found.warnings)


def test_no_warning_while_at_most_a_tenth_of_queries_has_more_relevant_than_k():
    qrels = {f"q{i}": {"r": 2} for i in range(10)}
    qrels["q0"] = {"r": 2, "s": 2}
    run = {q: {"r": 1.0} for q in qrels}
    assert evaluate(qrels, run, ["recall@1"]).warnings == ()


def test_ties_fall_to_the_id_that_is_larger_as_utf8_bytes():
    docs = ["a", "Z", "é", "日", "a10", "a9", "\U0001f600", "\ue000"]
    found = evaluate({"q": {"a": 1}}, {"q": dict.fromkeys(docs, 1.0)}, ["mrr@10"])
    order = [one.doc_id for one in found.ranked("q")]
    assert order == sorted(docs, key=str.encode, reverse=True)
    assert found.values[0, 0] == 1 / (order.index("a") + 1)


def test_order_does_not_depend_on_how_the_run_was_written_down():
    rng = np.random.default_rng(0)
    docs = [f"d{i}" for i in range(50)]
    scores = dict(zip(docs, rng.integers(0, 8, 50).astype(float), strict=True))
    qrels = {
        "q": {doc: int(level) for doc, level in zip(docs, rng.integers(0, 3, 50), strict=True)}
    }
    names = ["ndcg@10", "ap", "mrr@10", "rprecision"]
    first = evaluate(qrels, {"q": scores}, names).values
    for _ in range(5):
        shuffled = {docs[i]: scores[docs[i]] for i in rng.permutation(50)}
        assert (evaluate(qrels, {"q": shuffled}, names).values == first).all()


def test_qrels_without_a_level_above_one_are_read_at_one_and_say_so():
    found = evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}, ["recall@10"])
    assert (found.relevant_level, found.values[0, 0]) == (1, 1.0)
    assert "no level above 1" in found.warnings[0]


def test_one_query_perfect_and_one_missing_has_mean_one_half_and_half_coverage():
    qrels = {"q1": {"a": 2}, "q2": {"b": 2}}
    found = evaluate(qrels, {"q1": {"a": 1.0}}, ["ndcg@10", "mrr@10"])
    assert found.values.mean(axis=0).tolist() == [0.5, 0.5]
    assert (found.coverage, found.missing) == (0.5, ("q2",))
    dropped = evaluate(qrels, {"q1": {"a": 1.0}}, ["ndcg@10"], missing="drop")
    assert np.nanmean(dropped.values) == 1.0


def test_an_empty_ranking_counts_as_missing():
    found = evaluate({"q1": {"a": 2}, "q2": {"b": 2}}, {"q1": {"a": 1.0}, "q2": {}}, ["mrr@10"])
    assert found.missing == ("q2",)


def test_a_query_without_relevant_documents_is_left_out_or_scores_zero():
    qrels = {"q1": {"a": 2}, "q2": {"b": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    found = evaluate(qrels, run, ["ndcg@10"])
    assert found.excluded == {"ndcg@10": ("q2",)}
    assert np.nanmean(found.values) == 1.0
    parity = evaluate(qrels, run, ["ndcg@10"], no_relevant="zero")
    assert (parity.values.mean(), parity.excluded) == (0.5, {"ndcg@10": ()})


def test_exclusion_goes_metric_by_metric():
    """A query whose best level is 1 counts for nDCG, not for recall at level 2."""
    qrels = {"q1": {"a": 2}, "q2": {"b": 1}}
    found = evaluate(
        qrels, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, ["ndcg@10", "recall@10", "judged@10"]
    )
    assert found.excluded == {"ndcg@10": (), "recall@10": ("q2",), "judged@10": ()}
    assert [row["query_id"] for row in found.rows("r") if row["metric"] == "recall@10"] == ["q1"]


def test_rows_carry_run_metric_and_threshold():
    found = evaluate(GRADED, {"q": ranking("a")}, ["recall@5"])
    assert list(found.rows("bm25")) == [
        {"query_id": "q", "run": "bm25", "metric": "recall@5", "relevant_level": 2, "value": 1.0}
    ]


def test_judged_at_k_is_the_share_of_what_is_shown_and_holes_are_listed():
    run = {"q": ranking("a", "x", "b", "y")}
    found = evaluate(GRADED, run, ["judged@1", "judged@3", "judged@10"])
    assert found.values[0].tolist() == pytest.approx([1.0, 2 / 3, 0.5])
    assert [(one.doc_id, one.rank) for one in found.holes(3)] == [("x", 2)]
    assert [one.level for one in found.ranked("q")] == [2, None, 1, None]


def test_a_missing_query_scores_zero_but_shows_nothing_unjudged():
    found = evaluate({"q1": {"a": 2}, "q2": {"b": 2}}, {"q1": {"a": 1.0}}, ["mrr@10", "judged@10"])
    assert found.values[1, 0] == 0
    assert np.isnan(found.values[1, 1])


def test_queries_come_in_one_order_whatever_the_insertion_order():
    qrels = {q: {"a": 1} for q in ("q2", "q10", "q1")}
    assert evaluate(qrels, {"q1": {"a": 1.0}}, ["mrr"]).query_ids == ("q1", "q10", "q2")


def test_extra_queries_of_the_run_are_left_out_and_counted():
    found = evaluate(GRADED, {"q": {"a": 1.0}, "zz": {"a": 1.0}}, ["mrr@10"])
    assert found.unjudged_queries == ("zz",)
    assert "left out: 1 query of the run without judgments" in found.warnings[0]


def test_only_measures_that_were_asked_for_can_be_read():
    with pytest.raises(InputError, match="ndcg@5 was not evaluated"):
        evaluate(GRADED, {"q": {"a": 1.0}}, ["ndcg@10"]).column("ndcg@5")


@pytest.mark.parametrize(
    ("qrels", "run", "says"),
    [
        ({"q": {"a": -1}}, {"q": {"a": 1.0}}, "query 'q', document 'a': -1.*negative"),
        ({"q": {"a": 1.5}}, {"q": {"a": 1.0}}, "query 'q', document 'a': 1.5"),
        ({"q": {"a": None}}, {"q": {"a": 1.0}}, "query 'q', document 'a': None"),
        ({"q": {"a": float("nan")}}, {"q": {"a": 1.0}}, "document 'a': nan"),
        ({"q": {"a": 1}}, {"q": {"a": float("nan")}}, "NaN.*query 'q', document 'a'"),
        ({"q": {"a": 1}}, {"Q": {"a": 1.0}}, "no query id of the run.*'Q'.*'q'"),
        ({"q": {"a": 1}}, {"q": {"A": 1.0}}, "no document id of the run.*'A'.*'a'"),
        ({}, {"q": {"a": 1.0}}, "no judgments"),
    ],
)
def test_bad_input_is_refused_with_its_rows_named(qrels, run, says):
    with pytest.raises(InputError, match=says):
        evaluate(qrels, run, ["ndcg@10"])


def test_a_threshold_below_one_is_refused():
    with pytest.raises(InputError, match="relevant_level is 0"):
        evaluate(GRADED, {"q": {"a": 1.0}}, ["mrr"], relevant_level=0)


def test_a_run_that_shares_no_document_can_be_let_in():
    found = evaluate(GRADED, {"q": {"x": 1.0}}, ["recall@10"], require_overlap=False)
    assert found.values[0, 0] == 0


def test_one_very_long_ranking_costs_no_memory_for_the_others():
    """Blocks hold rankings of similar length: 2,000 short and one of 200,000 documents."""
    from labelkit.measures.dictionaries import answered
    from labelkit.measures.ranking import blocks

    run = {f"q{i}": {"a": 1.0, "b": 0.5} for i in range(2000)}
    run["long"] = {f"d{i}": float(i) for i in range(200_000)}
    qrels = {query: {"a": 1} for query in run}
    cells = sum(block.levels.size for block in blocks(answered(qrels, run)))
    assert cells == 2000 * 2 + 200_000
