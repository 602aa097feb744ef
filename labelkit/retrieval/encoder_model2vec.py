"""Static models distilled by model2vec: an extra, `pip install 'labelkit[model2vec]'`."""

from __future__ import annotations

import importlib.util
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.search import Vectors
from labelkit.retrieval.tokenizing import token_ids, token_offsets
from labelkit.retrieval.weights import encoder_folder, folder_hashes, library_versions


class Model2VecEncoder:
    """A model2vec model from a folder or the hub; it reads texts of any length unless told."""

    def __init__(self, candidate: Candidate) -> None:
        if importlib.util.find_spec("model2vec") is None:
            raise CandidateError(
                candidate.name,
                f"the static model {candidate.model!r} needs the package model2vec: "
                "pip install 'labelkit[model2vec]' (without it, known: wordllama)",
            )
        self.name = candidate.name
        self.folder = encoder_folder(candidate.name, candidate.model, candidate.revision)
        self.prompts = {"query": candidate.query_prompt, "document": candidate.document_prompt}
        self.limit = candidate.max_length

    def describe(self, side: str) -> dict[str, Any]:
        """Files, library, prompt and length."""
        return {
            "encoder": "model2vec",
            "side": side,
            "files": folder_hashes(self.folder),
            "libraries": library_versions("model2vec", "tokenizers"),
            "prompt": self.prompts[side] or "",
            "max_length": self.limit,
            "dtype": "float32",
        }

    def token_limit(self) -> int | None:
        """None: all tokens count, unless the candidate sets max_length."""
        return self.limit

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Raw vectors [texts, width], not normalised by the model."""
        prompt = self.prompts[side] or ""
        given = self._model.encode(
            [prompt + text for text in texts], max_length=self.limit, show_progress_bar=False
        )
        vectors: Vectors = np.nan_to_num(np.asarray(given, dtype=np.float32))
        return vectors

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """Tokens per text, prompt included."""
        prompt = self.prompts[side] or ""
        found = token_ids(self._model.tokenizer, [prompt + text for text in texts])
        return np.array([len(ids) for ids in found], dtype=np.int32)

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each token lies in a text."""
        return token_offsets(self._model.tokenizer, text)

    @cached_property
    def _model(self) -> Any:
        return load_model2vec(self.folder)


@lru_cache(maxsize=1)
def load_model2vec(folder: Path) -> Any:
    """The model of a folder, its vectors as the file holds them."""
    from model2vec import StaticModel

    return StaticModel.from_pretrained(folder, normalize=False)
