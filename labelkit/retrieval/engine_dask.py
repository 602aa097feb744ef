"""Encoding by Dask Distributed: on this machine, or wherever a scheduler has workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from labelkit.errors import CandidateError, InputError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.encoders import Encoder
from labelkit.retrieval.engine import AHEAD, DEATHS, SENT_OUT, Sent, fulfil, send
from labelkit.retrieval.pieces import Encode, Piece, encode_here

LOOPBACK = "127.0.0.1"
PATIENCE = 30
"""Seconds in which a scheduler has to answer and to have a worker."""


def open_dask(workers: int, scheduler: str | None) -> Dask:
    """A client of a running cluster, or of one with `workers` processes on this machine alone.

    Raises InputError where Dask is not installed, or the scheduler has no answer or no worker.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError(
            "the engine 'dask' is an extra; install it with: pip install 'labelkit[dask]'"
        ) from error
    import dask

    dask.config.set({"distributed.scheduler.allowed-failures": DEATHS})
    if scheduler is None:
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=None,
            silence_logs="CRITICAL",
            preload=[__name__],
        )
        return Dask(Client(cluster), cluster)
    try:
        client = Client(scheduler, timeout=PATIENCE)
        client.wait_for_workers(1, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"no Dask cluster with a worker answers at {scheduler!r} ({error}); start one with: "
            f"dask scheduler --host {LOOPBACK}, and: dask worker {scheduler}"
        ) from error
    return Dask(client)


def dask_setup(worker: Any) -> None:
    """Leave Ctrl+C to the process that asks; called by a worker that begins on this machine."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Dask:
    """A cluster. Pieces of a worker or a node that is lost are encoded by another."""

    def __init__(self, client: Any, cluster: Any = None) -> None:
        self.client, self.cluster = client, cluster

    def encoding(self, candidate: Candidate) -> Encode:
        """By the cluster, for the kinds of candidates that gain from it."""
        return partial(self._encode, candidate) if candidate.kind in SENT_OUT else encode_here

    def close(self) -> None:
        """Leave the cluster; one that was started for this ends."""
        self.client.close()
        if self.cluster is not None:
            self.cluster.close()

    def _encode(
        self, candidate: Candidate, encoder: Encoder, side: str, folder: Path,
        pieces: Iterable[Piece],
    ) -> Iterator[Piece]:  # fmt: skip
        from distributed import as_completed

        todo = (send(candidate, side, folder, piece) for piece in pieces)
        out: dict[Any, Sent] = {}
        done = as_completed()
        try:
            while True:
                for sent in islice(todo, max(0, self._at_once() - len(out))):
                    future = self._submit(sent)
                    out[future] = sent
                    done.add(future)
                if not out:
                    return
                future = next(done)
                self._result(candidate, future)
                yield out.pop(future).arrived()
        finally:
            with suppress(OSError, RuntimeError):  # the cluster may be gone already
                self.client.cancel(list(out))

    def _at_once(self) -> int:
        return AHEAD * max(1, sum(self.client.nthreads().values()))

    def _submit(self, sent: Sent) -> Any:
        key = f"labelkit-{os.urandom(8).hex()}"
        return self.client.submit(fulfil, sent.order, key=key, pure=False)

    def _result(self, candidate: Candidate, future: Any) -> None:
        from distributed import KilledWorker

        try:
            future.result()
        except KilledWorker as error:
            raise CandidateError(
                candidate.name,
                f"{DEATHS + 1} workers died over the same texts; is there enough memory for so "
                "many? Try fewer, or workers with more memory",
            ) from error
