"""Vectors for texts: from the cache where they are known, from the encoder where not."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.cache import ROW, Rows, VectorCache, machine_code, text_keys
from labelkit.retrieval.encoders import QUERY, Encoder
from labelkit.retrieval.search import Vectors

Progress = Callable[[int, int, str], None]
"""Called with what is done, of how much, and a word on what is going on."""

BLOCK = 256
"""Texts between two calls of progress."""
SHARD_ROWS = 8192
SHARD_SECONDS = 15.0
"""A kill loses at most this much encoding."""
WARM_UPS = 3


def silent(done: int, total: int, message: str) -> None:
    """Progress that nobody wants to see."""


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Raw vectors [texts, full width], tokens per text and, where each text was encoded alone on
    this machine, milliseconds per text (else NaN). `encoded` counts the texts that the encoder
    read this time, in `seconds`; `damaged` the cache shards that were thrown away."""

    vectors: Vectors
    tokens: NDArray[np.int32]
    milliseconds: NDArray[np.float64]
    encoded: int
    seconds: float
    damaged: int


def embed(
    encoder: Encoder, side: str, texts: Sequence[str], cache_dir: Path, progress: Progress = silent
) -> Embeddings:
    """The raw vectors of `texts`; equal texts are encoded once.

    Queries are encoded one at a time: this measures their latency, and makes a query's vector
    independent of the queries beside it. Raises CandidateError for NaN or infinite vectors.
    """
    cache = VectorCache(cache_dir, encoder.describe(side))
    keys = text_keys(texts)
    missing = first_missing(cache, keys)
    started = time.perf_counter()
    if len(missing):
        fill(cache, encoder, side, [texts[i] for i in missing], progress)
    seconds = time.perf_counter() - started
    places = cache.find(keys)
    rows = cache.rows(places)
    here = rows["machine"] == machine_code()
    timings = np.where(here, rows["milliseconds"], np.nan).astype(np.float64)
    vectors = cache.take(places)
    return Embeddings(vectors, rows["tokens"], timings, len(missing), seconds, cache.damaged)


def first_missing(cache: VectorCache, keys: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The first place of every key that the cache does not hold."""
    unique, first = np.unique(keys, return_index=True)
    return np.sort(first[cache.find(unique) < 0])


def fill(
    cache: VectorCache, encoder: Encoder, side: str, texts: list[str], progress: Progress
) -> None:
    """Encode `texts` into the cache, shard by shard, longest first."""
    # Texts of like length share a batch, so little is spent on padding. The longest come first:
    # a lack of memory shows at once, and the time left is over- rather than underestimated.
    texts = sorted(texts, key=len, reverse=True)
    message = f"encoding {'queries' if side == QUERY else 'documents'}"
    progress(0, len(texts), message)
    if side == QUERY:
        for _ in range(WARM_UPS):
            encoder.encode(texts[-1:], side)
    waiting: list[tuple[Rows, Vectors]] = []
    last_write = time.monotonic()
    for start in range(0, len(texts), BLOCK):
        waiting.append(encode_block(encoder, side, texts[start : start + BLOCK]))
        done = start + len(waiting[-1][0])
        full = sum(len(rows) for rows, _ in waiting) >= SHARD_ROWS
        if full or done == len(texts) or time.monotonic() - last_write > SHARD_SECONDS:
            cache.add(*(np.concatenate(part) for part in zip(*waiting, strict=True)))
            waiting, last_write = [], time.monotonic()
        progress(done, len(texts), message)


def encode_block(encoder: Encoder, side: str, texts: list[str]) -> tuple[Rows, Vectors]:
    """The rows and vectors of one block of texts."""
    if side == QUERY:
        vectors, milliseconds = encode_timed(encoder, texts)
    else:
        vectors, milliseconds = encoder.encode(texts, side), np.full(len(texts), np.nan)
    if not np.isfinite(vectors).all():
        bad = texts[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
        raise CandidateError(encoder.name, f"gave NaN or infinity for the text {bad[:80]!r}")
    rows = np.empty(len(texts), dtype=ROW)
    rows["key"], rows["tokens"] = text_keys(texts), encoder.count_tokens(texts, side)
    rows["milliseconds"], rows["machine"] = milliseconds, machine_code()
    return rows, vectors


def encode_timed(encoder: Encoder, texts: list[str]) -> tuple[Vectors, NDArray[np.float64]]:
    """Each text by itself, with the milliseconds it took."""
    vectors, milliseconds = [], []
    for text in texts:
        started = time.perf_counter()
        vectors.append(encoder.encode([text], QUERY))
        milliseconds.append(1000 * (time.perf_counter() - started))
    return np.concatenate(vectors), np.array(milliseconds)
