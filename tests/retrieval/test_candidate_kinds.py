"""Fusions, rerankers, callables, stored and random vectors, imported runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_corpus import BEST, DOCUMENTS, QUERIES, built_in, top

from labelkit.errors import CandidateError, InputError
from labelkit.retrieval import Candidate, Chunking, candidate_from_dict, parse_candidates
from labelkit.retrieval.fusing import fuse
from labelkit.retrieval.search import Hit

HYBRID = Candidate("hybrid", "fusion", parts=(built_in("bm25"), built_in("wordllama")))


def hits(*scores: tuple[str, float]) -> list[Hit]:
    """A ranking from ids and scores."""
    return [Hit(doc_id, score, 0, 1) for doc_id, score in scores]


def lengths(texts: list[str], side: str) -> np.ndarray:
    """An encoder of our own: length, and one."""
    return np.array([[len(text), 1.0] for text in texts])


def wrong_shape(texts: list[str], side: str) -> list[float]:
    """Not what an encoder gives."""
    return [1.0]


def longest_first(query: str, texts: list[str]) -> list[float]:
    """A reranker of our own."""
    return [float(len(text)) for text in texts]


def test_reciprocal_ranks_are_summed_and_ties_go_by_id() -> None:
    """By hand: 1/61 + 1/62 for both a and b, 1/63 for c."""
    fused = fuse(HYBRID, [hits(("a", 9), ("b", 8)), hits(("b", 0.2), ("a", 0.1), ("c", 0))], 3)
    assert [hit.doc_id for hit in fused] == ["b", "a", "c"]
    assert fused[0].score == fused[1].score == pytest.approx(1 / 61 + 1 / 62)
    assert fused[2].score == pytest.approx(1 / 63)


def test_weighted_scores_are_stretched_per_ranking() -> None:
    """By hand: 0.3 × 1 against 0.7 × 1, and a missing document has 0."""
    candidate = replace(HYBRID, fusion="weighted", weights=(0.3, 0.7))
    fused = fuse(candidate, [hits(("a", 20), ("b", 10)), hits(("b", 5), ("c", 4), ("d", 1))], 9)
    assert {hit.doc_id: pytest.approx(hit.score) for hit in fused} == {
        "b": 0.7, "c": 0.7 * 0.75, "a": 0.3, "d": 0.0,
    }  # fmt: skip


def test_a_hybrid_finds_what_its_parts_find(cache: Path) -> None:
    """And its times are theirs together."""
    found = top(HYBRID, cache)
    assert {query: ranked[0].doc_id for query, ranked in found.hits.items()} == BEST
    assert found.description["parts"][0]["libraries"].keys() >= {"bm25s"}
    assert (found.search_ms > 0).all()


def test_a_callable_encodes_and_its_file_is_part_of_the_identity(cache: Path) -> None:
    """Any module:function that gives [texts, width]."""
    candidate = Candidate("mine", "function", function="test_candidate_kinds:lengths")
    found = top(candidate, cache)
    assert found.dimensions == 2
    assert len(found.description["document"]["source_sha256"]) == 64
    for name, message in (
        ("test_candidate_kinds:wrong_shape", "shape"),
        ("test_candidate_kinds:nothing", "cannot be imported"),
        ("nowhere:at_all", "cannot be imported"),
        ("test_candidate_kinds:HYBRID", "is not callable"),
        ("test_candidate_kinds", "module:function"),
    ):
        with pytest.raises(CandidateError, match=message):
            top(replace(candidate, function=name), cache)


def test_random_vectors_are_the_same_each_time_and_know_nothing(tmp_path: Path) -> None:
    """Another seed ranks otherwise; text and query of the same words meet."""
    one = Candidate("random", "random", dimensions=64, seed=1)
    assert top(one, tmp_path / "a").hits == top(one, tmp_path / "b").hits
    other = top(replace(one, seed=2), tmp_path / "a").hits
    assert other != top(one, tmp_path / "a").hits


def test_only_titles_are_read_where_the_candidate_says_so(cache: Path) -> None:
    """The title-only baseline, and texts without titles."""
    title = top(replace(built_in("bm25"), reads="title"), cache)
    assert all(not ranked or ranked[0].doc_id for ranked in title.hits.values())
    assert title.hits["q2"] == []  # "wait", "seconds" stand in no title
    text = top(replace(built_in("bm25"), reads="text"), cache)
    assert text.hits["q3"][0].doc_id == "math.sqrt"


def write_vectors(folder: Path, suffix: str) -> Candidate:
    """Files of vectors for the small corpus: each query points at its document."""
    folder.mkdir()
    doc_ids = [one.doc_id for one in DOCUMENTS]
    vectors = {"docs": np.eye(4, dtype=np.float32)}
    places = [doc_ids.index(BEST[query.query_id]) for query in QUERIES]
    vectors["queries"] = np.eye(4, dtype=np.float32)[places]
    names = {"docs": doc_ids, "queries": [query.query_id for query in QUERIES]}
    for name, rows in vectors.items():
        order = list(range(len(rows)))[::-1]
        ids = [names[name][place] for place in order]
        if suffix == "npy":
            np.save(folder / f"{name}.npy", rows[order])
            (folder / f"{name}.ids.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")
        else:
            table = pa.table({"id": ids, "vector": [row.tolist() for row in rows[order]]})
            pq.write_table(table, folder / f"{name}.parquet")
    paths = [str(folder / f"{name}.{suffix}") for name in ("docs", "queries")]
    return Candidate("stored", "vectors", document_vectors=paths[0], query_vectors=paths[1])


@pytest.mark.parametrize("suffix", ["npy", "parquet"])
def test_stored_vectors_are_found_by_id(suffix: str, tmp_path: Path) -> None:
    """In another order than the corpus, and nothing is timed as encoding."""
    found = top(write_vectors(tmp_path / "vectors", suffix), tmp_path)
    assert {query: ranked[0].doc_id for query, ranked in found.hits.items()} == BEST
    assert np.isnan(found.encode_ms).all()
    assert found.truncated_share is None


def test_stored_vectors_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """Missing ids, doubled ids, NaN, other widths, no file."""
    candidate = write_vectors(tmp_path / "vectors", "npy")
    ids = Path(candidate.document_vectors).with_suffix(".ids.txt")
    right = ids.read_text(encoding="utf-8")
    for wrong, message in (
        (right.replace("csv.writer", "x"), "no vector for 1 of 4 ids, such as 'csv.writer'"),
        (right.replace("csv.writer", "math.sqrt"), "holds an id twice"),
        ("a\n", "1 ids for an array"),
    ):
        ids.write_text(wrong, encoding="utf-8")
        with pytest.raises(CandidateError, match=message):
            top(candidate, tmp_path)
    ids.write_text(right, encoding="utf-8")
    np.save(candidate.document_vectors, np.full((4, 4), np.nan, dtype=np.float32))
    with pytest.raises(CandidateError, match=r"the vector of '.*' is not finite"):
        top(candidate, tmp_path)
    np.save(candidate.document_vectors, np.ones((4, 5), dtype=np.float32))
    with pytest.raises(CandidateError, match="5 dimensions and queries 4"):
        top(candidate, tmp_path)
    for wrong_kind in (np.ones((4, 4), dtype=complex), np.array([["a"] * 4] * 4)):
        np.save(candidate.document_vectors, wrong_kind)
        with pytest.raises(CandidateError, match="vectors are real numbers"):
            top(candidate, tmp_path)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0], [1.0], [1.0, 2.0, 3.0], [1.0, 2.0]], "different lengths"),
        ([[1.0], None, [1.0], [1.0]], "different lengths, or none"),
        (["x", "y", "z", "w"], "no lists"),
    ],
)
def test_parquet_vectors_that_are_none_are_refused(
    vectors: list[object], message: str, tmp_path: Path
) -> None:
    """Lengths that differ and add up all the same would shift every row."""
    import pyarrow
    import pyarrow.parquet

    candidate = write_vectors(tmp_path / "vectors", "parquet")
    ids = [document.doc_id for document in DOCUMENTS]
    table = pyarrow.table({"id": ids, "vector": vectors})
    pyarrow.parquet.write_table(table, candidate.document_vectors)
    with pytest.raises(CandidateError, match=message):
        top(candidate, tmp_path)


def test_a_run_made_elsewhere_is_a_candidate(tmp_path: Path) -> None:
    """Scores count, not ranks; queries that are not there have no hits."""
    path = tmp_path / "theirs.run"
    path.write_text("q1 Q0 math.sqrt 1 1.0 x\nq1 Q0 csv.writer 2 2.0 x\n", encoding="utf-8")
    found = top(Candidate("theirs", "run", run_file=str(path)), tmp_path)
    assert [hit.doc_id for hit in found.hits["q1"]] == ["csv.writer", "math.sqrt"]
    assert found.hits["q2"] == []
    path.write_text("other Q0 a 1 1.0 x\n", encoding="utf-8")
    with pytest.raises(CandidateError, match=r"none of the release's queries; it has 'other'"):
        top(Candidate("theirs", "run", run_file=str(path)), tmp_path)


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real, tiny, untrained CrossEncoder: it proves order and plumbing, not quality."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("cross-encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=len(words), intermediate_size=16, num_labels=1,
        max_position_embeddings=64, **shape,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    CrossEncoder(str(folder), device="cpu").save_pretrained(str(folder))
    return folder


def test_a_cross_encoder_orders_the_first_documents(cross_encoder: Path, cache: Path) -> None:
    """Its order is that of its own predict; the documents below stay below, in their order."""
    from sentence_transformers import CrossEncoder

    candidate = Candidate(
        "reranked", "rerank", parts=(built_in("wordllama"),), model=str(cross_encoder),
        rerank_depth=2,
    )  # fmt: skip
    first, found = top(built_in("wordllama"), cache), top(candidate, cache)
    texts = {one.doc_id: f"{one.title}\n{one.text}" for one in DOCUMENTS}
    model = CrossEncoder(str(cross_encoder), device="cpu")
    for query in QUERIES:
        before = [hit.doc_id for hit in first.hits[query.query_id]]
        after = found.hits[query.query_id]
        scores = model.predict([(query.text, texts[doc_id]) for doc_id in before[:2]])
        assert [hit.doc_id for hit in after[:2]] == [
            doc_id for _, doc_id in sorted(zip(scores, before[:2], strict=True), reverse=True)
        ]
        assert [hit.doc_id for hit in after[2:]] == before[2:]
        assert [hit.score for hit in after] == sorted((h.score for h in after), reverse=True)
    assert found.description["reranker"]["files"]


def test_a_callable_reranks_too(cache: Path) -> None:
    """`(query, texts) -> scores`."""
    candidate = Candidate(
        "longest", "rerank", parts=(built_in("bm25"),),
        function="test_candidate_kinds:longest_first",
    )  # fmt: skip
    for ranked in top(candidate, cache).hits.values():
        read = [len(next(d for d in DOCUMENTS if d.doc_id == hit.doc_id).text) for hit in ranked]
        assert read == sorted(read, reverse=True)


NESTED = """
[[candidate]]
name = "windows"
kind = "encoder"
model = "all-MiniLM-L6-v2"
chunking = { scheme = "tokens", size = 64, overlap = 16 }
precision = "int8"
about = { licence = "Apache-2.0", max_input = 256, matryoshka = [128, 64] }

