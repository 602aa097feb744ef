"""Chunks are slices of the text: they cover it, in order, and give it back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelkit.errors import InputError
from labelkit.model import Document
from labelkit.retrieval import Chunking
from labelkit.retrieval.chunking import cut

chunkings = st.one_of(
    st.just(Chunking()),
    st.integers(1, 40).flatmap(
        lambda size: st.builds(
            Chunking, st.just("windows"), st.just(size), st.integers(0, size - 1)
        )
    ),
)


@given(st.text(max_size=200), chunkings)
def test_offsets_give_back_the_whole_text(text: str, chunking: Chunking) -> None:
    """Joining the chunks without what they share gives the text, character by character."""
    spans = chunking.spans(text)
    rebuilt, covered = "", 0
    for start, end in spans:
        assert start <= covered <= end <= len(text)
        rebuilt += text[covered:end]
        covered = end
    assert rebuilt == text


@given(st.text(max_size=200), chunkings)
def test_no_chunk_lies_inside_the_one_before(text: str, chunking: Chunking) -> None:
    """Every window adds something; an empty text has one empty chunk."""
    spans = chunking.spans(text)
    assert spans[0][0] == 0
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))


def test_windows_share_the_overlap() -> None:
    """Ten characters in windows of four that share one."""
    spans = Chunking("windows", 4, 1).spans("abcdefghij")
    assert spans == [(0, 4), (3, 7), (6, 10)]


def test_the_title_stands_before_each_chunk_and_never_moves_offsets() -> None:
    """Offsets count in the text alone."""
    document = Document("d", "Title", "abcdef")
    chunks = cut([document], Chunking("windows", 4, 1))
    assert list(chunks.texts) == ["Title\nabcd", "Title\ndef"]
    assert [(int(s), int(e)) for s, e in zip(chunks.start, chunks.end, strict=True)] == [
        (0, 4),
        (3, 6),
    ]


@pytest.mark.parametrize(
    ("scheme", "size", "overlap", "message"),
    [
        ("pages", 0, 0, "known schemes: document, windows"),
        ("windows", 0, 0, "give a size above 0"),
        ("windows", 4, 4, "overlap from 0 to size - 1"),
        ("document", 4, 0, "takes no size"),
    ],
)
def test_a_scheme_that_makes_no_sense_is_refused(
    scheme: str, size: int, overlap: int, message: str
) -> None:
    """The message says what to give instead."""
    with pytest.raises(InputError, match=message):
        Chunking(scheme, size, overlap)


def test_a_document_id_that_comes_twice_is_refused() -> None:
    """Two documents cannot share a judgment."""
    with pytest.raises(InputError, match="'d' occurs twice"):
        cut([Document("d", "", "a"), Document("d", "", "b")], Chunking())
