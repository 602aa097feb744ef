"""Embeddings on disk, found again by content.

    CACHE_DIR/<fingerprint>/encoder.json            what decides the vectors, for people
    CACHE_DIR/<fingerprint>/<hash>.keys.npy         per row: text hash, tokens, query time
    CACHE_DIR/<fingerprint>/<hash>.vectors.npy      float32 [rows, full width], memory-mapped

A shard is written once and never changed. Its name is the SHA-256 of its content, so damage is
seen when the cache is opened: a damaged shard is deleted and its texts are encoded again. The
vectors come last, so a shard that was cut off by a kill does not count. There is no lock: two
processes that encode the same texts write the same shard.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.search import Vectors

ROW = np.dtype([("key", "S32"), ("tokens", "<i4"), ("milliseconds", "<f4"), ("machine", "<u4")])
"""One cached text. `milliseconds` is NaN unless the text was encoded alone, to be timed."""

Rows = NDArray[np.void]


def fingerprint_of(description: Mapping[str, Any]) -> str:
    """SHA-256 of a description's canonical JSON."""
    text = json.dumps(description, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def text_keys(texts: Sequence[str]) -> NDArray[np.bytes_]:
    """SHA-256 of each text, 32 raw bytes."""
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    return np.array(digests, dtype="S32")


def machine_code() -> int:
    """A number that tells this machine from another, so that a foreign timing is not shown."""
    return zlib.crc32(machine_name().encode())


class VectorCache:
    """The cached vectors of one encoder and side. `damaged` counts the shards thrown away."""

    def __init__(self, cache_dir: Path, description: Mapping[str, Any]) -> None:
        self.folder = cache_dir / fingerprint_of(description)[:32]
        self.folder.mkdir(parents=True, exist_ok=True)
        note = self.folder / "encoder.json"
        if not note.exists():
            write_atomically(note, json.dumps(description, indent=1, ensure_ascii=False).encode())
        self.damaged = 0
        self._shards: list[tuple[Rows, Vectors]] = []
        for path in sorted(self.folder.glob("*.keys.npy")):
            self._open_shard(path.name.removesuffix(".keys.npy"))
        self._index()

    def _open_shard(self, name: str) -> None:
        shard = read_shard(self.folder, name)
        if shard is not None:
            self._shards.append(shard)
            return
        self.damaged += 1
        for part in ("keys", "vectors"):
            (self.folder / f"{name}.{part}.npy").unlink(missing_ok=True)

    def _index(self) -> None:
        """Sort all keys once; `_place` leads from the sorted order back to the row."""
        self._rows = np.concatenate([np.empty(0, ROW), *(rows for rows, _ in self._shards)])
        self._place = np.argsort(self._rows["key"], kind="stable")
        self._sorted = self._rows["key"][self._place]
        self._first = np.cumsum([0, *(len(rows) for rows, _ in self._shards)])

    def find(self, keys: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The row of each key, -1 where the text is not cached."""
        if not len(self._sorted):
            return np.full(len(keys), -1, dtype=np.int64)
        spot = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return np.where(self._sorted[spot] == keys, self._place[spot], -1)

    def rows(self, places: NDArray[np.int64]) -> Rows:
        """Key, tokens and timing of rows that `find` gave."""
        found: Rows = self._rows[places]
        return found

    def take(self, places: NDArray[np.int64]) -> Vectors:
        """The vectors [rows, full width] of rows that `find` gave."""
        width = self._shards[0][1].shape[1] if self._shards else 0
        vectors = np.empty((len(places), width), dtype=np.float32)
        shard = np.searchsorted(self._first, places, side="right") - 1
        for number in np.unique(shard):
            mine = shard == number
            vectors[mine] = self._shards[number][1][places[mine] - self._first[number]]
        return vectors

    def add(self, rows: Rows, vectors: Vectors) -> None:
        """Write one shard; it is on disk, whole, when this returns."""
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        name = shard_hash(rows, vectors)
        for part, array in (("keys", rows), ("vectors", vectors)):
            save_atomically(self.folder / f"{name}.{part}.npy", array)
        self._shards.append((rows, np.load(self.folder / f"{name}.vectors.npy", mmap_mode="r")))
        self._index()


def shard_hash(rows: Rows, vectors: Vectors) -> str:
    """SHA-256 over the bytes and the shape of a shard."""
    digest = hashlib.sha256(repr(vectors.shape).encode())
    digest.update(rows.tobytes())
    digest.update(vectors.data)
    return digest.hexdigest()


def read_shard(folder: Path, name: str) -> tuple[Rows, Vectors] | None:
    """A shard with its vectors memory-mapped; None when it is not what its name says."""
    try:
        rows = np.load(folder / f"{name}.keys.npy")
        vectors = np.load(folder / f"{name}.vectors.npy", mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return None
    shaped = rows.dtype == ROW and vectors.dtype == np.float32 and vectors.ndim == 2
    if not shaped or len(rows) != len(vectors) or shard_hash(rows, vectors) != name:
        return None
    return rows, vectors


def save_atomically(path: Path, array: NDArray[Any]) -> None:
    """Write an .npy file under a temporary name and rename it."""
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    with temporary.open("wb") as stream:
        np.save(stream, array, allow_pickle=False)
    temporary.replace(path)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a small file under a temporary name and rename it."""
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    temporary.write_bytes(content)
    temporary.replace(path)
