"""Columns read at once hold what the reader of lines finds, and what it refuses is refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.bench.score import measured, score
from labelkit.errors import InputError
from labelkit.formats.trec import Scattered, read_run
from labelkit.formats.trec_coded import coded_pieces
from labelkit.formats.trec_columns import Odd, read_columns
from labelkit.measures import evaluate, parse_all
from labelkit.measures.dictionaries import answered
from labelkit.measures.ranking import blocks

QUERIES = ["1", "01", "q\u00a0x", '"q"', "é", "日", "a,b"]
DOCUMENTS = [
    "d",
    "D",
    "d\ufeff",
    "\ufeffd",
    "007",
    "7",
    "'",
    '"',
    "d\x00",
    "d\x1c",
    "😀",
    "ÿ",
    "#N/A",
]
SCORES = [
    "1",
    "1.0",
    "-0",
    "0",
    ".5",
    "5.",
    "1e-3",
    "-1E5",
    "inf",
    "1e999",
    "1e-999",
    "0.1",
    "0.30000000000000004",
]
BLANKS = [" ", "\t", "  ", " \t ", "\v", "\f"]
ENDS = ["\n", "\r\n", " \n", "\n\n", "\n \t\r\n"]


@st.composite
def files(draw):
    """The bytes of a valid run, each query's lines together, with anything the format lets in."""
    text = draw(st.sampled_from(["", "\ufeff", "\n"]))
    for query in draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True)):
        for document in draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True)):
            fields = [query, "Q0", document, "1", draw(st.sampled_from(SCORES)), "x"]
            blanks = [draw(st.sampled_from(BLANKS)) for _ in fields]
            lead = draw(st.sampled_from(["", "", "", " "]))
            line = "".join(map("".join, zip(fields, [*blanks[:5], ""], strict=True)))
            text += lead + line + draw(st.sampled_from(ENDS))
    data = text.removesuffix("\n").encode() if draw(st.booleans()) else text.encode()
    return gzip.compress(data, 1, mtime=0) if draw(st.booleans()) else data


