"""Chunking schemes: slices `[start, end)` of a document's text, in characters.

Judgments point to documents and never to chunks, so any scheme can be scored by the same
judgments. Every scheme covers the whole text and gives at least one chunk per document, so a
scheme decides how a document scores, never whether it can.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import InputError
from labelkit.model import Document
from labelkit.retrieval import schemes
from labelkit.retrieval.cache import text_keys
from labelkit.retrieval.schemes import Offsets
from labelkit.wording import counted

SCHEMES = ("document", "windows", "tokens", "sentences", "headings", "function")
SIZED = ("windows", "tokens", "sentences")


@dataclass(frozen=True, slots=True)
class Chunking:
    """How a document is cut.

    `document`: whole. `windows`, `tokens`, `sentences`: pieces of `size` characters, tokens of
    the candidate's own model, or sentences, each sharing `overlap` of them with the one before.
    `headings`: before every Markdown heading. `function`: by "module:function", a callable
    `(text) -> [(start, end), …]`.
    """

    scheme: str = "document"
    size: int = 0
    overlap: int = 0
    function: str = ""

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise InputError(
                f"unknown chunking scheme {self.scheme!r}; known schemes: {', '.join(SCHEMES)}"
            )
        unit = "characters" if self.scheme == "windows" else self.scheme
        if self.scheme in SIZED and not 0 <= self.overlap < self.size:
            raise InputError(
                f"pieces of {self.size} {unit} cannot overlap by {self.overlap}; "
                "give a size above 0 and an overlap from 0 to size - 1"
            )
        if self.scheme not in SIZED and (self.size or self.overlap):
            raise InputError(
                f"the scheme {self.scheme!r} takes no size or overlap; remove them, "
                'or set scheme = "windows"'
            )
        if bool(self.function) != (self.scheme == "function"):
            raise InputError(
                'a chunking function is given with scheme = "function", and only with it'
            )

    def __str__(self) -> str:
        if self.scheme == "document":
            return "whole document"
        if self.scheme == "headings":
            return "before every heading"
        if self.scheme == "function":
            return f"by {self.function}"
        unit = "character" if self.scheme == "windows" else self.scheme[:-1]
        return f"windows of {counted(self.size, unit)}, overlap {self.overlap}"

    def spans(self, text: str, offsets: Offsets | None = None) -> list[tuple[int, int]]:
        """The chunks of `text` as character offsets `[start, end)`, in order of start.

        Raises InputError where the scheme needs `offsets` and has none, or a function gives
        offsets outside of the text.
        """
        if self.scheme == "windows":
            return window_spans(len(text), self.size, self.overlap)
        if self.scheme == "tokens":
            if offsets is None:
                raise InputError("chunking by tokens needs a candidate with a tokenizer of its own")
            return schemes.grouped(len(text), offsets(text), self.size, self.overlap)
        if self.scheme == "sentences":
            return schemes.grouped(len(text), schemes.sentences(text), self.size, self.overlap)
        if self.scheme == "headings":
            return schemes.headings(text)
        if self.scheme == "function":
            return schemes.by_function(self.function, text)
        return [(0, len(text))]


def window_spans(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Windows of `size` characters over `length` characters; the last one may be shorter."""
    step = size - overlap
    last_start = max(0, length - overlap - 1) // step * step
    return [(start, min(start + size, length)) for start in range(0, last_start + 1, step)]


@dataclass(frozen=True, eq=False)
class ChunkTexts(Sequence[str]):
    """What a retriever reads of each chunk, cut from the documents only when it is asked for;
    hashed once."""

    documents: Sequence[Document]
    reads: str
    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.document)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        start, end = int(self.start[place]), int(self.end[place])
        return encoded_text(self.documents[self.document[place]], start, end, self.reads)

    def __iter__(self) -> Iterator[str]:
        for place in range(len(self)):
            yield self[place]

    @cached_property
    def keys(self) -> NDArray[np.bytes_]:
        """The key of each text in the cache of vectors."""
        return text_keys(self)


def keys_of(texts: Sequence[str]) -> NDArray[np.bytes_]:
    """The key of each text; those of chunks are computed once."""
    return texts.keys if isinstance(texts, ChunkTexts) else text_keys(texts)


@dataclass(frozen=True, slots=True, eq=False)
class Picked(Sequence[str]):
    """Some of the `texts`, by their places, taken only when they are asked for."""

    texts: Sequence[str]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self.texts[one] for one in self.places[place].tolist()]
        return self.texts[int(self.places[place])]


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTable:
    """All chunks of a corpus; a document's chunks stand together, in order of start.

    `document`, `start` and `end` have one entry per chunk; `document` counts into `doc_ids`.
    `byte_rank[i]` is the position of `doc_ids[i]` among all ids in bytewise order, which is how
    trec_eval settles ties.
    """

    doc_ids: tuple[str, ...]
    texts: Sequence[str]
    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    byte_rank: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.document)


def encoded_text(document: Document, start: int, end: int, reads: str = "title+text") -> str:
    """What a retriever reads of a chunk: the document's title, a newline, the chunk; or only
    one of the two."""
    if reads == "title":
        return document.title
    chunk = document.text[start:end]
    return f"{document.title}\n{chunk}" if document.title and reads != "text" else chunk


def cut(
    documents: Sequence[Document],
    chunking: Chunking,
    reads: str = "title+text",
    offsets: Offsets | None = None,
) -> ChunkTable:
    """Cut every document; raises InputError when a `doc_id` comes twice.

    `offsets` gives a text's tokens as `[start, end)`, for the scheme that counts in tokens.
    Where only titles are read, each document is one chunk.
    """
    if reads == "title":
        chunking = Chunking()
    doc_ids = tuple(document.doc_id for document in documents)
    refuse_duplicates(doc_ids)
    flat = array("q")
    for number, one in enumerate(documents):
        for first, last in chunking.spans(one.text, offsets):
            flat.extend((number, first, last))
    document, start, end = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
    texts = ChunkTexts(documents, reads, document, start, end)
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
