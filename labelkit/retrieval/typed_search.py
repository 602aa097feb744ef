"""Search as one types: BM25 and a static embedding over whole documents, read from disk.

The index is built once for a state of the corpus, in a process of its own, and mapped into
memory by whoever searches, so that a second reader costs nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.model import Document
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.encoders import DOCUMENT, QUERY, derive, encoder_for
from labelkit.retrieval.search import Vectors

LEXICAL = Candidate("bm25", "bm25")
STATIC = Candidate("wordllama", "static", model="wordllama")
DEPTH = 50
"""Documents of each retriever that are merged."""
RRF_K = 60
ENDINGS = 12
"""Words of the corpus that a half-typed last word may stand for."""
BATCH = 2000

_IDS, _VECTORS, _BM25 = "ids.json", "vectors.npy", "bm25"


@dataclass(frozen=True, slots=True, eq=False)
class TypedIndex:
    """An index read from disk; `bm25` is None where no document holds a word."""

    doc_ids: list[str]
    bm25: Any
    vocabulary: list[str]
    vectors: Vectors

    def search(self, words: str, k: int) -> list[str]:
        """The ids of the `k` best documents by reciprocal rank fusion, best first.

        Sum of 1 / (60 + rank) over both retrievers (Cormack, Clarke and Büttcher 2009); ties by
        the earlier document.
        """
        fused: dict[int, float] = {}
        for rows in (self._lexical(words), self._nearest(words)):
            for rank, row in enumerate(rows, 1):
                fused[row] = fused.get(row, 0.0) + 1 / (RRF_K + rank)
        best = sorted(fused, key=lambda row: (-fused[row], row))[:k]
        return [self.doc_ids[row] for row in best]

    def _lexical(self, words: str) -> list[int]:
        tokens = _tokens([words])[0]
        if self.bm25 is None or not tokens:
            return []
        scores = self.bm25.get_scores([*tokens[:-1], *self._endings(tokens[-1])])
        return [row for row in _top(scores, DEPTH) if scores[row] > 0]

    def _endings(self, word: str) -> list[str]:
        """The word itself where the corpus has it, else what a half-typed one may become."""
        at = bisect_left(self.vocabulary, word)
        if at < len(self.vocabulary) and self.vocabulary[at] == word:
            return [word]
        after = self.vocabulary[at : at + ENDINGS]
        return [longer for longer in after if longer.startswith(word)]

    def _nearest(self, words: str) -> list[int]:
        query = derive(_encoder().encode([words], QUERY), None, normalise=True)[0]
        if not query.any():
            return []
        return _top(self.vectors @ query, DEPTH)


def build(
    documents: Iterable[Document],
    total: int,
    folder: Path,
    progress: Callable[[int, int, str], None] = lambda done, total, message: None,
) -> None:
    """Index every document and put the result at `folder`; earlier indexes beside it go.

    `folder` exists only when it is whole.
    """
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    doc_ids, tokens, rows = [], [], []
    for batch in _batches(documents):
        texts = [f"{document.title}\n{document.text}" for document in batch]
        doc_ids += [document.doc_id for document in batch]
        tokens += _tokens(texts)
        rows.append(derive(_encoder().encode(texts, DOCUMENT), None, normalise=True))
        progress(len(doc_ids), max(total, len(doc_ids)), "reading documents")
    (unfinished / _IDS).write_text(json.dumps(doc_ids), encoding="utf-8")
    np.save(
        unfinished / _VECTORS, np.concatenate(rows) if rows else _encoder().encode([], DOCUMENT)
    )
    _save_bm25(tokens, unfinished / _BM25)
    _put(unfinished, folder)


def load(folder: Path) -> TypedIndex | None:
    """The index at `folder`, mapped into memory and kept for the next call, or None."""
    return _load(folder) if folder.is_dir() else None


@lru_cache(maxsize=4)
def _load(folder: Path) -> TypedIndex:
    import bm25s

    model = None
    if (folder / _BM25).is_dir():
        model = bm25s.BM25.load(folder / _BM25, mmap=True, show_progress=False)
    return TypedIndex(
        json.loads((folder / _IDS).read_text(encoding="utf-8")),
        model,
        sorted(model.vocab_dict) if model is not None else [],
        np.load(folder / _VECTORS, mmap_mode="r"),
    )


def _save_bm25(tokens: list[list[str]], folder: Path) -> None:
    import bm25s

    if any(tokens):
        model = bm25s.BM25(k1=LEXICAL.k1, b=LEXICAL.b)
        model.index(tokens, show_progress=False)
        model.save(folder, show_progress=False)


def _put(unfinished: Path, folder: Path) -> None:
    """Rename into place, then drop the others: who has one mapped keeps reading it."""
    if folder.is_dir():
        shutil.rmtree(unfinished)
        return
    unfinished.rename(folder)
    for earlier in folder.parent.iterdir():
        if earlier != folder:
            shutil.rmtree(earlier, ignore_errors=True)


def _batches(documents: Iterable[Document]) -> Iterable[Sequence[Document]]:
    batch: list[Document] = []
    for document in documents:
        batch.append(document)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _top(scores: NDArray[np.float32], depth: int) -> list[int]:
    """The rows of the highest scores, highest first; ties by row."""
    depth = min(depth, len(scores))
    kept = np.argpartition(-scores, depth - 1)[:depth] if depth else np.arange(0)
    order = np.lexsort((kept, -scores[kept]))
    return [int(row) for row in kept[order]]


def _tokens(texts: list[str]) -> list[list[str]]:
    import bm25s
    import Stemmer

    found: list[list[str]] = bm25s.tokenize(
        texts,
        stopwords=LEXICAL.language,
        stemmer=Stemmer.Stemmer(LEXICAL.language),
        return_ids=False,
        show_progress=False,
    )
    return found


@lru_cache(maxsize=1)
def _encoder() -> Any:
    return encoder_for(STATIC)
