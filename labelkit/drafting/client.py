"""One request to an OpenAI-compatible server, and what its refusals mean.

The `openai` package speaks; its own retries are switched off, because each attempt is counted
against the spending cap before it is sent.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from labelkit.drafting.endpoint import FORMATS, WHAT_TO_SET, Decoding, Endpoint
from labelkit.errors import EndpointError
from labelkit.retrieval.waiting import retry_after

if TYPE_CHECKING:
    from openai import APIError, APIStatusError

NO_KEY = "none"
"""Sent where there is no key: local servers do not look, but the protocol wants one."""

HIDDEN = "[key removed]"
REFUSED_PARAMETERS = ("max_tokens", "temperature", "top_p", "seed")
NAMES_FORMAT = ("response_format", "json_schema", "json_object", "structured", "grammar", "schema")
NOT_TAKEN = re.compile(
    r"unsupported|not support|unknown|unrecogni|not allowed|not permitted|extra|unexpected"
    r"|deprecated|instead|invalid"
)
CONNECT_SECONDS = 10.0
LONGEST_DETAIL = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered; tokens are None where the server did not report them."""

    text: str
    model: str
    finish_reason: str
    input_tokens: int | None
    output_tokens: int | None
    seconds: float
    decoding: Mapping[str, Any]


@dataclass(slots=True)
class _Agreed:
    """What this server was found to take: the reply format, and parameters it refused."""

    format: str
    refused: set[str] = field(default_factory=set)


