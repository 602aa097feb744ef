"""Files of cached vectors: written once, whole, under the hash of their content.

    <name>.keys.npy      per row: text hash, tokens, query time
    <name>.vectors.npy   float32 [rows, full width], C-contiguous, to be memory-mapped

A name ends with the SHA-256 of the content, so damage is seen. The vectors come last, so a shard
that was cut off by a kill does not count. A piece is a small shard on the way: one block of
encoded texts, whose name begins with the hash of its keys, so that whoever is to encode the same
texts sees that they are done. Pieces are joined into shards and removed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

ROW = np.dtype([("key", "S32"), ("tokens", "<i4"), ("milliseconds", "<f4"), ("machine", "<u4")])
"""One cached text. `milliseconds` is NaN unless the text was encoded alone, to be timed."""

Rows = NDArray[np.void]
PIECE = "piece-"
READ = 1 << 20
KEYS, VECTORS = ".keys.npy", ".vectors.npy"


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Where some texts' vectors lie; only what is known of each text is held in memory."""

    folder: Path
    name: str
    rows: Rows
    width: int

    @property
    def is_piece(self) -> bool:
        """Whether it waits to be joined with others."""
        return self.name.startswith(PIECE)

    def vectors(self) -> Vectors:
        """The vectors [rows, width], memory-mapped for as long as they are held."""
        mapped: Vectors = np.load(self.folder / f"{self.name}{VECTORS}", mmap_mode="r")
        return mapped

    def remove(self) -> None:
        """Delete its files."""
        for part in (KEYS, VECTORS):
            (self.folder / f"{self.name}{part}").unlink(missing_ok=True)


def shard_names(folder: Path) -> list[str]:
    """The shards of a folder, those that are whole before the pieces, each kind by name."""
    names = [path.name.removesuffix(KEYS) for path in folder.glob(f"*{KEYS}")]
    return sorted(names, key=lambda name: (name.startswith(PIECE), name))


def read_shard(folder: Path, name: str, sound: bool = False) -> Shard | None:
    """A shard of a folder; None when it is not what its name says.

    The vectors are read through, not mapped, so they take no memory; not where they are known
    to be `sound`.
    """
    try:
        rows = np.load(folder / f"{name}{KEYS}", allow_pickle=False)
        with (folder / f"{name}{VECTORS}").open("rb") as stream:
            npy.read_magic(stream)
            shape, fortran, dtype = npy.read_array_header_1_0(stream)
            if rows.dtype != ROW or dtype != np.float32 or fortran or len(shape) != 2:
                return None
            digest = start_hash(shape, rows)
            while not sound and (part := stream.read(READ)):
                digest.update(part)
    except (OSError, ValueError, EOFError):
        return None
    sound = sound or digest.hexdigest() == name.rpartition("-")[2]
    return Shard(folder, name, rows, int(shape[1])) if sound and len(rows) == shape[0] else None


def start_hash(shape: tuple[int, ...], rows: Rows) -> Any:
    """SHA-256 over the shape and the rows of a shard; the bytes of its vectors are to follow."""
    digest = hashlib.sha256(repr(shape).encode())
    digest.update(rows.tobytes())
    return digest


def write_shard(folder: Path, rows: Rows, blocks: Iterable[Vectors], prefix: str = "") -> Shard:
    """Write a shard from consecutive blocks of its vectors; it is on disk when this returns."""
    temporary = folder / f".{os.getpid()}.{os.urandom(4).hex()}{VECTORS}"
    blocks = iter(blocks)
    first = next(blocks)
    shape = len(rows), first.shape[1]
    digest = start_hash(shape, rows)
    try:
        with temporary.open("wb") as stream:
            header = {"descr": "<f4", "fortran_order": False, "shape": shape}
            npy.write_array_header_1_0(stream, header)
            for block in (first, *blocks):
                held = np.ascontiguousarray(block, dtype=np.float32)
                stream.write(held.data)
                digest.update(held.data)
        name = prefix + digest.hexdigest()
        save_atomically(folder / f"{name}{KEYS}", rows)
        temporary.replace(folder / f"{name}{VECTORS}")
    finally:
        temporary.unlink(missing_ok=True)
    return Shard(folder, name, rows, shape[1])


def piece_prefix(keys: NDArray[np.bytes_]) -> str:
    """How the name of a piece with these texts begins."""
    return f"{PIECE}{hashlib.sha256(keys.tobytes()).hexdigest()[:32]}-"


def has_piece(folder: Path, keys: NDArray[np.bytes_]) -> bool:
    """Whether a piece with these texts, in this order, lies in the folder."""
    return any(folder.glob(f"{piece_prefix(keys)}*{VECTORS}"))


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
