"""A measure is a value that parses, prints back and compares."""

import pytest

from labelkit.errors import InputError
from labelkit.measures import Measure, parse, with_companions


@pytest.mark.parametrize(
    "text",
    [
        *("recall@5", "hit@1", "precision@10", "mrr@10", "ndcg@10", "ndcg_exp@3", "ap@100"),
        *("ap", "judged@10", "rprecision", "rbp", "rbp@10", "bpref"),
    ],
)
def test_every_name_parses_and_prints_back(text: str) -> None:
    assert str(parse(text)) == text


def test_equal_names_are_equal_measures_whatever_their_case() -> None:
    assert parse("nDCG@10") == Measure("ndcg", 10) != parse("ndcg@5")


def test_mrr_without_a_cutoff_is_read_at_ten() -> None:
    assert str(parse("mrr")) == "mrr@10"


@pytest.mark.parametrize("text", ["", "ndcg", "recall", "ndcg@0", "ndcg@-1", "ndcg@1.5", "map@3"])
def test_an_unknown_or_incomplete_name_is_refused_with_advice(text: str) -> None:
    with pytest.raises(InputError, match=r"known are|needs a cut-off"):
        parse(text)


def test_rprecision_takes_no_cutoff() -> None:
    with pytest.raises(InputError, match="takes no cut-off"):
        parse("rprecision@5")


def test_recall_and_mrr_come_together_with_judged_beside_them() -> None:
    shown = [str(one) for one in with_companions(["recall@5", "ndcg@10"])]
    assert shown == ["recall@5", "mrr@5", "ndcg@10", "judged@5", "judged@10"]
