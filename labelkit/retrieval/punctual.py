"""A deadline for a whole answer: httpx's timeout is for each read, and a server that sends a
byte now and then never meets it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

import httpx

STARTED = "labelkit.started"


def hooks(seconds: float) -> Mapping[str, list[Callable[..., None]]]:
    """The event hooks of a client whose answers have to be there whole within `seconds`.

    What is awaited before the first byte of the body is under httpx's own timeout.
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
