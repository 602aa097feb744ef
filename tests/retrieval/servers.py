"""Real HTTP servers on 127.0.0.1: one that embeds by OpenAI's protocol, one that searches."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

Reply = tuple[int, Any, dict[str, str]]
"""Status, JSON (or text), headers."""


class Recorded:
    """What a server was sent, and what it is told to answer next instead of doing its work."""

    def __init__(self, work: Callable[[dict[str, Any]], Reply]) -> None:
        self.work = work
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.next: list[Reply] = []
        self.url = ""

    def answer(self, request: dict[str, Any]) -> Reply:
        """The reply that was told, or the server's work."""
        self.requests.append(request)
        return self.next.pop(0) if self.next else self.work(request)


def ok(content: Any) -> Reply:
    """A plain answer."""
    return 200, content, {}


def embed(request: dict[str, Any], shift: float = 0.0, most: int = 1000) -> Reply:
    """Vectors of length 8 made of a text's letters, in reversed order with their index."""
    texts = request["input"]
    if len(texts) > most:
        return 413, {"error": {"message": "too many inputs"}}, {}
    if any(not text for text in texts):
        return 400, {"error": {"message": "empty input"}}, {}
    data = [
        {"object": "embedding", "index": place, "embedding": letters(text, shift).tolist()}
        for place, text in enumerate(texts)
    ]
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    body = {"object": "list", "data": data[::-1], "model": "letters", "usage": usage}
    return ok(body)


def letters(text: str, shift: float = 0.0) -> np.ndarray[Any, Any]:
    """How often each of eight groups of letters occurs."""
    counts = np.full(8, shift)
    for letter in text.lower():
        counts[ord(letter) % 8] += 1
    return counts


@contextmanager
def serving(work: Callable[[dict[str, Any]], Reply]) -> Iterator[Recorded]:
    """A server on a free port until the block ends."""
    recorded = Recorded(work)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            recorded.headers.append(dict(self.headers))
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            self.reply(*recorded.answer(json.loads(content)))

        def do_GET(self) -> None:
            recorded.headers.append(dict(self.headers))
            self.reply(*recorded.answer({"path": self.path}))

        def reply(self, status: int, content: Any, headers: dict[str, str]) -> None:
            body = content if isinstance(content, str) else json.dumps(content)
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorded.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield recorded
    finally:
        server.shutdown()
        server.server_close()
