"""Vectors for texts: from the cache where they are known, from the encoder where not.

Texts that are not cached are taken in windows, each of which becomes one shard. A window is cut
into pieces, longest texts first, and each piece is on disk as soon as it is encoded: what a kill
loses is the piece in flight. Where a window and its pieces begin does not depend on how far an
earlier run came, so an encoder sees the same batches, and gives the same bits, with and without.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.cache import CachedVectors, VectorCache, machine_code
from labelkit.retrieval.chunking import Picked, keys_of
from labelkit.retrieval.encoders import QUERY, Encoder
from labelkit.retrieval.lazy_vectors import AnyVectors
from labelkit.retrieval.pieces import Encode, Piece, encode_here, piece_size
from labelkit.retrieval.time_left import TimeLeft

Progress = Callable[[int, int, str], None]
"""Called with what is done, of how much, and a word on what is going on."""

SHARD_ROWS = 65_536
WARM_UPS = 3


def silent(done: int, total: int, message: str) -> None:
    """Progress that nobody wants to see."""


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Raw vectors [texts, full width], tokens per text and, where each text was encoded alone on
    this machine, milliseconds per text (else NaN). `encoded` counts the texts that the encoder
    read this time, in `seconds`; `damaged` the cache shards that were thrown away."""

    vectors: AnyVectors
    tokens: NDArray[np.int32]
    milliseconds: NDArray[np.float64]
    encoded: int
    seconds: float
    damaged: int


def embed(
    encoder: Encoder,
    side: str,
    texts: Sequence[str],
    cache_dir: Path,
    progress: Progress = silent,
    documents: NDArray[np.int64] | None = None,
    encode: Encode = encode_here,
) -> Embeddings:
    """The raw vectors of `texts`, read from disk as they are asked for; equal texts are encoded
    once. Texts are asked for by number, a few at a time, and are not kept.

    `documents` [texts] says what stands together: no document is divided between two shards.
    Queries are encoded one at a time: this measures their latency, and makes a query's vector
    independent of the queries beside it. Raises CandidateError for NaN or infinite vectors.
    """
    cache = VectorCache(cache_dir, encoder.describe(side))
    keys = keys_of(texts)
    started = time.perf_counter()
    encoded = Filling(cache, encoder, side, texts, keys).run(progress, documents, encode)
    seconds = time.perf_counter() - started
    rows = cache.rows(cache.find(keys))
    here = rows["machine"] == machine_code()
    timings = np.where(here, rows["milliseconds"], np.nan).astype(np.float64)
    vectors = CachedVectors(cache, keys)
    return Embeddings(vectors, rows["tokens"], timings, encoded, seconds, cache.damaged)


class Filling:
    """Bringing the vectors of some texts into whole shards of a cache."""

    def __init__(
        self,
        cache: VectorCache,
        encoder: Encoder,
        side: str,
        texts: Sequence[str],
        keys: NDArray[np.bytes_],
    ) -> None:
        self.cache, self.encoder, self.side = cache, encoder, side
        self.texts, self.keys = texts, keys
        self.open = first_of_each(keys, ~cache.holds_whole(keys))
        self.missing = cache.find(keys[self.open]) < 0
        self.lengths = np.array([len(texts[i]) for i in self.open], dtype=np.int64)

    def run(self, progress: Progress, documents: NDArray[np.int64] | None, encode: Encode) -> int:
        """Encode what is missing; returns how many texts that were."""
        total = int(self.missing.sum())
        work, worked, done = int((self.lengths[self.missing] + 1).sum()), 0, 0
        message = f"encoding {'queries' if self.side == QUERY else 'documents'}"
        if total:
            progress(0, total, message)
            self.warm_up()
        left = TimeLeft()
        for window in windows(self.open, documents):
            pieces = self.pieces(window)
            for piece in encode(self.encoder, self.side, self.cache.folder, pieces):
                done, worked = done + len(piece.keys), worked + piece.work
                progress(done, total, message + left(worked, work))
            self.cache.join(self.keys[self.open[window]])
        return total

    def warm_up(self) -> None:
        """Load whatever has to be loaded, before queries are timed."""
        for _ in range(WARM_UPS if self.side == QUERY else 0):
            shortest = self.open[np.argmin(self.lengths)]
            self.encoder.encode([self.texts[shortest]], self.side)

    def pieces(self, window: slice) -> Iterator[Piece]:
        """What is missing of a window. Texts of like length share a batch, so little is spent on
        padding; the longest come first, so a lack of memory shows at once."""
        order = np.argsort(-self.lengths[window], kind="stable") + window.start
        size = piece_size(self.encoder)
        for start in range(0, len(order), size):
            mine = order[start : start + size]
            mine = mine[self.missing[mine]]
            if len(mine):
                wanted = self.open[mine]
                work = int((self.lengths[mine] + 1).sum())
                yield Piece(self.keys[wanted], Picked(self.texts, wanted), work)


def first_of_each(keys: NDArray[np.bytes_], among: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first place of every key among some places, in order."""
    places = np.flatnonzero(among)
    _, first = np.unique(keys[places], return_index=True)
    return places[np.sort(first)]


def windows(places: NDArray[np.int64], documents: NDArray[np.int64] | None) -> Iterator[slice]:
    """Runs of at most SHARD_ROWS of the places; a document that fits in one is not divided."""
    start = 0
    while start < len(places):
        end = min(start + SHARD_ROWS, len(places))
        if documents is not None and end < len(places):
            cut = documents[places[end]]
            whole = np.flatnonzero(documents[places[start:end]] != cut)
            end = start + int(whole[-1]) + 1 if len(whole) else end
        yield slice(start, end)
        start = end
