"""Chunking schemes: slices `[start, end)` of a document's text, in characters.

Judgments point to documents and never to chunks, so any scheme can be scored by the same
judgments. Every scheme covers the whole text and gives at least one chunk per document, so a
scheme decides how a document scores, never whether it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.model import Document

SCHEMES = ("document", "windows")


@dataclass(frozen=True, slots=True)
class Chunking:
    """How a document is cut: whole (`document`) or in fixed `windows` of `size` characters,
    each sharing `overlap` characters with the one before."""

    scheme: str = "document"
    size: int = 0
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise InputError(
                f"unknown chunking scheme {self.scheme!r}; known schemes: {', '.join(SCHEMES)}"
            )
        if self.scheme == "windows" and not 0 <= self.overlap < self.size:
            raise InputError(
                f"windows of {self.size} characters cannot overlap by {self.overlap}; "
                "give a size above 0 and an overlap from 0 to size - 1"
            )
        if self.scheme == "document" and (self.size or self.overlap):
            raise InputError(
                "the scheme 'document' takes no size or overlap; remove them, "
                'or set scheme = "windows"'
            )

    def __str__(self) -> str:
        if self.scheme == "document":
            return "whole document"
        return f"windows of {self.size} characters, overlap {self.overlap}"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The chunks of `text` as character offsets `[start, end)`, in order of start."""
        if self.scheme == "document":
            return [(0, len(text))]
        return window_spans(len(text), self.size, self.overlap)


def window_spans(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Windows of `size` characters over `length` characters; the last one may be shorter."""
    step = size - overlap
    last_start = max(0, length - overlap - 1) // step * step
    return [(start, min(start + size, length)) for start in range(0, last_start + 1, step)]


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTable:
    """All chunks of a corpus; a document's chunks stand together, in order of start.

    `document`, `start` and `end` have one entry per chunk; `document` counts into `doc_ids`.
    `byte_rank[i]` is the position of `doc_ids[i]` among all ids in bytewise order, which is how
    trec_eval settles ties.
    """

    doc_ids: tuple[str, ...]
    texts: list[str]
    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    byte_rank: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.texts)


def encoded_text(document: Document, start: int, end: int) -> str:
    """What a retriever reads of a chunk: the document's title, a newline, the chunk."""
    chunk = document.text[start:end]
    return f"{document.title}\n{chunk}" if document.title else chunk


def cut(documents: Sequence[Document], chunking: Chunking) -> ChunkTable:
    """Cut every document; raises InputError when a `doc_id` comes twice."""
    doc_ids = tuple(document.doc_id for document in documents)
    refuse_duplicates(doc_ids)
    rows = [
        (number, start, end)
        for number, document in enumerate(documents)
        for start, end in chunking.spans(document.text)
    ]
    texts = [encoded_text(documents[number], *span) for number, *span in rows]
    document, start, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return ChunkTable(doc_ids, texts, document, start, end, byte_ranks(doc_ids))


def byte_ranks(ids: Sequence[str]) -> NDArray[np.int64]:
    """The rank of each id in bytewise order (the order of code points is that of UTF-8)."""
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return ranks


def refuse_duplicates(ids: Sequence[str]) -> None:
    """Raise InputError naming the first id that stands twice in `ids`."""
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise InputError(f"the id {one!r} occurs twice; every document and query needs its own")
        seen.add(one)
