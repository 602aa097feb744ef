"""Encoders: text to raw float32 vectors, behind one small interface.

An encoder describes itself without loading anything, so that a run whose vectors are all cached
never imports torch. It gives raw vectors at full width; truncation and normalisation are derived
from them in `derive`, so one encoding serves every truncation.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.devices import CPU, kind_of, name_of, require_device
from labelkit.retrieval.encoder_endpoint import EndpointEncoder
from labelkit.retrieval.encoder_function import FunctionEncoder
from labelkit.retrieval.encoder_model2vec import Model2VecEncoder
from labelkit.retrieval.encoder_random import RandomEncoder
from labelkit.retrieval.lazy_vectors import AnyVectors, Derived
from labelkit.retrieval.search import Vectors
from labelkit.retrieval.tokenizing import token_ids, token_offsets
from labelkit.retrieval.weights import (
    encoder_folder,
    folder_hashes,
    library_versions,
    wordllama_folder,
)

QUERY, DOCUMENT = "query", "document"
WORDLLAMA = "wordllama"
BATCH_SIZE = 32
PROMPT_NAMES = {QUERY: ("query",), DOCUMENT: ("document", "passage", "corpus")}
"""Where sentence-transformers looks for a side's prompt in a model's configuration."""


class Encoder(Protocol):
    """What turns the texts of one side ("query" or "document") into vectors, for a candidate."""

    name: str

    def describe(self, side: str) -> dict[str, Any]:
        """Everything that decides the vectors of one side, ready for JSON: the fingerprint."""
        ...

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Raw vectors [texts, full width]; deterministic."""
        ...

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """Tokens per text before any truncation, prompt and special tokens included."""
        ...

    def token_limit(self) -> int | None:
        """Tokens that the model reads of a text; None when it reads all."""
        ...


def encoder_for(candidate: Candidate) -> Encoder:
    """The encoder of a candidate that has one; raises CandidateError if it cannot be had."""
    if candidate.kind == "static" and candidate.model != WORDLLAMA:
        return Model2VecEncoder(candidate)
    made: dict[str, Callable[[Candidate], Encoder]] = {
        "static": StaticEncoder,
        "encoder": SentenceEncoder,
        "endpoint": EndpointEncoder,
        "function": FunctionEncoder,
        "random": RandomEncoder,
    }
    return made[candidate.kind](candidate)


def offsets_of(candidate: Candidate) -> Callable[[str], list[tuple[int, int]]]:
    """Where the tokens of the candidate's own model lie in a text, `[start, end)` each.

    Raises CandidateError where the candidate has no tokenizer of its own.
    """
    if candidate.kind not in ("static", "encoder"):
        raise CandidateError(
            candidate.name, f"a candidate of kind {candidate.kind!r} has no tokens to chunk by"
        )
    encoder = encoder_for(candidate)
    assert isinstance(encoder, StaticEncoder | Model2VecEncoder | SentenceEncoder)
    return encoder.token_offsets


def derive(vectors: AnyVectors, dimensions: int | None, normalise: bool) -> Vectors:
    """Raw vectors as `Derived` says, in memory: read block by block where they are on disk."""
    return Derived(vectors, dimensions, normalise).held()


class StaticEncoder:
    """wordllama: the mean of one fixed vector per token. Reads texts of any length."""

    def __init__(self, candidate: Candidate) -> None:
        self.name = candidate.name
        self.folder = wordllama_folder(candidate.name)
        self.prompts = {QUERY: candidate.query_prompt, DOCUMENT: candidate.document_prompt}
        self.limit = candidate.max_length

    def describe(self, side: str) -> dict[str, Any]:
        """Weights, tokenizer, library, prompt and length."""
        files = (
            "weights/l2_supercat_256.safetensors",
            "tokenizers/l2_supercat_tokenizer_config.json",
        )
        hashes = folder_hashes(self.folder)
        return {
            "encoder": "wordllama",
            "side": side,
            "files": {name: hashes[name] for name in files if name in hashes},
            "libraries": library_versions("wordllama", "tokenizers"),
            "prompt": self.prompts[side] or "",
            "max_length": self.limit,
            "pooling": "mean of token vectors, summed in float64",
            "dtype": "float32",
            "device": "cpu",
        }

    def token_limit(self) -> int | None:
        """None: all tokens count, unless the candidate sets max_length."""
        return self.limit

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Mean token vectors; a text without tokens gives zeros.

        wordllama's own `embed` pads a batch to its longest text and gives NaN for an empty one;
        summing each text by itself does neither, and makes a vector independent of its batch.
        """
        table = self._model.embedding
        vectors = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
        for row, ids in enumerate(self._token_ids(texts, side)):
            if ids:
                known = np.minimum(ids[: self.limit], len(table) - 1)
                vectors[row] = table[known].mean(axis=0, dtype=np.float64)
        return vectors

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """Tokens per text, prompt included."""
        return np.array([len(ids) for ids in self._token_ids(texts, side)], dtype=np.int32)

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each token lies in a text."""
        return token_offsets(self._model.tokenizer, text)

    def _token_ids(self, texts: list[str], side: str) -> list[list[int]]:
        prompt = self.prompts[side] or ""
        return token_ids(self._model.tokenizer, [prompt + text for text in texts])

    @cached_property
    def _model(self) -> Any:
        return load_wordllama(self.folder)


