"""Noticing that the model behind an endpoint changed without a word.

A few texts are embedded at each run and held against the vectors of the last time. Where they
differ by more than a server's own noise, the endpoint counts as another model from then on: its
cached vectors are no longer used, and the run says so.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from labelkit.retrieval.cache import write_atomically
from labelkit.retrieval.encoder_endpoint import EndpointEncoder
from labelkit.retrieval.search import Vectors

PROBES = (
    "How do I reset my password?",
    "The quick brown fox jumps over the lazy dog.",
    "Rückerstattung für Bestellung Nr. 4711, Größe L",
)
SAME_MODEL = 0.9995
"""The least cosine between two answers of one model: servers that batch and use lower precision
give slightly different vectors for the same text (bfloat16 on a CPU: above 0.9999)."""


def probe(encoder: EndpointEncoder, cache_dir: Path) -> list[str]:
    """Set the encoder's generation by its answers to `PROBES`; returns what to tell the user.

    Raises CandidateError when the server cannot be asked.
    """
    path = cache_dir / "endpoints" / f"{_key(encoder)}.json"
    vectors = encoder.encode(list(PROBES), "document")
    if not path.exists():
        _keep(path, encoder, vectors)
        return []
    held = json.loads(path.read_bytes())
    encoder.generation = int(held["generation"])
    likeness = least_cosine(np.array(held["vectors"], dtype=np.float32), vectors)
    if likeness >= SAME_MODEL:
        return []
    encoder.generation += 1
    _keep(path, encoder, vectors)
    return [
        f"the model {encoder.model!r} at {encoder.service.base_url} answers differently than "
        f"before (least cosine of {len(PROBES)} probes {likeness:.4f}): its older vectors are not "
        "used, and earlier runs of it are of another model"
    ]


def recall(encoder: EndpointEncoder, cache_dir: Path) -> None:
    """Set the encoder's generation to that of the last probe, without asking the server."""
    path = cache_dir / "endpoints" / f"{_key(encoder)}.json"
    if path.exists():
        encoder.generation = int(json.loads(path.read_bytes())["generation"])


def least_cosine(one: Vectors, other: Vectors) -> float:
    """The least cosine of two rows; -1 where the widths differ."""
    if one.shape != other.shape:
        return -1.0
    a, b = one.astype(np.float64), other.astype(np.float64)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(np.min(np.einsum("ij,ij->i", a, b) / np.where(norms == 0, 1.0, norms)))


def _key(encoder: EndpointEncoder) -> str:
    parts: list[Any] = [encoder.service.base_url, encoder.model, encoder.service.dimensions]
    parts.append(encoder.prompts["document"] or "")
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _keep(path: Path, encoder: EndpointEncoder, vectors: Vectors) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "base_url": encoder.service.base_url,
        "model": encoder.model,
        "generation": encoder.generation,
        "probes": list(PROBES),
        "vectors": vectors.tolist(),
    }
    write_atomically(path, json.dumps(content).encode())