[[candidate]]
name = "hybrid"
kind = "fusion"
parts = ["bm25", "windows"]
weights = [0.4, 0.6]
fusion = "weighted"

[[candidate]]
name = "live"
kind = "http"
http = { url = "http://127.0.0.1:9200/_search", ids = "hits.hits[]._id" }
"""


def test_nested_tables_and_parts_are_read_and_survive_a_manifest() -> None:
    """What a manifest records can be run again."""
    windows, hybrid, live = parse_candidates(NESTED.encode(), "candidates.toml")
    assert windows.chunking == Chunking("tokens", 64, 16)
    assert windows.about.matryoshka == (128, 64)
    assert hybrid.parts[1] == windows
    for one in (windows, hybrid, live):
        assert candidate_from_dict(one.as_dict()) == one


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('kind = "fusion"\nparts = ["bm25"]', "two candidates or more"),
        ('kind = "fusion"\nparts = ["bm25", "none"]', "'none', which is neither built in"),
        ('kind = "fusion"\nparts = ["bm25", "wordllama"]\nweights = [1]', "1 weights for 2 parts"),
        ('kind = "rerank"\nparts = ["bm25"]', "either a model or a function"),
        ('kind = "bm25"\nprecision = "int8"', "takes no precision"),
        ('kind = "static"\nmodel = "wordllama"\nprecision = "int4"', "must be one of float32"),
        ('kind = "http"\nhttp = { ids = "a" }', "http needs the key 'url'"),
        ('kind = "random"', "need their number of dimensions"),
        ('kind = "bm25"\nabout = { price = "cheap" }', "about.price must be a number"),
        ('kind = "bm25"\nabout = { matryoshka = ["x"] }', "a list of whole numbers"),
        ('kind = "bm25"\nchunking = { scheme = "function" }', "given with scheme"),
    ],
)
def test_what_does_not_fit_together_is_refused(lines: str, message: str) -> None:
    """Nothing that would be ignored is accepted."""
    with pytest.raises(InputError, match=message):
        parse_candidates(f'[[candidate]]\nname = "a"\n{lines}\n'.encode(), "candidates.toml")
