"""Working through a run: several requests at a time, under its caps, until nothing waits.

What is asked is the business of a `Work`: drafting and grading go through the same loop. An
item's reply and what was made of it are written in one transaction, so a process that is killed
has lost at most the requests that were open.
"""

from __future__ import annotations

import fcntl
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from labelkit.drafting.client import Answer, Client
from labelkit.drafting.endpoint import Limits, limits_of
from labelkit.errors import Conflict, EndpointError, InputError
from labelkit.store import Connection, Workspace, llm
from labelkit.store.llm import Answered, Ending, Item, Run

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before a second attempt, doubled each time; a longer Retry-After is kept as given."""

PATIENCE = 600.0
"""A server that asks to wait longer than this is taken for one that will not answer today."""

MOST_TRIES = 12
"""However often a server asks for another form of the same request."""

FAILURES_IN_A_ROW = 5

Progress = Callable[[int, int, str], None]


class Kept(NamedTuple):
    """What became of an item: "done", with what is missing, or "failed", with why."""

    state: str
    why: str


class Work(Protocol):
    """What is asked for each item, and what becomes of the reply."""

    schema: Mapping[str, Any]

    def messages(self, item: Item) -> list[dict[str, str]]:
        """What is sent for this item."""

    def usable(self, item: Item, answered: Answered) -> bool:
        """Whether a reply that was paid for earlier serves this item."""

    def keep(self, db: Connection, item: Item, answered: Answered) -> Kept:
        """Write what a reply gives."""


@dataclass(slots=True)
class _Shared:
    """What the threads of one run tell each other."""

    stop: threading.Event = field(default_factory=threading.Event)
    why: str = ""
    error: EndpointError | None = None
    failures: int = 0
    not_before: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def end(self, why: str, error: EndpointError | None = None) -> None:
        """Let no thread begin anything more; the first reason counts."""
        with self.lock:
            if not self.stop.is_set():
                self.why, self.error = why, error
            self.stop.set()


@contextmanager
def alone(workspace: Workspace, run_id: str) -> Iterator[None]:
    """Hold a run for this process; raises Conflict where another one works on it."""
    folder = workspace.path / "logs"
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder / f".{run_id}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Conflict(
            f"Another process works on run {run_id} already: watch it, or pause it first."
        ) from None
    finally:
        os.close(descriptor)


def work_through(
    workspace: Workspace, run: Run, work: Work, client: Client, progress: Progress
) -> str:
    """Ask for every waiting item; returns why it stopped early, or "".

    Raises EndpointError where the server makes going on pointless; what was paid is kept.
    """
    with alone(workspace, run.run_id):
        with workspace.writing() as db:
            llm.lose_open_requests(db, run.run_id)
            waiting = llm.items(db, run.run_id, "waiting")
        worker = _Worker(workspace, run, work, client, progress)
        worker.all(waiting)
    if worker.shared.error is not None:
        raise worker.shared.error
    return worker.shared.why


class _Worker:
    def __init__(
        self, workspace: Workspace, run: Run, work: Work, client: Client, progress: Progress
    ) -> None:
        self.workspace, self.run, self.work, self.client = workspace, run, work, client
        self.progress, self.limits, self.shared = progress, limits_of(run.limits), _Shared()

    def all(self, waiting: Sequence[Item]) -> None:
        self.report()
        with ThreadPoolExecutor(self.limits.concurrency, "llm") as pool:
            futures = [pool.submit(self.one, item) for item in waiting]
            try:
                self.watch(futures)
            except BaseException:  # Ctrl+C: what is open is waited for, nothing more begins
                self.shared.end("stopped")
                raise

    def watch(self, futures: Sequence[Future[None]]) -> None:
        """Report while the threads work; a bug in one of them surfaces here."""
        left = set(futures)
        while left:
            done, left = wait(left, timeout=0.5, return_when="FIRST_COMPLETED")
            for future in done:
                future.result()
            self.report()

    def report(self) -> None:
        with self.workspace.reading() as db:
            counts, spent = (
                llm.count_items(db, self.run.run_id),
                llm.spent(db, self.run.run_id),
            )
        failed = f", {counts['failed']} failed" if counts["failed"] else ""
        self.progress(
            counts["done"] + counts["failed"],
            sum(counts.values()),
            f"{spent.tokens:,} tokens{failed}",
        )

    def one(self, item: Item) -> None:
        """Answer one item from an earlier reply, or by asking."""
        if self.shared.stop.is_set() or self.reuse(item):
            return
        try:
            self.ask(item)
        except EndpointError as error:
            if error.stops:
                self.shared.end(str(error), error)
            else:
                self.fail(item, str(error))
        except InputError as error:  # what was to be asked has changed since
            self.fail(item, str(error))

    def reuse(self, item: Item) -> bool:
        """Use a reply that was paid for before, if one serves."""
        with self.workspace.reading() as db:
            earlier = llm.answered(db, item.cache_key)
        usable = next((one for one in earlier if self.work.usable(item, one)), None)
        if usable is None:
            return False
        with self.workspace.writing() as db:
            self.settle(db, item, usable)
        return True

    def ask(self, item: Item) -> None:
        """Send until there is an answer; raises EndpointError where there will be none."""
        messages, attempts = self.work.messages(item), 0
        for _ in range(MOST_TRIES):
            self.hold_back()
            request_id = self.reserve(item, messages)
            if request_id is None:
                return
            started = time.monotonic()
            try:
                answer = self.client.send(messages, self.work.schema)
            except EndpointError as error:
                self.refused(request_id, error, time.monotonic() - started)
                attempts += error.after != 0
                if not error.again or attempts >= self.limits.attempts:
                    raise
                self.pause_before(attempts, error)
            else:
                self.answered(item, request_id, answer)
                return
        raise EndpointError(f"{self.run.base_url} refused {MOST_TRIES} forms of one request.")

    def hold_back(self) -> None:
        """Wait while the server asked this run to, in whichever thread it was said."""
        left = self.shared.not_before - time.monotonic()
        if left > 0:
            self.shared.stop.wait(left)

    def reserve(self, item: Item, messages: Sequence[Mapping[str, str]]) -> int | None:
        """Write the request down before it is sent; None where the run has to stop first."""
        if self.shared.stop.is_set():
            return None
        asked, answer = tokens_of(messages), self.client.decoding.max_tokens
        with self.workspace.writing() as db:
            if llm.is_paused(db, item.run_id):
                self.shared.end("paused")
                return None
            over = over_cap(llm.spent(db, item.run_id), asked, answer, self.limits)
            if over:
                self.shared.end(over)
                return None
            return llm.open_request(db, item, asked, answer)

    def refused(self, request_id: int, error: EndpointError, seconds: float) -> None:
        outcome = "lost" if error.paid else "refused"
        with self.workspace.writing() as db:
            llm.end_request(db, request_id, Ending(outcome, seconds, error=str(error)))

    def pause_before(self, attempts: int, error: EndpointError) -> None:
        """Wait before the next attempt; what the server asked for holds for all threads."""
        if error.after is not None and error.after > PATIENCE:
            raise EndpointError(
                f"{error} It asks to wait {error.after / 60:.0f} minutes: go on later.", stops=True
            )
        if error.after is not None:
            self.shared.not_before = max(self.shared.not_before, time.monotonic() + error.after)
            return
        seconds = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempts - 1))
        self.shared.stop.wait(seconds * random.uniform(0.75, 1.25))

    def answered(self, item: Item, request_id: int, answer: Answer) -> None:
        ending = Ending(
            "answered",
            answer.seconds,
            answer.input_tokens,
            answer.output_tokens,
            answer.model,
            answer.finish_reason,
            answer.decoding,
            answer.text,
        )
        kept = Answered(request_id, answer.text, answer.model, answer.finish_reason)
        with self.workspace.writing() as db:
            llm.end_request(db, request_id, ending)
            self.settle(db, item, kept)
        self.shared.failures = 0

    def settle(self, db: Connection, item: Item, answered: Answered) -> None:
        llm.set_state(db, item.run_id, item.position, *self.work.keep(db, item, answered))

    def fail(self, item: Item, why: str) -> None:
        with self.workspace.writing() as db:
            llm.set_state(db, item.run_id, item.position, "failed", why)
        self.shared.failures += 1
        if self.shared.failures >= FAILURES_IN_A_ROW:
            message = f"{self.shared.failures} requests in a row came to nothing. The last: {why}"
            self.shared.end(message, EndpointError(message))


def tokens_of(messages: Sequence[Mapping[str, str]]) -> int:
    """About how many tokens a request has: one per 3.5 bytes, and a few for each message.

    English is nearer to one per 4, so that this is rather too many; the server counts exactly.
    """
    size = sum(len(message["content"].encode("utf-8", "replace")) for message in messages)
    return int(size / 3.5) + 8 * len(messages)


def over_cap(spent: llm.Spent, asked: int, answer: int, limits: Limits) -> str:
    """Which cap one more request could pass, in words, or ""."""
    total = limits.max_tokens_total
    if total is not None and spent.tokens + asked + answer > total:
        return (
            f"the cap of {total:,} tokens: {spent.tokens:,} are spent or out, and one more "
            f"request may take {asked + answer:,}"
        )
    cost = limits.cost(
        spent.input_tokens + spent.unsure_input + asked,
        spent.output_tokens + spent.unsure_output + answer,
    )
    if limits.max_cost is not None and cost is not None and cost > limits.max_cost:
        return f"the cap of {limits.max_cost:g} in money: one more request may make it {cost:.4f}"
    return ""
