"""Random vectors: what a ranking without any knowledge scores."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.search import Vectors


class RandomEncoder:
    """A vector of independent standard normal numbers for each text, drawn from seed and text."""

    def __init__(self, candidate: Candidate) -> None:
        self.name, self.seed = candidate.name, candidate.seed
        self.width = candidate.dimensions or 0

    def describe(self, side: str) -> dict[str, Any]:
        """Seed and width."""
        return {"encoder": "random", "side": side, "seed": self.seed, "width": self.width}

    def token_limit(self) -> int | None:
        """None: nothing is read, so nothing is cut."""
        return None

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """Zero each."""
        return np.zeros(len(texts), dtype=np.int32)

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Raw vectors [texts, width]; the same text gives the same vector."""
        rows = [self._draw(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.width)

    def _draw(self, text: str) -> NDArray[np.float64]:
        digest = hashlib.sha256(f"{self.seed}\n{text}".encode("utf-8", "surrogatepass")).digest()
        drawn: NDArray[np.float64] = np.random.default_rng(
            int.from_bytes(digest[:16], "little")
        ).standard_normal(self.width)
        return drawn
