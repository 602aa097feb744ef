"""The chunks of a corpus, cut once for all who ask for them in a run."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from labelkit.model import Document
from labelkit.retrieval.chunking import Chunking, ChunkTable, cut
from labelkit.retrieval.schemes import Offsets

HELD = 2
"""Tables that are kept: those of a fusion's two parts, or of two candidates in turn."""


class ChunkTables:
    """The chunk tables of some documents; the `HELD` that were asked for last are kept."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._tables: dict[Hashable, ChunkTable] = {}

    def table(
        self, chunking: Chunking, reads: str, offsets: Offsets | None = None, tokenizer: str = ""
    ) -> ChunkTable:
        """What `cut` gives; `tokenizer` names the model whose tokens `offsets` finds."""
        key = chunking, reads, tokenizer
        table = self._tables.pop(key, None)
        if table is None:
            table = cut(self.documents, chunking, reads, offsets)
        self._tables[key] = table  # last in line to go
        while len(self._tables) > HELD:
            del self._tables[next(iter(self._tables))]
        return table
