"""What a candidate is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.model import Document, Query
from labelkit.retrieval.cache import fingerprint_of
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.chunk_tables import ChunkTables
from labelkit.retrieval.chunking import ChunkTable
from labelkit.retrieval.embed import Progress
from labelkit.retrieval.engine import Engine, Here
from labelkit.retrieval.machine import machine_name
from labelkit.retrieval.schemes import Offsets
from labelkit.retrieval.search import Hit

Milliseconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Request:
    """Rank `documents` for every query and keep the top `depth`; vectors lie in `cache_dir`,
    those of documents are made by `engine`. `tables` are the documents' chunks, shared by all
    requests that are made of this one."""

    documents: Sequence[Document]
    queries: Sequence[Query]
    depth: int
    cache_dir: Path
    progress: Progress
    engine: Engine = field(default_factory=Here)
    tables: ChunkTables | None = None

    def __post_init__(self) -> None:
        if self.tables is None or self.tables.documents is not self.documents:
            object.__setattr__(self, "tables", ChunkTables(self.documents))

    def chunks(self, candidate: Candidate, offsets: Offsets | None = None) -> ChunkTable:
        """The chunks that a candidate reads; `offsets` finds its tokens where it counts them."""
        assert self.tables is not None
        model = f"{candidate.kind} {candidate.model} {candidate.revision}" if offsets else ""
        return self.tables.table(candidate.chunking, candidate.reads, offsets, model)

    def texts(self, turns: str) -> dict[str, str]:
        """query_id to what is sent for it."""
        return {query.query_id: query_text(query, turns) for query in self.queries}


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """What one candidate found, and what it took.

    `hits` has the ranked documents of every query, best first, at most `depth`. The times per
    query, encoding and search apart, are milliseconds, one query at a time, in the order of
    `hits`; `encode_ms` is NaN where a query's vector came from another machine's cache.
    `description` says everything that decides the scores. `encoded_documents` and
    `encoded_queries` count the texts that the encoder read this time, `billed_tokens` what a
    server reported for them, `device` where a model computed, if one was needed.
    `truncated_share` is the share of chunks longer than the model reads, `lost_token_share` that
    of the tokens it does not read; None where the question has no meaning or no answer.
    `fidelity` holds reduced vectors against their float32 parents. `exact_hits` is what exact
    search finds on the vectors of an approximate index. `notes` are for whoever reads the result.
    """

    candidate: Candidate
    depth: int
    hits: dict[str, list[Hit]]
    encode_ms: Milliseconds
    search_ms: Milliseconds
    description: dict[str, Any]
    chunks: int = 0
    dimensions: int | None = None
    index_bytes: int = 0
    build_seconds: float = 0.0
    encode_seconds: float = 0.0
    encoded_documents: int = 0
    encoded_queries: int = 0
    billed_tokens: int = 0
    device: str = ""
    truncated_share: float | None = None
    lost_token_share: float | None = None
    damaged_shards: int = 0
    fidelity: dict[str, Any] | None = None
    exact_hits: dict[str, list[Hit]] | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def machine(self) -> str:
        """Where the times were taken."""
        return machine_name()

    @property
    def fingerprint(self) -> str:
        """SHA-256 of `description`."""
        return fingerprint_of(self.description)


def query_text(query: Query, turns: str) -> str:
    """What is sent for a query: the user's words verbatim, after the earlier turns if asked, or
    as they were rewritten to stand without them; where nobody rewrote them, verbatim."""
    if turns == "ignore" or not query.turns:
        return query.text
    if turns == "rewritten":
        return query.rewritten_text or query.text
    return "\n".join([*(turn.text for turn in query.turns), query.text])


def describe(candidate: Candidate, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that decides a candidate's scores: its own fields and those of its parts."""
    fields = candidate.as_dict()
    # the parts describe themselves, and the encoder its kind of device: not the card's number
    unrelated = ("name", "excluded", "about", "parts", "device")
    return {"candidate": {k: v for k, v in fields.items() if k not in unrelated}, **parts}
