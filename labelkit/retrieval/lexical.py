"""BM25 through bm25s: the lexical baseline that every embedding has to beat."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunking import ChunkTable
from labelkit.retrieval.request import Request, Retrieval, describe
from labelkit.retrieval.search import Hit, rank_documents
from labelkit.retrieval.weights import library_versions

LANGUAGES = (
    "danish", "dutch", "english", "french", "german", "italian", "norwegian", "portuguese",
    "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
"""The languages for which bm25s has stop words and PyStemmer a stemmer."""
NO_LANGUAGE = "none"
"""Neither stop words nor stemming: words as they stand, in lower case."""


@dataclass(frozen=True, slots=True, eq=False)
class LexicalIndex:
    """A BM25 index over chunks; `model` is None when no chunk holds a word."""

    model: Any
    stemmer: Any
    language: str

    @property
    def bytes(self) -> int:
        """What the index takes in memory: its sparse matrix and its vocabulary."""
        if self.model is None:
            return 0
        arrays = sum(self.model.scores[name].nbytes for name in ("data", "indices", "indptr"))
        return int(arrays + sum(len(word.encode()) for word in self.model.vocab_dict))

    def tokens(self, texts: Sequence[str]) -> list[list[str]]:
        """Lower-case words of two letters and more, without stop words, stemmed."""
        import bm25s

        found: list[list[str]] = bm25s.tokenize(
            texts,
            stopwords=[] if self.language == NO_LANGUAGE else self.language,
            stemmer=self.stemmer,
            return_ids=False,
            show_progress=False,
        )
        return found

    def search(self, words: list[str], chunks: ChunkTable, k: int) -> list[Hit]:
        """The top `k` documents that share a word with the query; others are not retrieved."""
        if self.model is None or not words:
            return []
        scores = self.model.get_scores(words)
        rows = np.flatnonzero(scores > 0)
        return rank_documents(rows, scores[rows].astype(np.float64), chunks, k)


def refuse_unknown_language(candidate: Candidate) -> None:
    """Raise CandidateError for a language without stemmer or stop words."""
    if candidate.language not in (*LANGUAGES, NO_LANGUAGE):
        known = ", ".join([*LANGUAGES, NO_LANGUAGE])
        message = f"no stemmer for the language {candidate.language!r}; known: {known}"
        raise CandidateError(candidate.name, message)


def build_lexical_index(candidate: Candidate, chunks: ChunkTable) -> LexicalIndex:
    """Index every chunk; raises CandidateError for a language without stemmer or stop words."""
    import bm25s
    import Stemmer

    refuse_unknown_language(candidate)
    plain = candidate.language == NO_LANGUAGE
    stemmer = None if plain else Stemmer.Stemmer(candidate.language)
    index = LexicalIndex(None, stemmer, candidate.language)
    words = index.tokens(chunks.texts)
    if not any(words):
        return index
    # float64, so that scores are compared as they were computed
    model = bm25s.BM25(k1=candidate.k1, b=candidate.b, dtype="float64")
    model.index(words, show_progress=False)
    return LexicalIndex(model, stemmer, candidate.language)


def retrieve_lexical(candidate: Candidate, request: Request) -> Retrieval:
    """BM25: documents without any word of the query are not retrieved."""
    texts = request.texts(candidate.turns)
    request.progress(0, len(texts), "indexing documents")
    started = time.perf_counter()
    chunks = request.chunks(candidate)
    index = build_lexical_index(candidate, chunks)
    build_seconds = time.perf_counter() - started
    hits, times = {}, []
    for done, (query_id, text) in enumerate(texts.items(), start=1):
        start = time.perf_counter()
        (words,) = index.tokens([text])
        middle = time.perf_counter()
        hits[query_id] = index.search(words, chunks, request.depth)
        times.append((middle - start, time.perf_counter() - middle))
        request.progress(done, len(texts), "searching")
    milliseconds = 1000 * np.array(times, dtype=np.float64).reshape(-1, 2)
    return Retrieval(
        candidate=candidate,
        depth=request.depth,
        hits=hits,
        encode_ms=milliseconds[:, 0],
        search_ms=milliseconds[:, 1],
        description=describe(candidate, {"libraries": library_versions("bm25s", "PyStemmer")}),
        chunks=len(chunks),
        index_bytes=index.bytes,
        build_seconds=build_seconds,
    )
