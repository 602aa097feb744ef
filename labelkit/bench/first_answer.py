"""A process that answers one query and ends: `latency.first_answer` times it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from labelkit import releases
from labelkit.retrieval import candidate_from_dict
from labelkit.retrieval.embed import silent
from labelkit.retrieval.live import ready
from labelkit.retrieval.request import Request

DEPTH = 10


def answer_one(asked: str) -> None:
    """Load a release and a candidate (JSON: release, candidate, cache), and ask its first query."""
    given = json.loads(asked)
    release = releases.load(Path(given["release"]))
    candidate = candidate_from_dict(given["candidate"])
    request = Request(release.documents, release.queries, DEPTH, Path(given["cache"]), silent)
    texts = request.texts(candidate.turns)
    ready(candidate, request)(next(iter(texts.values())))


if __name__ == "__main__":
    answer_one(sys.argv[1])
