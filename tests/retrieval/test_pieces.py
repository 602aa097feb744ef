"""Pieces and shards: nothing lost, nothing divided that belongs together, no damage unseen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import built_in

from labelkit.retrieval.cache import VectorCache, text_keys
from labelkit.retrieval.embed import embed, windows
from labelkit.retrieval.encoders import DOCUMENT, derive, encoder_for
from labelkit.retrieval.pieces import encode_piece
from labelkit.retrieval.time_left import TimeLeft, in_words

ENCODER = encoder_for(built_in("wordllama"))
TEXTS = [f"text number {number} {'more ' * (number % 9)}" for number in range(300)]


def vectors_of(folder: Path) -> list[Path]:
    """The files with vectors."""
    return sorted(folder.rglob("*.vectors.npy"))


def test_a_flipped_byte_in_the_middle_is_seen_and_its_texts_are_encoded_again(
    tmp_path: Path,
) -> None:
    """The same vectors as before, and the count of what was thrown away."""
    before = np.asarray(embed(ENCODER, DOCUMENT, TEXTS, tmp_path).vectors)
    (path,) = vectors_of(tmp_path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)
    again = embed(ENCODER, DOCUMENT, TEXTS, tmp_path)
    assert (again.damaged, again.encoded) == (1, len(TEXTS))
    np.testing.assert_array_equal(again.vectors, before)


def test_shards_are_plain_c_contiguous_float32_in_the_order_of_the_corpus(tmp_path: Path) -> None:
    """Any program can read them."""
    embed(ENCODER, DOCUMENT, TEXTS, tmp_path)
    (path,) = vectors_of(tmp_path)
    held = np.load(path, mmap_mode="r")
    assert held.dtype == np.float32
    assert held.flags.c_contiguous
    np.testing.assert_array_equal(held, ENCODER.encode(TEXTS, DOCUMENT))


def test_a_piece_that_is_there_is_not_encoded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker does may be asked for twice."""
    cache = VectorCache(tmp_path, ENCODER.describe(DOCUMENT))
    encode_piece(ENCODER, DOCUMENT, cache.folder, TEXTS[:5])
    monkeypatch.setattr(ENCODER, "encode", None)
    encode_piece(ENCODER, DOCUMENT, cache.folder, TEXTS[:5])
    assert len(vectors_of(tmp_path)) == 1


def test_a_cache_is_read_on_while_another_process_joins_its_pieces(tmp_path: Path) -> None:
    """The reader looks again where what it knew is gone."""
    reader = VectorCache(tmp_path, ENCODER.describe(DOCUMENT))
    for start in (0, 10):
        encode_piece(ENCODER, DOCUMENT, reader.folder, TEXTS[start : start + 10])
    reader.look()
    keys = text_keys(TEXTS[:20])
    VectorCache(tmp_path, ENCODER.describe(DOCUMENT)).join(keys)
    assert [path.name.startswith("piece-") for path in vectors_of(tmp_path)] == [False]
    np.testing.assert_array_equal(reader.vectors(keys), ENCODER.encode(TEXTS[:20], DOCUMENT))


def test_many_small_shards_become_one(tmp_path: Path) -> None:
    """A corpus that grows by a text at a time does not become slow to open."""
    for text in TEXTS[:40]:
        embed(ENCODER, DOCUMENT, [text], tmp_path)
    assert len(vectors_of(tmp_path)) < 15
    found = embed(ENCODER, DOCUMENT, TEXTS[:40], tmp_path)
    assert found.encoded == 0
    np.testing.assert_array_equal(found.vectors, ENCODER.encode(TEXTS[:40], DOCUMENT))


@given(st.lists(st.integers(1, 12), max_size=30), st.integers(1, 10))
def test_no_document_is_divided_that_fits_in_a_shard(sizes: list[int], rows: int) -> None:
    """The windows cover every place once, in order."""
    documents = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelkit.retrieval.embed.SHARD_ROWS", rows)
        found = list(windows(np.arange(len(documents)), documents))
    covered = [place for one in found for place in range(one.start, one.stop)]
    assert covered == list(range(len(documents)))
    assert all(one.stop - one.start <= rows for one in found)
    for one in found[:-1]:
        divided = documents[one.stop - 1] == documents[one.stop]
        assert not divided or sizes[documents[one.stop]] > rows


@given(st.integers(0, 40), st.sampled_from([None, 1, 100, 256]), st.booleans())
def test_vectors_derived_by_blocks_are_those_derived_at_once(
    count: int, dimensions: int | None, normalise: bool
) -> None:
    """A row's vector depends on no other row."""
    raw = np.random.default_rng(count).standard_normal((count, 256), dtype=np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelkit.retrieval.lazy_vectors.blocks.__defaults__", (7,))
        by_blocks = derive(raw, dimensions, normalise)
    np.testing.assert_array_equal(by_blocks, derive(raw, dimensions, normalise))


def test_the_time_left_is_told_from_the_first_report_on() -> None:
    """Loading a model before it does not count."""
    moments = iter([60.0, 70.0, 80.0])
    left = TimeLeft(clock=lambda: next(moments))
    assert left(100, 1000) == ""
    assert left(200, 1000) == ", about 80 s left"
    assert left(1000, 1000) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "a few seconds"),
        (32, "about 30 s"),
        (170, "about 3 min"),
        (7500, "about 2 h 05 min"),
    ],
)
def test_estimates_are_rounded(seconds: float, words: str) -> None:
    """Nobody needs the second of an hour."""
    assert in_words(seconds) == words
