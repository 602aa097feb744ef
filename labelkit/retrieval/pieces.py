"""Encoding one piece: the unit of work of every engine.

A piece is some texts in, one small shard out, renamed into place when it is whole. Whoever finds
it there does not encode it again, so a piece can be asked for twice, or by two processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.cache import machine_code, text_keys
from labelkit.retrieval.chunking import Picked
from labelkit.retrieval.encoder_model2vec import Model2VecEncoder
from labelkit.retrieval.encoder_random import RandomEncoder
from labelkit.retrieval.encoders import QUERY, Encoder, StaticEncoder
from labelkit.retrieval.shards import ROW, Rows, Vectors, has_piece, piece_prefix, write_shard

TEXTS = 128
"""Texts in a piece: some seconds of a transformer's work on a CPU, and all that a kill loses."""
STATIC_TEXTS = 1024
"""The same for encoders that only look vectors up: half a second."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some texts, which are cut when they are asked for, their keys, and what they weigh."""

    keys: NDArray[np.bytes_]
    texts: Picked
    work: int


Encode = Callable[[Encoder, str, Path, Iterable[Piece]], Iterator[Piece]]
"""Encodes pieces for a side into a cache's folder; gives each once it is on disk, in any order."""


def piece_size(encoder: Encoder) -> int:
    """Texts in a piece for this encoder: the same wherever and whenever it runs."""
    looked_up = isinstance(encoder, StaticEncoder | Model2VecEncoder | RandomEncoder)
    return STATIC_TEXTS if looked_up else TEXTS


def encode_here(
    encoder: Encoder, side: str, folder: Path, pieces: Iterable[Piece]
) -> Iterator[Piece]:
    """Encode the pieces one after the other in this process."""
    for piece in pieces:
        encode_piece(encoder, side, folder, piece.texts[:])
        yield piece


def encode_piece(encoder: Encoder, side: str, folder: Path, texts: list[str]) -> None:
    """Have the vectors of some texts in a folder, as one piece; they may be there already.

    Raises CandidateError for NaN or infinite vectors.
    """
    keys = text_keys(texts)
    if not has_piece(folder, keys):
        rows, vectors = encode_block(encoder, side, texts, keys)
        write_shard(folder, rows, [vectors], piece_prefix(keys))


def encode_block(
    encoder: Encoder, side: str, texts: list[str], keys: NDArray[np.bytes_]
) -> tuple[Rows, Vectors]:
    """The rows and vectors of one block of texts."""
    if side == QUERY:
        vectors, milliseconds = encode_timed(encoder, texts)
    else:
        vectors, milliseconds = encoder.encode(texts, side), np.full(len(texts), np.nan)
    if not np.isfinite(vectors).all():
        bad = texts[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
        raise CandidateError(encoder.name, f"gave NaN or infinity for the text {bad[:80]!r}")
    rows = np.empty(len(texts), dtype=ROW)
    rows["key"], rows["tokens"] = keys, encoder.count_tokens(texts, side)
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