@lru_cache(maxsize=1)
def load_wordllama(folder: Path) -> Any:
    """The packaged 256-dimension model, without its padding and its effect on logging."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    from wordllama import WordLlama  # calls logging.basicConfig(INFO) when imported

    root.setLevel(level)
    root.handlers[:] = handlers
    # A plain load() looks in the wrong folder for the tokenizer and then goes to the network.
    model = WordLlama.load(cache_dir=folder, disable_download=True)
    model.tokenizer.no_padding()
    return model


class SentenceEncoder:
    """A sentence-transformers model from a local folder, in float32 or bfloat16.

    bfloat16 is 3.6 times faster on processors with AMX, its vectors differ in the third digit; it
    decides the vectors, and so does the kind of device. CandidateError where that is missing.
    """

    def __init__(self, candidate: Candidate) -> None:
        self.name = candidate.name
        self.folder = encoder_folder(candidate.name, candidate.model, candidate.revision)
        self.prompts = {QUERY: candidate.query_prompt, DOCUMENT: candidate.document_prompt}
        self.max_length = candidate.max_length
        self.dtype, self.device = candidate.encode_dtype, candidate.device
        require_device(candidate.name, self.device)
        self.batch_size = BATCH_SIZE if self.dtype == "float32" else BATCH_SIZE // 2

    def describe(self, side: str) -> dict[str, Any]:
        """Files, libraries, the prompt really sent, and length."""
        return {
            "encoder": "sentence-transformers",
            "side": side,
            "files": folder_hashes(self.folder),
            "libraries": library_versions(
                "sentence-transformers", "transformers", "tokenizers", "torch"
            ),
            "prompt": self._prompt(side),
            "max_length": self.max_length,
            "batch_size": self.batch_size,
            "dtype": self.dtype,
            "device": kind_of(self.device),
        }

    def token_limit(self) -> int | None:
        """The candidate's max_length, else the model's own."""
        if self.max_length is not None:
            return self.max_length
        return self._configured_length

    @cached_property
    def _configured_length(self) -> int | None:
        length = self._configuration("sentence_bert_config.json").get("max_seq_length")
        if length is None:
            length = self._model.max_seq_length
        return int(length) if length is not None else None

    def _configuration(self, name: str) -> dict[str, Any]:
        """One of the model's JSON files, empty when it has none; read without loading torch."""
        path = self.folder / name
        content: dict[str, Any] = json.loads(path.read_bytes()) if path.is_file() else {}
        return content

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Raw model output; the model sorts the texts by length itself."""
        model = self._model
        encode = model.encode_query if side == QUERY else model.encode_document
        vectors = encode(
            texts,
            prompt=self._prompt(side),
            batch_size=self.batch_size,
            show_progress_bar=False,
            convert_to_tensor=True,  # NumPy has no bfloat16
        )
        found: Vectors = vectors.float().cpu().numpy()
        return found.reshape(len(texts), -1)

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """Tokens per text with the prompt and the special tokens."""
        prompt = self._prompt(side)
        encoded = self._model.tokenizer(
            [prompt + text for text in texts], truncation=False, verbose=False
        )
        return np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int32)

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Where each token lies in a text; special tokens have no place."""
        encoded = self._model.tokenizer(
            text,
            truncation=False,
            verbose=False,
            add_special_tokens=False,
            return_offsets_mapping=True,
        )
        return [(start, end) for start, end in encoded["offset_mapping"] if end > start]

    def _prompt(self, side: str) -> str:
        """The candidate's prompt, else the one that the model's configuration has for the side."""
        given = self.prompts[side]
        if given is not None:
            return given
        own = self._configuration("config_sentence_transformers.json").get("prompts") or {}
        return next((own[name] for name in PROMPT_NAMES[side] if own.get(name)), "")

    @property
    def _model(self) -> Any:
        model = self._loaded
        # one loaded model serves several candidates, so the length is set at each use
        model.max_seq_length = self.max_length or model.labelkit_own_max_length
        return model

    @cached_property
    def _loaded(self) -> Any:
        return load_sentence_transformer(self.folder, self.dtype, self.device)

    def used_device(self) -> str:
        """Where the model computed in this process; empty where it was not needed."""
        return name_of(str(self._loaded.device)) if "_loaded" in vars(self) else ""


@lru_cache(maxsize=1)
def load_sentence_transformer(folder: Path, dtype: str = "float32", device: str = CPU) -> Any:
    """A folder's model, its weights in a dtype, on a device; its own code is never run."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()  # it would break into labelkit's own
    model = SentenceTransformer(
        str(folder), device=device, trust_remote_code=False, local_files_only=True
    )
    if dtype == "bfloat16":
        model = model.to(torch.bfloat16)
    model.labelkit_own_max_length = model.max_seq_length
    return model
