"""Embeddings from a server that speaks OpenAI's protocol.

The `openai` package speaks; its own retries are switched off, so that a server's Retry-After is
obeyed and a batch that is too large can be halved. The key is read from the environment variable
that the candidate names and goes nowhere but into the request.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.candidate_tables import Service
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.waiting import retry_after
from labelkit.wording import counted

if TYPE_CHECKING:
    from openai import APIStatusError

    from labelkit.retrieval.search import Vectors

CHARACTERS_PER_TOKEN = 4
"""For batching and estimates only: the server's tokenizer is not known."""
LONGEST_WAIT = 60.0
TOO_LARGE = (400, 413, 422)
PASSES = (408, 409, 425, 429)


def estimated_tokens(text: str) -> int:
    """About how many tokens a server counts for a text."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class EndpointEncoder:
    """Raw vectors of one model behind one endpoint.

    `generation` counts how often the server was seen to answer with another model under the same
    name (see `probing`); it is part of what decides the vectors. `billed_tokens` is what the
    server reported since this encoder was made.
    """

    def __init__(self, candidate: Candidate) -> None:
        if candidate.service is None:
            raise CandidateError(candidate.name, "has no service to ask")
        self.name, self.model, self.service = candidate.name, candidate.model, candidate.service
        self.prompts = {"query": candidate.query_prompt, "document": candidate.document_prompt}
        self.generation = 0
        self.billed_tokens = 0
        key = self.service.key_variable
        if key and not os.environ.get(key):
            raise CandidateError(
                self.name, f"the environment variable {key} holds no key; set it and start again"
            )

    def describe(self, side: str) -> dict[str, Any]:
        """Address, model, dimensions asked for, prompt; the weights are not to be seen."""
        return {
            "encoder": "endpoint",
            "side": side,
            "base_url": self.service.base_url,
            "model": self.model,
            "dimensions_asked": self.service.dimensions,
            "prompt": self.prompts[side] or "",
            "generation": self.generation,
        }

    def token_limit(self) -> int | None:
        """None: the server does not say what it cuts off."""
        return None

    def count_tokens(self, texts: list[str], side: str) -> NDArray[np.int32]:
        """About how many tokens each text has, prompt included."""
        prompt = self.prompts[side] or ""
        return np.array([estimated_tokens(prompt + text) for text in texts], dtype=np.int32)

    def encode(self, texts: list[str], side: str) -> Vectors:
        """Raw vectors [texts, width]; a text that is empty, which servers refuse, gives zeros.

        Raises CandidateError when the server refuses, answers wrongly or stays away.
        """
        prompt = self.prompts[side] or ""
        full = [prompt + text for text in texts]
        filled = [row for row, text in enumerate(full) if text.strip()]
        answers = [
            vector
            for batch in batches([full[row] for row in filled], self.service)
            for vector in self._ask(batch)
        ]
        width = len(answers[0]) if answers else self._width
        if any(len(vector) != width for vector in answers):
            raise CandidateError(self.name, "the server gave vectors of different lengths")
        vectors = np.zeros((len(full), width), dtype=np.float32)
        for row, vector in zip(filled, answers, strict=True):
            vectors[row] = vector
        return vectors

    @cached_property
    def _width(self) -> int:
        return len(self._ask(["width"])[0])

    def _ask(self, texts: list[str]) -> list[Sequence[float]]:
        """The vectors of one batch; halved where the server finds it too large."""
        import httpx
        import openai

        for attempt in range(1, self.service.attempts + 1):
            try:
                return self._request(texts)
            except openai.APIStatusError as error:
                if error.status_code in TOO_LARGE and len(texts) > 1:
                    half = len(texts) // 2
                    return [*self._ask(texts[:half]), *self._ask(texts[half:])]
                wait = self._wait(error, attempt)
            except (openai.APIConnectionError, httpx.HTTPError, ValueError) as error:
                wait = self._give_up_after(attempt, cause_of(error))
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _request(self, texts: list[str]) -> list[Sequence[float]]:
        from labelkit.retrieval.punctual import within

        asked: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.service.dimensions is not None:
            asked["dimensions"] = self.service.dimensions
        answer = within(self.service.timeout, partial(self._client.embeddings.create, **asked))
        usage = getattr(answer, "usage", None)
        self.billed_tokens += int(getattr(usage, "total_tokens", 0) or 0)
        return self._vectors(getattr(answer, "data", None) or [], len(texts))

    def _vectors(self, data: list[Any], wanted: int) -> list[Sequence[float]]:
        """The answer's vectors in the order of the texts."""
        places = [getattr(one, "index", None) for one in data]
        if places == [None] * wanted:  # some servers leave the index out
            places = list(range(wanted))
        if sorted(places, key=str) != sorted(range(wanted), key=str):
            raise ValueError(f"{len(data)} vectors for {wanted} texts")
        vectors = [numbers(data[places.index(place)].embedding) for place in range(wanted)]
        if len({len(vector) for vector in vectors}) != 1:
            raise ValueError("vectors of different lengths in one answer")
        return vectors

    def _wait(self, error: APIStatusError, attempt: int) -> float:
        """Seconds until the next attempt; raises CandidateError where none would help."""
        status = error.status_code
        said = f"HTTP {status}: {self._hidden(str(error.message))[:300]}"
        if status not in PASSES and status < 500:
            raise CandidateError(self.name, f"{self.service.base_url} refused: {said}") from None
        backoff = self._give_up_after(attempt, said)
        asked = retry_after(error.response.headers)
        return backoff if asked is None else min(LONGEST_WAIT, asked)

    def _give_up_after(self, attempt: int, why: str) -> float:
        if attempt >= self.service.attempts:
            raise CandidateError(
                self.name,
                f"{self.service.base_url} failed {counted(attempt, 'time')}, last: "
                f"{self._hidden(why)}",
            ) from None
        return float(min(LONGEST_WAIT, 0.5 * 2**attempt))

    def _hidden(self, text: str) -> str:
        key = os.environ.get(self.service.key_variable or "") or ""
        return text.replace(key, "[key removed]") if key else text

    @cached_property
    def _client(self) -> Any:
        from openai import DefaultHttpxClient, OpenAI

        from labelkit.retrieval.punctual import hooks

        key = os.environ.get(self.service.key_variable or "") or "none"
        return OpenAI(
            api_key=key,
            base_url=self.service.base_url,
            timeout=self.service.timeout,
            max_retries=0,
            http_client=DefaultHttpxClient(event_hooks=hooks(self.service.timeout)),
        )


def cause_of(error: Exception) -> str:
    """What went wrong, with what lay behind it: openai's own words are "Connection error."."""
    behind = error.__cause__
    words = str(error) or type(error).__name__
    return words if behind is None else f"{words} ({str(behind) or type(behind).__name__})"


def numbers(embedding: Any) -> Sequence[float]:
    """One vector of an answer; a text is float32 numbers in base64, which some servers send
    whatever was asked for. Raises ValueError for anything else."""
    try:
        if isinstance(embedding, str):
            found = np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        else:
            found = np.array(embedding, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a vector that is no list of numbers: {error}") from error
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise ValueError("a vector that is no list of finite numbers")
    vector: Sequence[float] = found.tolist()
    return vector


def batches(texts: list[str], service: Service) -> Iterator[list[str]]:
    """`texts` in requests that respect the service's limits; a text is never split."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = estimated_tokens(text)
        full = len(batch) >= service.batch_items or tokens + size > service.batch_tokens
        if batch and full:
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch
