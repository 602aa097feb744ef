"""Which server and model to ask, how to decode, and where the key comes from.

The key is read from the environment (a page may pass one from Streamlit's secrets) and goes
nowhere but into the request: it is no field of anything that is stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from labelkit.errors import InputError, NotReady

KEY_VARIABLE = "LABELKIT_LLM_KEY"
URL_VARIABLE = "LABELKIT_LLM_BASE_URL"
MODEL_VARIABLE = "LABELKIT_LLM_MODEL"
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI_URL = "OPENAI_BASE_URL"
OPENAI_HOST = "api.openai.com"

WHAT_TO_SET = (
    f"Set {KEY_VARIABLE} in the environment of the server before it starts, or in Streamlit's "
    f"secrets. With {URL_VARIABLE} set as well, the key is sent to that address only. "
    f"{OPENAI_KEY} is read too, and is sent to {OPENAI_HOST} (or to {OPENAI_URL}) only. Local "
    "servers such as Ollama, llama.cpp and vLLM usually need no key."
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks OpenAI's chat protocol, and the model to ask there."""

    base_url: str
    model: str

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"{self.base_url!r} is no base URL: give one such as http://127.0.0.1:11434/v1 "
                "or https://api.openai.com/v1."
            )
        if parts.username or parts.password or parts.query:
            raise InputError(
                "The base URL is stored with every draft: leave user, password and query out of "
                f"it. The key belongs into {KEY_VARIABLE}."
            )
        if not self.model.strip():
            raise InputError("Name the model, as the server calls it.")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the model is asked to answer; None leaves a value to the server.

    `format` is the strictest reply format to ask for: "json_schema", "json_object" or "text";
    where the server refuses it, the next one is tried.
    """

    temperature: float | None = 0.7
    top_p: float | None = None
    max_tokens: int = 600
    seed: int | None = 0
    format: str = "json_schema"

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise InputError(f"The reply format is one of {', '.join(FORMATS)}.")
        if self.max_tokens < 1:
            raise InputError("A reply needs at least one token.")

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return asdict(self)


FORMATS = ("json_schema", "json_object", "text")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may cost and how hard it may push; prices are per million tokens."""

    max_tokens_total: int | None = None
    max_cost: float | None = None
    input_price: float | None = None
    output_price: float | None = None
    concurrency: int = 4
    timeout: float = 120.0
    attempts: int = 5

    def __post_init__(self) -> None:
        if self.max_cost is not None and None in (self.input_price, self.output_price):
            raise InputError("A cap in money needs both prices: of input and of output tokens.")
        if min(self.concurrency, self.attempts) < 1 or not self.timeout > 0:
            raise InputError("Concurrency and attempts are at least 1, the timeout is above 0.")

    def as_dict(self) -> dict[str, Any]:
        """Every field, ready for JSON."""
        return asdict(self)

    def cost(self, input_tokens: float, output_tokens: float) -> float | None:
        """What tokens cost, or None where the prices are not known."""
        if self.input_price is None or self.output_price is None:
            return None
        return (input_tokens * self.input_price + output_tokens * self.output_price) / 1e6


def decoding_of(table: Mapping[str, Any]) -> Decoding:
    """The decoding settings of a stored run."""
    return Decoding(**{one.name: table[one.name] for one in fields(Decoding) if one.name in table})


def limits_of(table: Mapping[str, Any]) -> Limits:
    """The limits of a stored run."""
    return Limits(**{one.name: table[one.name] for one in fields(Limits) if one.name in table})


def key_for(base_url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The key to send to this address, from the environment; None where none is meant for it."""
    given = os.environ if environment is None else environment
    own, pinned = given.get(KEY_VARIABLE), given.get(URL_VARIABLE)
    if own and (not pinned or _same(pinned, base_url)):
        return own
    theirs, elsewhere = given.get(OPENAI_KEY), given.get(OPENAI_URL)
    if theirs and (_host(base_url) == OPENAI_HOST or (elsewhere and _same(elsewhere, base_url))):
        return theirs
    return None


def require_key(base_url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The key for this address; a server on this machine may go without.

    Raises NotReady where a server elsewhere has none.
    """
    key = key_for(base_url, environment)
    if key is None and _host(base_url) in (OPENAI_HOST,):
        raise NotReady(f"There is no key for {_host(base_url)}. {WHAT_TO_SET}")
    return key


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _same(one: str, other: str) -> bool:
    """Whether two addresses are the same server: scheme, host and port."""
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (
        second.scheme,
        second.hostname,
        second.port,
    )
