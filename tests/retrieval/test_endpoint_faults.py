"""Embedding servers that misbehave: base64, dates, drips, cut lines, what is no vector."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from servers import Reply, embed, letters, ok, serving

from labelkit.errors import CandidateError
from labelkit.retrieval import Candidate
from labelkit.retrieval.candidate_tables import Http, Service
from labelkit.retrieval.encoders import encoder_for
from labelkit.retrieval.http_search import HttpSearch


def asking(url: str, **service: Any) -> Candidate:
    """A candidate that asks a local server."""
    return Candidate("letters", "endpoint", model="letters", service=Service(url, **service))


def answer(*vectors: object) -> Reply:
    """An answer with these vectors, in order."""
    return ok({"data": [{"index": n, "embedding": one} for n, one in enumerate(vectors)]})


def _read_request(connection: socket.socket) -> None:
    """Headers and body: closing on bytes nobody read resets the line instead of ending it."""
    with connection.makefile("rb") as request:
        length = 0
        while (line := request.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        request.read(length)


@contextmanager
def raw(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that says whatever `talk` sends to each connection."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                _read_request(connection)
                talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.close()


def test_numbers_in_base64_are_read() -> None:
    """Some servers answer so whatever they are asked for."""
    packed = base64.b64encode(letters("abc").astype("<f4").tobytes()).decode()
    with serving(embed) as server:
        server.next = [answer(packed)]
        found = encoder_for(asking(server.url)).encode(["abc"], "query")
    np.testing.assert_array_equal(found[0], letters("abc").astype(np.float32))


@pytest.mark.parametrize("wait", [1.5, -3600.0])
def test_a_date_in_retry_after_is_kept(wait: float) -> None:
    """In whole seconds, as HTTP writes dates; one that is over means at once."""
    until = datetime.now(UTC) + timedelta(seconds=wait)
    with serving(embed) as server:
        server.next = [(429, "slow down", {"retry-after": format_datetime(until, usegmt=True)})]
        started = time.monotonic()
        encoder_for(asking(server.url, attempts=2)).encode(["abc"], "query")
        took = time.monotonic() - started
    assert (0 if wait < 0 else 0.3) < took < 30


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (answer([1.0, 2.0]), "1 vectors for 2 texts"),
        (answer([1.0, 2.0], None), "no list of"),
        (answer([1.0, 2.0], "?"), "no list of numbers"),
        (answer([1.0, 2.0], [1.0]), "different lengths"),
        (answer([1.0, 2.0], [1.0, float("nan")]), "finite"),
        (answer([1.0, 2.0], []), "no list of"),
    ],
)
def test_what_is_no_vector_is_never_taken_for_one(reply: Reply, message: str) -> None:
    """Too few, none, text, another width, NaN."""
    with serving(embed) as server:
        server.next = [reply]
        with pytest.raises(CandidateError, match=message):
            encoder_for(asking(server.url, attempts=1)).encode(["abc", "abd"], "query")


def test_batches_of_another_width_are_refused() -> None:
    """One model gives one width."""
    with serving(embed) as server:
        server.next = [answer([1.0, 2.0]), answer([1.0, 2.0, 3.0])]
        with pytest.raises(CandidateError, match="vectors of different lengths"):
            encoder_for(asking(server.url, batch_items=1)).encode(["abc", "abd"], "query")


def test_a_cut_line_is_tried_again_and_then_said() -> None:
    """The connection ends in the middle of the answer."""

    def cut(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{")

    with raw(cut) as url, pytest.raises(CandidateError, match=r"failed 1 time, .*closed"):
        encoder_for(asking(url, attempts=1)).encode(["abc"], "query")


def ask_endpoint(url: str) -> None:
    """Embed one text."""
    encoder_for(asking(url, attempts=1, timeout=0.4)).encode(["abc"], "query")


def ask_service(url: str) -> None:
    """Search for one query."""
    http = Http(url, "ids", attempts=1, timeout=0.4)
    HttpSearch(Candidate("live", "http", http=http)).search("abc", 5)


@pytest.mark.parametrize("ask", [ask_endpoint, ask_service])
@pytest.mark.parametrize(
    "begins", [b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n", b"HTTP/1.1 200 OK\r\nx: "]
)
def test_an_answer_that_drips_ends_at_the_deadline(
    ask: Callable[[str], None], begins: bytes
) -> None:
    """A byte every 50 ms, of the body or of a header, would never meet a timeout for each read."""

    def drip(connection: socket.socket) -> None:
        connection.sendall(begins)
        for _ in range(200):
            connection.sendall(b" ")
            time.sleep(0.05)

    started = time.monotonic()
    with raw(drip) as url, pytest.raises(CandidateError, match=r"slow|timed out"):
        ask(url)
    assert time.monotonic() - started < 8, "the whole answer takes ten seconds"