class Client:
    """Asks one model; safe to use from several threads."""

    def __init__(
        self, endpoint: Endpoint, decoding: Decoding, *, key: str | None, timeout: float
    ) -> None:
        import httpx
        from openai import DefaultHttpxClient, OpenAI

        from labelkit.retrieval.punctual import hooks

        self.endpoint, self.decoding = endpoint, decoding
        self._key, self._timeout = key, timeout
        self._agreed = _Agreed(decoding.format)
        self._lock = threading.Lock()
        self._openai = OpenAI(
            api_key=key or NO_KEY,
            base_url=endpoint.base_url,
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            max_retries=0,
            http_client=DefaultHttpxClient(event_hooks=hooks(timeout)),
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._openai.close()

    def send(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None
    ) -> Answer:
        """Send one request and return the answer, which has to be there whole within the timeout.

        Raises EndpointError, which says whether to send it again. Where the server refuses the
        reply format or a parameter, the next request goes without it.
        """
        import httpx
        import openai

        from labelkit.retrieval.punctual import within

        with self._lock:
            agreed = replace(self._agreed, refused=set(self._agreed.refused))
        parameters, used = self._parameters(agreed, schema)
        started = time.monotonic()
        try:
            create: Any = self._openai.chat.completions.create
            asked = partial(create, messages=list(messages), stream=False, **parameters)
            completion = within(self._timeout, asked)
        except openai.APIStatusError as error:
            raise self._refusal(error, agreed) from None
        except openai.APIError as error:
            raise self._failure(error) from None
        except httpx.ReadTimeout:
            raise self._late() from None
        except ValueError as error:  # called JSON by its server, and none
            raise self._unreadable(error) from None
        return self._answer(completion, time.monotonic() - started, used)

    def _parameters(
        self, agreed: _Agreed, schema: Mapping[str, Any] | None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The request's parameters, and the decoding settings to keep with its reply."""
        decoding = self.decoding
        wanted: dict[str, Any] = {
            name: value
            for name, value in (
                ("temperature", decoding.temperature),
                ("top_p", decoding.top_p),
                ("seed", decoding.seed),
                ("max_tokens", decoding.max_tokens),
            )
            if value is not None and name not in agreed.refused
        }
        if "max_tokens" in agreed.refused:
            wanted["max_completion_tokens"] = decoding.max_tokens
        form = agreed.format if schema is not None else "text"
        used = {**wanted, "format": form}
        if form != "text" and schema is not None:
            wanted["response_format"] = response_format(form, schema)
        return {"model": self.endpoint.model, **wanted}, used

    def _answer(self, completion: Any, seconds: float, used: dict[str, Any]) -> Answer:
        choices = getattr(completion, "choices", None)
        message = getattr(choices[0], "message", None) if choices else None
        if message is None:
            raise self._unreadable(f"it holds no message: {completion}")
        usage = getattr(completion, "usage", None)
        return Answer(
            text=self._hide(str(message.content or getattr(message, "refusal", None) or "")),
            model=self._hide(str(getattr(completion, "model", None) or "")),
            finish_reason=str(getattr(completion.choices[0], "finish_reason", None) or ""),
            input_tokens=_whole(usage, "prompt_tokens"),
            output_tokens=_whole(usage, "completion_tokens"),
            seconds=seconds,
            decoding=used,
        )

    def _refusal(self, error: APIStatusError, agreed: _Agreed) -> EndpointError:
        """An answer with a status of 4xx or 5xx: nothing was drafted, so nothing is paid."""
        status, said = error.status_code, self._said(error)
        server = self.endpoint.base_url
        if status in (400, 404, 415, 422, 500, 501) and self._step_down(error, agreed):
            return EndpointError(f"{server} refused a setting: {said}", again=True, after=0.0)
        if status in (401, 403):
            return EndpointError(
                f"{server} refused the key (HTTP {status}): {said}. {WHAT_TO_SET}", stops=True
            )
        if status == 404:
            return EndpointError(
                f"{server} knows no such address or model {self.endpoint.model!r} (HTTP 404): "
                f"{said}. Check both; most base URLs end in /v1.",
                stops=True,
            )
        if status == 402 or error.code == "insufficient_quota":
            return EndpointError(f"The account at {server} is exhausted: {said}", stops=True)
        if status in (408, 409, 425, 429) or status >= 500:
            wait = retry_after(error.response.headers)
            return EndpointError(f"{server} said HTTP {status}: {said}", again=True, after=wait)
        return EndpointError(f"{server} refused the request (HTTP {status}): {said}")

    def _step_down(self, error: APIStatusError, agreed: _Agreed) -> bool:
        """Ask for less where the refusal names a setting of ours; False where it names none."""
        text = f"{error.param or ''} {error.message} {error.body}".lower()
        named = [name for name in REFUSED_PARAMETERS if name in text]
        with self._lock:
            if agreed.format != "text" and any(name in text for name in NAMES_FORMAT):
                following = FORMATS[FORMATS.index(agreed.format) + 1]
                self._agreed.format = max(self._agreed.format, following, key=FORMATS.index)
                return True
            new = [name for name in named if name not in agreed.refused]
            if new and error.status_code in (400, 422) and NOT_TAKEN.search(text):
                self._agreed.refused.add(new[0])
                return True
        return False

    def _failure(self, error: APIError) -> EndpointError:
        """No answer at all; a request that was sent may have been worked on, and charged."""
        import httpx
        import openai

        server, cause = self.endpoint.base_url, error.__cause__
        if isinstance(error, openai.APITimeoutError):
            return self._late(paid=not isinstance(cause, httpx.ConnectTimeout))
        if isinstance(cause, (httpx.ConnectError, httpx.UnsupportedProtocol)):
            return EndpointError(
                f"No server answers at {server} ({self._hide(str(cause))}). Is it running, and is "
                "the address right?",
                again=True,
                stops=True,
            )
        said = self._hide(str(cause or error.message))
        return EndpointError(f"The connection to {server} broke: {said}", paid=True, again=True)

    def _late(self, *, paid: bool = True) -> EndpointError:
        return EndpointError(
            f"{self.endpoint.base_url} did not answer within {self._timeout:g} s: allow more time, "
            "or ask for fewer queries a passage",
            paid=paid,
            again=True,
        )

    def _unreadable(self, why: object) -> EndpointError:
        return EndpointError(
            f"{self.endpoint.base_url} answered with something that is no chat completion "
            f"({self._hide(str(why))[:LONGEST_DETAIL]}). Is it an OpenAI-compatible server, and "
            "does the base URL end in /v1?",
            paid=True,
        )

    def _said(self, error: APIStatusError) -> str:
        return self._hide(" ".join(str(error.message).split()))[:LONGEST_DETAIL]

    def _hide(self, text: str) -> str:
        """What came from outside, without the key: some servers repeat it."""
        return text.replace(self._key, HIDDEN) if self._key else text


def response_format(form: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The request's reply format; llama.cpp and others read a schema beside json_object too."""
    if form == "json_schema":
        named = {"name": "labelkit_reply", "strict": True, "schema": dict(schema)}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object", "schema": dict(schema)}


def _whole(usage: object, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value >= 0 else None
