"""Nothing is encoded twice, and no damage passes for a vector."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_corpus import DOCUMENTS, QUERIES, built_in, top

from labelkit.errors import CandidateError
from labelkit.model import Document, Query, QuerySource
from labelkit.retrieval import Chunking, Retrieval
from labelkit.retrieval.cache import VectorCache, machine_code
from labelkit.retrieval.embed import embed
from labelkit.retrieval.encoders import DOCUMENT, encoder_for

WORDLLAMA = built_in("wordllama")


def encoded(found: Retrieval) -> tuple[int, int]:
    """Texts that the encoder read: of documents, of queries."""
    return found.encoded_documents, found.encoded_queries


def test_a_second_run_encodes_nothing_and_finds_the_same(tmp_path: Path) -> None:
    """Also under another name, with fewer dimensions: truncations derive from the full vectors."""
    first = top(WORDLLAMA, tmp_path)
    assert encoded(first) == (4, 3)
    second = top(WORDLLAMA, tmp_path)
    assert encoded(second) == (0, 0)
    assert second.hits == first.hits
    assert second.fingerprint == first.fingerprint
    assert encoded(top(built_in("wordllama-64"), tmp_path)) == (0, 0)


def test_only_what_is_new_is_encoded(tmp_path: Path) -> None:
    """A document more, a query more, a document's text changed."""
    top(WORDLLAMA, tmp_path)
    changed = [*DOCUMENTS[1:], replace(DOCUMENTS[0], text="other"), Document("new", "", "new")]
    asked = [*QUERIES, Query("q9", "new", QuerySource.LOG)]
    assert encoded(top(WORDLLAMA, tmp_path, changed, asked)) == (2, 1)


def test_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    """Ten documents, one text."""
    documents = [Document(f"d{number}", "", "same") for number in range(10)]
    assert encoded(top(WORDLLAMA, tmp_path, documents))[0] == 1


def test_another_chunking_shares_what_is_equal_and_another_prompt_shares_nothing(
    tmp_path: Path,
) -> None:
    """The encoder's identity and the text's content are the key."""
    top(WORDLLAMA, tmp_path)
    windows = replace(WORDLLAMA, chunking=Chunking("windows", 1000, 10))
    assert encoded(top(windows, tmp_path)) == (0, 0)
    prompted = replace(WORDLLAMA, document_prompt="passage: ")
    assert encoded(top(prompted, tmp_path)) == (4, 0)
    assert encoded(top(replace(WORDLLAMA, max_length=2), tmp_path)) == (4, 3)


@pytest.mark.parametrize("part", ["vectors", "keys"])
@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "missing"])
def test_a_damaged_shard_is_encoded_again(tmp_path: Path, part: str, damage: str) -> None:
    """One flipped bit is enough; the answer is as before, and the count says so."""
    first = top(WORDLLAMA, tmp_path)
    for path in tmp_path.glob(f"*/*.{part}.npy"):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes({"flip": content, "cut": content[:-5], "empty": b""}.get(damage, b""))
        if damage == "missing":
            path.unlink()
    again = top(WORDLLAMA, tmp_path)
    assert encoded(again) == (4, 3)
    assert again.hits == first.hits
    if damage != "missing" or part == "vectors":
        assert again.damaged_shards == 2
    assert encoded(top(WORDLLAMA, tmp_path)) == (0, 0)


def test_work_done_before_a_stop_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece is on disk once it is encoded."""
    monkeypatch.setattr("labelkit.retrieval.pieces.STATIC_TEXTS", 128)
    texts = [f"text number {number}" for number in range(1000)]
    encoder = encoder_for(WORDLLAMA)

    def killed(done: int, total: int, message: str) -> None:
        if done >= 512:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed(encoder, DOCUMENT, texts, tmp_path, killed)
    assert embed(encoder, DOCUMENT, texts, tmp_path).encoded == 1000 - 512


def test_the_vectors_come_back_in_the_order_asked(tmp_path: Path) -> None:
    """Across shards, with repeats, whatever order they were encoded in."""
    encoder = encoder_for(WORDLLAMA)
    texts = [f"{'long ' * (number % 7)}text {number}" for number in range(40)]
    embed(encoder, DOCUMENT, texts[::2], tmp_path)
    asked = texts[::-1] + texts[:3]
    found = embed(encoder, DOCUMENT, asked, tmp_path)
    assert found.encoded == 20
    np.testing.assert_array_equal(found.vectors, encoder.encode(asked, DOCUMENT))


def test_a_timing_of_another_machine_is_not_shown_as_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache that was copied keeps its vectors and loses its latency."""
    assert np.isfinite(top(WORDLLAMA, tmp_path).encode_ms).all()
    assert np.isfinite(top(WORDLLAMA, tmp_path).encode_ms).all(), "remembered with the vector"
    elsewhere = machine_code() + 1
    monkeypatch.setattr("labelkit.retrieval.embed.machine_code", lambda: elsewhere)
    found = top(WORDLLAMA, tmp_path)
    assert encoded(found) == (0, 0)
    assert np.isnan(found.encode_ms).all()
    assert np.isfinite(found.search_ms).all()


def test_an_encoder_that_gives_nan_fails_by_name(tmp_path: Path) -> None:
    """The text that did it is in the message, and nothing of it is cached."""
    encoder = encoder_for(WORDLLAMA)
    table = encoder._model.embedding  # type: ignore[attr-defined]
    (ids,) = encoder._token_ids(["poison"], DOCUMENT)  # type: ignore[attr-defined]
    kept = table[ids[0]].copy()
    table[ids[0]] = np.nan
    try:
        with pytest.raises(CandidateError, match=r"candidate 'wordllama'.*NaN.*'poison'"):
            embed(encoder, DOCUMENT, ["poison"], tmp_path)
    finally:
        table[ids[0]] = kept
    cache = VectorCache(tmp_path, encoder.describe(DOCUMENT))
    assert not list(cache.folder.glob("*.npy"))
