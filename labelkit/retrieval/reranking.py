"""A second stage that reads query and chunk together and orders the first documents anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.devices import kind_of, require_device
from labelkit.retrieval.encoder_function import load_function, source_hash
from labelkit.retrieval.search import Hit
from labelkit.retrieval.weights import encoder_folder, folder_hashes, library_versions
from labelkit.wording import counted

Scorer = Callable[[str, list[str]], Sequence[float]]
"""Scores of texts for one query; larger is better."""


def scorer_for(candidate: Candidate) -> tuple[Scorer, dict[str, Any]]:
    """What scores for a rerank candidate, and what decides its scores.

    A function is called as `(query: str, texts: list[str]) -> scores`. Raises CandidateError
    when model or function cannot be had.
    """
    if candidate.function:
        function = load_function(candidate)
        about: dict[str, Any] = {
            "reranker": "function",
            "function": candidate.function,
            "source_sha256": source_hash(function),
            "revision": candidate.revision,
        }
        return function, about
    folder = encoder_folder(candidate.name, candidate.model, candidate.revision)
    require_device(candidate.name, candidate.device)
    about = {
        "reranker": "CrossEncoder",
        "files": folder_hashes(folder),
        "libraries": library_versions("sentence-transformers", "transformers", "torch"),
        "max_length": candidate.max_length,
        "dtype": "float32",
        "device": kind_of(candidate.device),
    }

    @cache  # held for as long as the scorer is: two rerankers at work do not push each other out
    def model() -> Any:
        return load_cross_encoder(folder, candidate.max_length, candidate.device)

    def score(query: str, texts: list[str]) -> Sequence[float]:
        scores: Sequence[float] = model().predict(
            [(query, text) for text in texts], show_progress_bar=False
        )
        return scores

    return score, about


@lru_cache(maxsize=1)
def load_cross_encoder(folder: Path, max_length: int | None, device: str) -> Any:
    """The cross-encoder of a folder, on a device; code that a model brings along is never run."""
    from sentence_transformers import CrossEncoder

    return CrossEncoder(
        str(folder),
        device=device,
        trust_remote_code=False,
        local_files_only=True,
        max_length=max_length,
    )


def rerank(
    candidate: Candidate, score: Scorer, query: str, hits: list[Hit], texts: list[str]
) -> list[Hit]:
    """The first `rerank_depth` hits by the scorer's order, the others below them as they were.

    `texts` are what the hits' winning chunks read. Raises CandidateError for a wrong number of
    scores, or one that is no finite number.
    """
    head = hits[: candidate.rerank_depth]
    if not head:
        return []
    given = np.asarray(score(query, texts[: len(head)]), dtype=np.float64).reshape(-1)
    refuse_wrong_scores(candidate, given, len(head))
    scored = [hit._replace(score=float(s)) for hit, s in zip(head, given, strict=True)]
    scored.sort(key=lambda hit: (hit.score, hit.doc_id.encode()), reverse=True)
    return [*scored, *below(scored[-1].score, hits[len(head) :])]


def refuse_wrong_scores(candidate: Candidate, scores: NDArray[np.float64], count: int) -> None:
    """Raise CandidateError where there are not `count` scores, or one is not finite."""
    if len(scores) != count:
        for_texts = f"{counted(len(scores), 'score')} for {counted(count, 'text')}"
        raise CandidateError(candidate.name, f"the reranker gave {for_texts}; it has to score each")
    if not np.isfinite(scores).all():
        raise CandidateError(candidate.name, "the reranker gave a score that is no finite number")


def below(lowest: float, rest: list[Hit]) -> list[Hit]:
    """The hits that were not reranked, with falling scores under the lowest reranked one."""
    lowered, score = [], lowest
    for hit in rest:
        score = min(score - 1.0, math.nextafter(score, -math.inf))
        lowered.append(hit._replace(score=score))
    return lowered
