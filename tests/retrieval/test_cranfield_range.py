"""On Cranfield the offline models reach what is published for them, give or take a little.

A sanity range, not a test value. The range holds for the levels of the original codes with the
query's source document (code -1) on top; `qrels/test.tsv` counts that document as not relevant,
which takes about 0.17 from everybody.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from small_corpus import built_in

from labelkit import measures
from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Retrieval, retrieve

LEVELS = {"-1": 5, "1": 4, "2": 3, "3": 2, "4": 1}


def cranfield(shared_data: Path, name: str, cache: Path) -> tuple[Retrieval, float]:
    """Retrieve for all queries; the retrieval and its exponential nDCG@10."""
    folder = shared_data / "cranfield"
    lines = (folder / "corpus.jsonl").read_bytes().splitlines()
    documents = [Document(row["_id"], "", row["text"]) for row in map(json.loads, lines)]
    lines = (folder / "queries.jsonl").read_bytes().splitlines()
    queries = [Query(row["_id"], row["text"], QuerySource.LOG) for row in map(json.loads, lines)]
    qrels: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "rawcodes.tsv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = LEVELS[row["score"]]
    found = retrieve(built_in(name), documents, queries, 100, cache)
    run = {query: {hit.doc_id: hit.score for hit in hits} for query, hits in found.hits.items()}
    return found, float(np.nanmean(measures.evaluate(qrels, run, ["ndcg_exp@10"]).values))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("bm25", 0.53, 0.56), ("wordllama", 0.42, 0.44), ("wordllama-64", 0.31, 0.34)],
)
def test_the_fast_candidates_reach_their_range(
    shared_data: Path, cache: Path, name: str, low: float, high: float
) -> None:
    """1,400 abstracts, 225 queries."""
    found, ndcg = cranfield(shared_data, name, cache)
    assert low < ndcg < high
    assert sum(len(hits) == 100 for hits in found.hits.values()) > 200


@pytest.mark.slow
def test_minilm_reaches_its_range_and_is_cached(shared_data: Path, tmp_path: Path) -> None:
    """About 45 seconds to encode, then a hundredth of that."""
    first, ndcg = cranfield(shared_data, "all-MiniLM-L6-v2", tmp_path)
    assert 0.49 < ndcg < 0.51
    second, again = cranfield(shared_data, "all-MiniLM-L6-v2", tmp_path)
    assert (second.encoded_documents, second.encoded_queries, again) == (0, 0, ndcg)
    assert second.encode_seconds < first.encode_seconds / 100
