"""Who encodes: this process, a pool of processes of this machine, or a Dask cluster.

An engine sends pieces by reference: the texts of a piece are a file in the cache's folder, the
vectors another, and what travels are paths. Every engine is given the same pieces, so all give
the same vectors. A worker that dies takes with it what it had in hand and nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from labelkit.errors import CandidateError
from labelkit.retrieval.cache import fingerprint_of
from labelkit.retrieval.candidate_files import candidate_from_dict
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.encoders import Encoder, encoder_for
from labelkit.retrieval.machine import cores
from labelkit.retrieval.pieces import Encode, Piece, encode_here, encode_piece
from labelkit.retrieval.shards import piece_prefix, write_atomically

SENT_OUT = ("static", "encoder", "function")
"""The kinds whose documents other processes encode; a server is as fast asked from here."""
AHEAD = 3
"""Pieces in hand or waiting per worker."""
DEATHS = 3
"""So many workers may die over the same texts."""


class Engine(Protocol):
    """Something that encodes documents."""

    def encoding(self, candidate: Candidate) -> Encode:
        """How the documents of a candidate are encoded."""
        ...

    def close(self) -> None:
        """Let its workers go."""
        ...


class Here:
    """This process, one piece after the other."""

    def encoding(self, candidate: Candidate) -> Encode:
        """In this process, whatever the candidate."""
        return encode_here

    def close(self) -> None:
        """Nothing to let go."""


@dataclass(frozen=True, slots=True)
class Order:
    """A piece by reference: who encodes it, and the file with its texts."""

    candidate: str
    side: str
    texts_file: str


@dataclass(slots=True, eq=False)
class Sent:
    """A piece on its way, its order, and how many workers died over it."""

    piece: Piece
    order: Order
    deaths: int = 0

    def arrived(self) -> Piece:
        """Remove the file with the texts; their vectors are on disk."""
        Path(self.order.texts_file).unlink(missing_ok=True)
        return self.piece


def send(candidate: Candidate, side: str, folder: Path, piece: Piece) -> Sent:
    """Write a piece's texts beside the vectors and refer to them."""
    path = folder.resolve() / f"{piece_prefix(piece.keys)}texts.json"
    write_atomically(path, json.dumps(piece.texts[:]).encode())
    described = json.dumps(candidate.as_dict(), sort_keys=True)
    return Sent(piece, Order(described, side, str(path)))


def fulfil(order: Order) -> None:
    """Encode a piece that was sent by reference; what a worker does.

    Raises CandidateError where this process would give other vectors than the one that asks.
    """
    path = Path(order.texts_file)
    encoder = worker_encoder(order.candidate, order.side, path.parent.name)
    encode_piece(encoder, order.side, path.parent, json.loads(path.read_bytes()))


@lru_cache(maxsize=2)
def worker_encoder(described: str, side: str, fingerprint: str) -> Encoder:
    """The candidate's encoder in a worker, once it is sure to be the same as the asker's."""
    candidate = candidate_from_dict(json.loads(described))
    encoder = encoder_for(candidate)
    if fingerprint_of(encoder.describe(side))[: len(fingerprint)] != fingerprint:
        raise CandidateError(
            candidate.name,
            "a worker has other weights or library versions than the process that asks it; "
            "install the same on all machines",
        )
    return encoder


class Pool:
    """Processes of this machine. One that is killed is replaced, and its piece encoded anew."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._executor: ProcessPoolExecutor | None = None

    def encoding(self, candidate: Candidate) -> Encode:
        """By the pool, for the kinds of candidates that gain from it."""
        return partial(self._encode, candidate) if candidate.kind in SENT_OUT else encode_here

    def close(self) -> None:
        """End the processes; pieces in hand are finished."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None

    def _encode(
        self, candidate: Candidate, encoder: Encoder, side: str, folder: Path,
        pieces: Iterable[Piece],
    ) -> Iterator[Piece]:  # fmt: skip
        todo = (send(candidate, side, folder, piece) for piece in pieces)
        out: dict[Future[None], Sent] = {}
        while True:
            for sent in islice(todo, max(0, AHEAD * self.workers - len(out))):
                out[self._submit(sent.order)] = sent
            if not out:
                return
            done, _ = wait(out, return_when=FIRST_COMPLETED)
            broken = [one for one in done if isinstance(one.exception(), BrokenProcessPool)]
            for future in done.difference(broken):
                sent = out.pop(future)
                future.result()
                yield sent.arrived()
            if broken:
                out = self._again(candidate, list(out.values()))

    def _again(self, candidate: Candidate, lost: list[Sent]) -> dict[Future[None], Sent]:
        """A pool that lost one process is lost: all that was out goes to a new one."""
        self.close()
        for sent in lost:
            sent.deaths += 1
            refuse_deadly(candidate, sent.deaths)
        return {self._submit(sent.order): sent for sent in lost}

    def _submit(self, order: Order) -> Future[None]:
        if self._executor is None:
            self._executor = _pool(self.workers)
        try:
            with _interrupts_held():  # a process may be started here
                return self._executor.submit(fulfil, order)
        except BrokenProcessPool as error:  # it broke between two looks: wait for the others
            lost: Future[None] = Future()
            lost.set_exception(error)
            return lost


def refuse_deadly(candidate: Candidate, deaths: int) -> None:
    """Raise CandidateError where too many workers died over the same texts."""
    if deaths > DEATHS:
        raise CandidateError(
            candidate.name,
            f"{deaths} workers died over the same texts; is there enough memory for so many? "
            "Try fewer with --workers",
        )


def _pool(workers: int) -> ProcessPoolExecutor:
    import multiprocessing

    return ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),  # a fork would take torch's locks along
        initializer=_begin,
        initargs=(os.getpid(), max(1, cores() // workers)),
    )


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl+C wait meanwhile; a process that is started inherits it and never hears one.

    `_begin` alone comes too late for that: a worker imports for seconds before it runs.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(parent: int, threads: int) -> None:
    """Share the cores, leave Ctrl+C to the parent, and end when it is gone."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def open_engine(name: str, workers: int | None, scheduler: str | None) -> Engine:
    """The engine of this name, "local" or "dask"; to be closed.

    `workers` are processes; None means one for "local" (this one) and one per core for "dask".
    Raises InputError where Dask is not installed or no cluster answers.
    """
    if name == "dask":
        from labelkit.retrieval.engine_dask import open_dask

        return open_dask(workers or cores(), scheduler)
    return Pool(workers) if workers and workers > 1 else Here()
