"""A deadline for a whole answer: httpx's timeout is for each read, and a server that sends a
byte now and then never meets it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import TypeVar

import httpx

Answer = TypeVar("Answer")
STARTED = "labelkit.started"
GRACE = 0.5
"""Seconds past the deadline in which httpx may still say more exactly what took so long."""


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """What `call` returns or raises; raises httpx.ReadTimeout where it takes longer.

    httpx offers no place to stand between two reads of headers. A call that is given up goes on
    in a thread of its own until its server ends, its client is closed or this process is over.
    """
    answer: Future[Answer] = Future()
    threading.Thread(target=_settle, args=(answer, call), daemon=True).start()
    try:
        return answer.result(seconds + GRACE)
    except TimeoutError:
        raise httpx.ReadTimeout("the answer came too slowly") from None


def _settle(answer: Future[Answer], call: Callable[[], Answer]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # raised again by who waits
        answer.set_exception(error)


def hooks(seconds: float) -> Mapping[str, list[Callable[..., None]]]:
    """The event hooks of a client whose answers have to be there whole within `seconds`.

    They end a body; headers that drip are for `within`.
    """

    def note_start(request: httpx.Request) -> None:
        request.extensions[STARTED] = time.monotonic()

    def hold_to_it(response: httpx.Response) -> None:
        deadline = response.request.extensions[STARTED] + seconds
        if isinstance(response.stream, httpx.SyncByteStream):
            response.stream = _Punctual(response.stream, deadline, response.request)

    return {"request": [note_start], "response": [hold_to_it]}


class _Punctual(httpx.SyncByteStream):
    """A body that ends in a ReadTimeout when its deadline has passed."""

    def __init__(
        self, stream: httpx.SyncByteStream, deadline: float, request: httpx.Request
    ) -> None:
        self._stream, self._deadline, self._request = stream, deadline, request

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("the answer came too slowly", request=self._request)
            yield piece

    def close(self) -> None:
        """Give the connection back, or end it where the body was not read to its end."""
        self._stream.close()
