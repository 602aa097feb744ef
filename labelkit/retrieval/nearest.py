"""Short texts that mean nearly the same, by the static encoder that needs no download."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.embed import embed
from labelkit.retrieval.encoders import QUERY, derive, encoder_for


def nearest_texts(
    texts: Sequence[str], among: Sequence[str], k: int, cache_dir: Path
) -> list[list[tuple[int, float]]]:
    """For each text the `k` nearest of `among`: (place, cosine), nearest first, ties by place.

    wordllama at 256 dimensions, vectors cached under `cache_dir`. Raises CandidateError where its
    weights are not installed.
    """
    encoder = encoder_for(Candidate("wordllama", "static", model="wordllama"))
    rows = [embed(encoder, QUERY, list(side), cache_dir).vectors for side in (texts, among)]
    left, right = (derive(vectors, None, normalise=True) for vectors in rows)
    found = []
    for row in left:
        cosines = right @ row
        places = np.argsort(-cosines, kind="stable")[:k]
        found.append([(int(place), float(cosines[place])) for place in places])
    return found
