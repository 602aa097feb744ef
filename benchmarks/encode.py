"""Encoding with the offline MiniLM through labelkit against bare SentenceTransformer.encode.

Usage: python benchmarks/encode.py [TEXTS]. Texts of 5 to 250 words, lengths mixed. labelkit's time
is that of `embed` into an empty cache: hashing, encoding in length-sorted batches, counting
tokens, writing the shard and reading it back. The witness is one call of `encode` on the texts
sorted by length, which sorts once more itself; "unsorted" encodes them in batches as they come.
The second run finds every vector in the cache.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from floors import Figure, timed, verdict

from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.embed import embed
from labelkit.retrieval.encoders import (
    BATCH_SIZE,
    DOCUMENT,
    SentenceEncoder,
    load_sentence_transformer,
)

ROUNDS = 5
SHARE, FASTER_THAN_UNSORTED, FASTER_FROM_CACHE = 0.95, 1.0, 100.0
WORDS = ("the", "query", "document", "returns", "values", "when", "index", "rank")


def texts_of(count: int) -> list[str]:
    """Different texts, short and long in no order."""
    generator = random.Random(0)
    return [
        f"{number} " + " ".join(generator.choices(WORDS, k=generator.randint(5, 250)))
        for number in range(count)
    ]


def bare(model: Any, texts: list[str]) -> None:
    """One call of sentence-transformers' own encode, length-sorted."""
    model.encode(sorted(texts, key=len), batch_size=BATCH_SIZE, show_progress_bar=False)


def unsorted(model: Any, texts: list[str]) -> None:
    """Batches in the order given."""
    for start in range(0, len(texts), BATCH_SIZE):
        model.encode(texts[start : start + BATCH_SIZE], show_progress_bar=False)


def main() -> None:
    """Measure in turns and judge."""
    texts = texts_of(int(sys.argv[1]) if len(sys.argv) > 1 else 256)
    encoder = SentenceEncoder(Candidate("MiniLM", "encoder", "all-MiniLM-L6-v2"))
    model = load_sentence_transformer(
        encoder.folder, encoder.dtype, encoder.device
    )  # the very same
    bare(model, texts[:BATCH_SIZE])
    took: dict[str, list[float]] = {n: [] for n in ("bare", "unsorted", "first", "second")}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder)
            took["bare"].append(timed(lambda: bare(model, texts)))
            took["first"].append(timed(lambda: embed(encoder, DOCUMENT, texts, cache)))  # noqa: B023
            took["second"].append(timed(lambda: embed(encoder, DOCUMENT, texts, cache)))  # noqa: B023
            took["unsorted"].append(timed(lambda: unsorted(model, texts)))
    # The fastest of the rounds: other work on the machine only ever adds, and to one round of one
    # piece of work as much as the whole difference that is looked for.
    seconds = {name: min(each) for name, each in took.items()}
    first = seconds["first"]
    verdict(
        "encode",
        [
            Figure("speed, share of bare encode", seconds["bare"] / first, SHARE),
            Figure("times unsorted", seconds["unsorted"] / first, FASTER_THAN_UNSORTED),
            Figure("second run, times the first", first / seconds["second"], FASTER_FROM_CACHE),
        ],
        seconds,
    )


if __name__ == "__main__":
    main()
