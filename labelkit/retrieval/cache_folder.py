"""What lies in an embedding cache, and making room in it."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class CachedEncoder:
    """The cached vectors of one encoder and side: how many texts and bytes, last used when.

    `used` is seconds since the epoch: when a shard was last read or written.
    """

    folder: Path
    description: dict[str, Any]
    texts: int
    bytes: int
    used: float

    @property
    def words(self) -> str:
        """The encoder in one line: kind, side, model or files, prompt."""
        about = self.description
        parts = [str(about.get("encoder", "unknown")), str(about.get("side", ""))]
        parts += [str(about[key]) for key in ("model", "function") if about.get(key)]
        parts += [f"weights {one[:8]}" for one in _weights(about)]
        parts += [f"prompt {about['prompt']!r}"] if about.get("prompt") else []
        parts += [f"{about['max_length']} tokens"] if about.get("max_length") else []
        parts += [about["dtype"]] if about.get("dtype") not in (None, "float32") else []
        width = about.get("dimensions_asked") or about.get("dimensions")
        parts += [f"{width} dimensions"] if width else []
        parts += [f"at {about['base_url']}"] if about.get("base_url") else []
        return ", ".join(part for part in parts if part)


def _weights(about: dict[str, Any]) -> list[str]:
    files = about.get("files") or {}
    return [digest for name, digest in files.items() if name.endswith(".safetensors")]


def cached_encoders(cache_dir: Path) -> list[CachedEncoder]:
    """Everything in a cache, the largest first; an empty list where there is none."""
    found = [_encoder(note.parent) for note in cache_dir.glob("*/encoder.json")]
    return sorted(found, key=lambda one: (-one.bytes, one.folder.name))


def _encoder(folder: Path) -> CachedEncoder:
    import numpy as np

    files = [path for path in folder.iterdir() if path.is_file()]
    keys = [path for path in files if path.name.endswith(".keys.npy")]
    stats = [path.stat() for path in files]
    return CachedEncoder(
        folder=folder,
        description=json.loads((folder / "encoder.json").read_bytes()),
        texts=sum(len(np.load(path, mmap_mode="r")) for path in keys),
        bytes=sum(stat.st_size for stat in stats),
        used=max(max(stat.st_mtime, stat.st_atime) for stat in stats),
    )


def prune(cached: list[CachedEncoder]) -> int:
    """Remove these from the disk; returns the bytes that were freed.

    Nothing is lost but time or money: what a run needs again is encoded again.
    """
    for one in cached:
        shutil.rmtree(one.folder)
    return sum(one.bytes for one in cached)