def written(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("run") / "run"
    path.write_bytes(data)
    return path


def in_columns(path, most):
    """The run as its columns hold it; None where they leave it to the reader of lines."""
    try:
        return {
            query: found
            for one in read_columns(path, most)
            for query, found in one.as_run().items()
        }
    except Odd:
        return None


def by_query(rankings, dtype):
    """Levels and scores by rank of each query as they are laid out."""
    return {
        rankings.query_ids[row]: (levels.tolist(), scores[~np.isnan(scores)].tolist())
        for block in blocks(rankings, dtype)
        for row, levels, scores in zip(block.rows, block.levels, block.scores, strict=True)
    }


@settings(max_examples=150, deadline=None)
@given(files(), st.integers(1, 300))
def test_columns_are_what_the_lines_hold(tmp_path_factory, data, most):
    """Any blanks, line ends, marks and ids; pieces of any size may hold something odd."""
    path = written(tmp_path_factory, data)
    assert in_columns(path, 1 << 20) == read_run(path)
    assert in_columns(path, most) in (read_run(path), None)


@settings(max_examples=150, deadline=None)
@given(files(), st.integers(0, 4), st.sampled_from(["float64", "float32"]))
def test_coded_rankings_are_laid_out_as_dictionaries_are(tmp_path_factory, data, judged, dtype):
    """Ties, holes, documents that nobody ranked and queries that nobody judged among them."""
    path = written(tmp_path_factory, data)
    run = read_run(path)
    qrels = {
        query: {doc_id: place % 3 for place, doc_id in enumerate([*found, "unseen"]) if place % 2}
        for query, found in list(run.items())[:judged]
    }
    (coded,) = coded_pieces(path, qrels)
    plain = answered(qrels, run)
    assert by_query(coded, dtype) == by_query(plain, dtype)
    assert set(coded.unjudged) == set(plain.unjudged)
    assert coded.as_run() == run


@settings(max_examples=60, deadline=None)
@given(files())
def test_quick_and_careful_reading_give_the_same_values(tmp_path_factory, data):
    """To the last bit, at both thresholds."""
    path = written(tmp_path_factory, data)
    run = read_run(path)
    qrels = {query: dict.fromkeys(found, 1) | {"unseen": 2} for query, found in run.items()}
    wanted = parse_all(["ndcg@10", "recall@2", "mrr@3", "ap", "bpref", "judged@5"])
    found, easier = measured(path, qrels, wanted, 2, {})
    strict = evaluate(qrels, run, wanted)
    assert np.array_equal(found.values, strict.values, equal_nan=True)
    lenient = evaluate(qrels, run, easier.measures, relevant_level=1)
    assert np.array_equal(easier.values, lenient.values, equal_nan=True)


@pytest.mark.parametrize(
    "data",
    [
        b"q Q0 a 1 2 my run\nq Q0 b 2 1 my run\n",
        b"q Q0 a 1 +2 x\nq Q0 b 2 1_0 x\n",
        b"\xef\xbb\xbf\xef\xbb\xbfq Q0 a 1 2 x\nq Q0 b 2 1 x\n",
        b"q Q0 a 1 2 x\nr Q0 a 1 2 x\nq Q0 b 2 1 x\n",
    ],
    ids=["seven columns", "digits as Python writes them", "two marks", "mixed"],
)
def test_what_only_the_reader_of_lines_can_read_is_scored_all_the_same(tmp_path, data):
    """Columns give up, and the lines are read instead."""
    path = tmp_path / "run"
    path.write_bytes(data)
    with pytest.raises((Odd, Scattered)):
        list(read_columns(path))
    qrels = {query: {"b": 2, "c": 1} for query in read_run(path)}
    found, _ = measured(path, qrels, parse_all(["ndcg@10", "mrr"]), 2, {})
    assert (
        found.values.tolist() == evaluate(qrels, read_run(path), ["ndcg@10", "mrr"]).values.tolist()
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n \n",
        b"q Q0 a 1 2 x\nq Q0 b 2 nan x\n",
        b"q Q0 a 1 2 x\nq Q0 b 2 best x\n",
        b"q Q0 a 1 2 x\nq  Q0 b 2 1\n",
        b"q Q0 a 1 2 x\nq Q0 b 2 1 \n",
        b"q Q0 a 1 2 x\n q Q0 b 2 1\n",
        b"q Q0 a 1 2 x\nr Q0 b 2 1 x\nr Q0 b 3 0 x\n",
        b"q Q0 caf\xe9 1 2 x\n",
        b"q\xed\xa0\x80 Q0 a 1 2 x\n",
        gzip.compress(b"q Q0 a 1 2 x\n" * 9, mtime=0)[:-9],
    ],
)
def test_what_is_refused_is_refused_with_the_words_of_the_reader_of_lines(tmp_path, data):
    """File, line, column and id, whichever reader met it first."""
    path = tmp_path / "run"
    path.write_bytes(data)
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    with pytest.raises(InputError) as expected:
        read_run(path)
    with pytest.raises(InputError) as caught:
        score(tmp_path / "qrels", [path])
    assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("qrels", [{"other": {"a": 1}}, {"q": {"x": 1}, "r": {"y": 1}}])
def test_foreign_ids_are_refused_with_the_words_of_evaluate(tmp_path, qrels):
    """No query, or no document, of the run is a judged one."""
    path = tmp_path / "run"
    path.write_bytes(b"q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    with pytest.raises(InputError, match="occurs in the judgments") as expected:
        evaluate(qrels, read_run(path), ["mrr"])
    with pytest.raises(InputError) as caught:
        measured(path, qrels, parse_all(["mrr"]), 2, {})
    assert str(caught.value) == str(expected.value)
