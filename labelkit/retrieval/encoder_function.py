"""Encoders and rerankers that are any Python callable, named "module:function"."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.search import Vectors
from labelkit.retrieval.weights import file_sha256
from labelkit.wording import counted


def load_function(candidate: Candidate) -> Callable[..., Any]:
    """The callable that a candidate names; raises CandidateError when it cannot be had."""
    module, _, name = candidate.function.partition(":")
    if not module or not name:
        raise CandidateError(
            candidate.name, f"function is 'module:function', not {candidate.function!r}"
        )
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise CandidateError(
            candidate.name,
            f"{candidate.function!r} cannot be imported ({error}); is it on PYTHONPATH?",
        ) from error
    if not callable(found):
        raise CandidateError(candidate.name, f"{candidate.function!r} is not callable")
    return found


def source_hash(function: Callable[..., Any]) -> str:
    """SHA-256 of the file that defines a callable; "" where there is none.

    It does not cover what the callable imports or loads: `revision` is for that.
    """
    from pathlib import Path

    try:
        path = inspect.getsourcefile(inspect.unwrap(function))
    except TypeError:
        path = inspect.getsourcefile(type(function))
    return file_sha256(Path(path)) if path else ""


class FunctionEncoder:
    """A callable `(texts: list[str], side: str) -> array [texts, width]`.

    `side` is "query" or "document". Change the candidate's `revision` whenever the callable's
    vectors change for a reason outside its own file, so that cached ones are not used. A callable
    that puts words of its own before the texts can say so: `prompts`, a dictionary by side.
    """

    def __init__(self, candidate: Candidate) -> None:
        self.name, self.where = candidate.name, candidate.function
        self.function = load_function(candidate)
        self.revision = candidate.revision
        self.prompts = {"query": candidate.query_prompt, "document": candidate.document_prompt}

    def describe(self, side: str) -> dict[str, Any]:
        """The callable's name, the hash of its file, the revision and the prompt."""
        own = getattr(self.function, "prompts", {}).get(side, "")
        return {
            "encoder": "function",
            "side": side,
            "function": self.where,
            "source_sha256": source_hash(self.function),
            "revision": self.revision,
            "prompt": own + (self.prompts[side] or ""),
        }

    def token_limit(self) -> int | None:
        """None: not known."""
        return None

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """Zero: the callable's tokens are not known."""
        return np.zeros(len(texts), dtype=np.int32)

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Raw vectors [texts, width]; raises CandidateError for any other shape."""
        prompt = self.prompts[side] or ""
        answer = self.function([prompt + text for text in texts], side)
        try:
            given = np.asarray(answer)
        except ValueError:  # rows of different lengths
            given = np.empty(0, dtype=object)
        if given.ndim != 2 or len(given) != len(texts) or given.dtype.kind not in "fiu":
            raise CandidateError(
                self.name,
                f"{self.where} gave an array of shape {given.shape} and type {given.dtype} for "
                f"{counted(len(texts), 'text')}; it has to be numbers [{len(texts)}, width]",
            )
        return given.astype(np.float32)
