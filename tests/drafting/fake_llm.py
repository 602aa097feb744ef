"""A real HTTP server on 127.0.0.1 that speaks OpenAI's chat protocol and misbehaves on demand."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "fake-1-2026-01-01"
"""What the server calls itself, which is not what it was asked for."""


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def user(self) -> str:
        """The user's message."""
        return str(self.body["messages"][-1]["content"])


@dataclass
class Reply:
    """One answer: a chat completion of `text`, unless something else is said."""

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    wait: float = 0.0
    cut: bool = False
    drip: float = 0.0
    drip_head: float = 0.0
    usage: bool = True
    finish: str = "stop"


Script = Callable[[int, Seen], Reply]


def error(status: int, message: str, **more: Any) -> Reply:
    """A refusal in OpenAI's form."""
    headers = {str(k): str(v) for k, v in more.pop("headers", {}).items()}
    body = {"error": {"message": message, "type": "test", "param": None, "code": None, **more}}
    return Reply(status=status, raw=json.dumps(body).encode(), headers=headers)


def queries(*texts: str, style: str = "question") -> Reply:
    """An answer in the form that was asked for."""
    found = [{"style": style, "query": text, "earlier": ""} for text in texts]
    return Reply(json.dumps({"queries": found}))


def good(number: int, seen: Seen) -> Reply:
    """A script that always answers well, with queries of its own for each passage."""
    name = re.sub(r"\W+", " ", passage_of(seen).splitlines()[0])[:40]
    return queries(*(f"why does {name} fail {n}" for n in range(1, tasks_of(seen) + 1)))


def passage_of(seen: Seen) -> str:
    """What stands between the delimiters of a request."""
    return seen.user.split("<passage>\n", 1)[1].split("\n</passage>", 1)[0]


def tasks_of(seen: Seen) -> int:
    """How many queries a request asks for."""
    return len(re.findall(r"^\d+\. ", seen.user.rsplit("</passage>", 1)[-1], re.MULTILINE))


class FakeServer:
    """The server: what it was sent is in `seen`, what it says is decided by `script`."""

    def __init__(self, script: Script) -> None:
        self.script, self.seen, self.lock = script, [], threading.Lock()
        self.seen: list[Seen] = []
        self.most_at_once = self.at_once = 0
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def _handler(fake) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                seen = Seen(self.path, dict(self.headers), body, time.monotonic())
                with fake.lock:
                    number = len(fake.seen)
                    fake.seen.append(seen)
                    fake.at_once += 1
                    fake.most_at_once = max(fake.most_at_once, fake.at_once)
                try:
                    self.answer(fake.script(number, seen))
                finally:
                    with fake.lock:
                        fake.at_once -= 1

            def answer(self, reply: Reply) -> None:
                time.sleep(reply.wait)
                content = completion(reply) if reply.raw is None else reply.raw
                try:
                    self.send_response(reply.status)
                    self.drip_header(reply.drip_head)
                    self.send_header("Content-Type", "application/json")
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    for at in range(len(content) if reply.drip else 0):
                        self.wfile.write(content[at : at + 1])
                        time.sleep(reply.drip)
                    if not reply.drip:
                        self.wfile.write(content[: len(content) // 2] if reply.cut else content)
                except OSError:
                    return  # the client has gone
                if reply.cut:
                    # Closing with a reset: what a dropped connection looks like.
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.close_connection = True

            def drip_header(self, pause: float) -> None:
                """Send a header of 1,000 letters, one letter after the other."""
                if pause:
                    self.flush_headers()
                    for letter in f"X-Slow: {'x' * 1000}\r\n".encode():
                        self.wfile.write(bytes([letter]))
                        time.sleep(pause)

            def log_message(self, *arguments: Any) -> None:
                """Say nothing."""

        return Handler

    def start(self) -> None:
        """Begin to answer."""
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Answer no more."""
        self._http.shutdown()
        self._http.server_close()


def completion(reply: Reply) -> bytes:
    """A chat completion as OpenAI's servers send it."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "finish_reason": reply.finish,
                "message": {"role": "assistant", "content": reply.text},
            }
        ],
    }
    if reply.usage:
        body["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return json.dumps(body).encode()


@contextmanager
def serving(script: Script) -> Iterator[FakeServer]:
    """A server for the length of a block."""
    server = FakeServer(script)
    server.start()
    try:
        yield server
    finally:
        server.stop()
