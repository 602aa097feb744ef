"""Embeddings on disk, found again by content.

    CACHE_DIR/<fingerprint>/encoder.json   what decides the vectors, for people
    CACHE_DIR/<fingerprint>/<name>.*.npy   shards and pieces, see `shards`

Nothing that is written is ever changed, and damage is seen when the cache is opened: a damaged
shard is deleted and its texts are encoded again. There is no lock. Two processes that encode the
same texts write the same shard; where one joins the pieces that another reads, the other looks
again.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import Conflict
from labelkit.retrieval.lazy_vectors import BLOCK, LazyVectors
from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.shards import (
    ROW,
    VECTORS,
    Rows,
    Shard,
    Vectors,
    read_shard,
    shard_names,
    write_atomically,
    write_shard,
)

LOOKS = 5
"""How often a cache is looked at again when another process moves what is being read."""

FEW_ROWS, MANY_SHARDS = 1024, 32
"""More than so many shards of fewer rows are joined: every shard takes time to open."""

_sound: set[tuple[str, int, int]] = set()
"""Vectors files, with size and time, that this process has read through: each once."""


def fingerprint_of(description: Mapping[str, Any]) -> str:
    """SHA-256 of a description's canonical JSON."""
    text = json.dumps(description, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def text_key(text: str) -> bytes:
    """SHA-256 of a text, 32 raw bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def text_keys(texts: Sequence[str]) -> NDArray[np.bytes_]:
    """The key of each text; the texts are read one by one."""
    return np.fromiter(map(text_key, texts), dtype="S32", count=len(texts))


def machine_code() -> int:
    """A number that tells this machine from another, so that a foreign timing is not shown."""
    return zlib.crc32(machine_name().encode())


def open_folder(cache_dir: Path, description: Mapping[str, Any]) -> Path:
    """Where the vectors of an encoder and side lie, made and labelled if need be."""
    folder = cache_dir / fingerprint_of(description)[:32]
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "encoder.json"
    if not note.exists():
        write_atomically(note, json.dumps(description, indent=1, ensure_ascii=False).encode())
    return folder


class VectorCache:
    """The cached vectors of one encoder and side. `damaged` counts the shards thrown away."""

    def __init__(self, cache_dir: Path, description: Mapping[str, Any]) -> None:
        self.folder = open_folder(cache_dir, description)
        self.damaged = 0
        self.look()

    def look(self) -> None:
        """Find out what the folder holds now; what is damaged is removed."""
        self._shards: list[Shard] = []
        for name in shard_names(self.folder):
            shard = self._opened(name)
            if shard is None:
                self.damaged += 1
                Shard(self.folder, name, np.empty(0, ROW), 0).remove()
            else:
                self._shards.append(shard)
        self._index()

    def _opened(self, name: str) -> Shard | None:
        path = self.folder / f"{name}{VECTORS}"
        try:
            known = path.stat()
        except FileNotFoundError:
            return None
        seen = str(path), known.st_size, known.st_mtime_ns
        shard = read_shard(self.folder, name, sound=seen in _sound)
        if shard is not None:
            _sound.add(seen)
        return shard

    def _index(self) -> None:
        """Sort all keys once; `_place` leads from the sorted order back to the row.

        Whole shards stand before pieces, so of a text in both the first is found.
        """
        self._rows = np.concatenate([np.empty(0, ROW), *(one.rows for one in self._shards)])
        self._place = np.argsort(self._rows["key"], kind="stable")
        self._sorted = self._rows["key"][self._place]
        self._first = np.cumsum([0, *(len(one.rows) for one in self._shards)])
        self._whole = sum(len(one.rows) for one in self._shards if not one.is_piece)

    @property
    def width(self) -> int:
        """Numbers per vector; 0 in an empty cache."""
        return self._shards[0].width if self._shards else 0

    def find(self, keys: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """The row of each key, -1 where the text is not cached."""
        if not len(self._sorted):
            return np.full(len(keys), -1, dtype=np.int64)
        spot = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return np.where(self._sorted[spot] == keys, self._place[spot], -1)

    def holds_whole(self, keys: NDArray[np.bytes_]) -> NDArray[np.bool_]:
        """Whether each text stands in a whole shard, not only in a piece or nowhere."""
        places = self.find(keys)
        return (places >= 0) & (places < self._whole)

    def rows(self, places: NDArray[np.int64]) -> Rows:
        """Key, tokens and timing of rows that `find` gave."""
        found: Rows = self._rows[places]
        return found

    def vectors(self, keys: NDArray[np.bytes_]) -> Vectors:
        """The vectors [keys, full width] of texts that are cached."""
        for _ in range(LOOKS):
            places = self.find(keys)
            try:
                if (places >= 0).all():
                    return self._take(places)
            except FileNotFoundError:
                pass
            self.look()
        raise Conflict(
            f"{self.folder}: another process removed cached vectors while they were read; "
            "run this again"
        )

    def _take(self, places: NDArray[np.int64]) -> Vectors:
        vectors = np.empty((len(places), self.width), dtype=np.float32)
        shard = np.searchsorted(self._first, places, side="right") - 1
        for number in np.unique(shard):
            mine = shard == number
            vectors[mine] = self._shards[number].vectors()[places[mine] - self._first[number]]
        return vectors

    def _blocks(self, keys: NDArray[np.bytes_]) -> Iterator[Vectors]:
        for start in range(0, len(keys), BLOCK):
            yield self.vectors(keys[start : start + BLOCK])

    def join(self, keys: NDArray[np.bytes_]) -> None:
        """Make one whole shard of the pieces that hold these texts, in this order.

        Pieces of which nothing is left that does not stand in a whole shard are removed.
        """
        self.look()
        self._write(keys)
        pieces = [one for one in self._shards if one.is_piece]
        self._remove([one for one in pieces if self.holds_whole(one.rows["key"]).all()])
        small = [one for one in self._shards if len(one.rows) < FEW_ROWS]
        if len(small) > MANY_SHARDS:
            self._write(np.unique(np.concatenate([one.rows["key"] for one in small])))
            self._remove(small)

    def _write(self, keys: NDArray[np.bytes_]) -> None:
        if len(keys):
            rows = self.rows(self.find(keys))
            self._shards.insert(0, write_shard(self.folder, rows, self._blocks(keys)))
            self._index()

    def _remove(self, shards: list[Shard]) -> None:
        for shard in shards:
            shard.remove()
            self._shards.remove(shard)
        self._index()


class CachedVectors(LazyVectors):
    """The vectors of some texts, read from the cache block by block."""

    def __init__(self, cache: VectorCache, keys: NDArray[np.bytes_]) -> None:
        self.cache, self.keys = cache, keys
        self.shape = len(keys), cache.width

    def read(self, start: int, end: int) -> Vectors:
        """The vectors of the texts `[start, end)`."""
        return self.cache.vectors(self.keys[start:end])

    def take(self, rows: NDArray[np.int64]) -> Vectors:
        """The vectors of the texts with these numbers."""
        return self.cache.vectors(self.keys[rows])
