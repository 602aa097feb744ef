"""Fixtures of the drafting tests: no waiting between attempts, no key from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import fake_llm
import pytest

from labelkit.drafting import asking
from labelkit.drafting.endpoint import KEY_VARIABLE, OPENAI_KEY, OPENAI_URL, URL_VARIABLE


@pytest.fixture(autouse=True)
def quick_and_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backoff is a fiftieth of a second; the machine's own keys and addresses are not seen."""
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.02)
    for name in (KEY_VARIABLE, OPENAI_KEY, OPENAI_URL, URL_VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[[fake_llm.Script], fake_llm.FakeServer]]:
    """Start servers that stop with the test."""
    running: list[fake_llm.FakeServer] = []

    def start(script: fake_llm.Script) -> fake_llm.FakeServer:
        server = fake_llm.FakeServer(script)
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()
