"""A run file as rankings in arrays, matched with the judgments: how `labelkit score` reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelkit.formats.arrow_buffers import numbers, strings
from labelkit.formats.trec_columns import BYTES, Columns, Odd, read_columns
from labelkit.measures.coded import Coded
from labelkit.measures.judgments import Qrels


def coded_pieces(path: str | Path, qrels: Qrels, most_bytes: int = BYTES) -> Iterator[Coded]:
    """The run in pieces of whole queries; raises Scattered and Odd as `read_columns`, and Odd
    where a document stands twice for a query."""
    for piece in read_columns(path, most_bytes):
        yield code(piece, qrels)


def code(piece: Columns, qrels: Qrels) -> Coded:
    """Find which lines are judged; raises Odd where a document stands twice for a query."""
    known = sorted((one, place) for place, one in enumerate(piece.query_ids) if one in qrels)
    places = np.array([place for _, place in known], np.int64)
    rows = np.full(len(piece.query_ids), -1)
    rows[places] = np.arange(len(known))
    firsts = np.cumsum(piece.lengths) - piece.lengths
    found, lines, levels = _matched(piece, qrels)
    return Coded(
        [query_id for query_id, _ in known], [one for one in piece.query_ids if one not in qrels],
        firsts[places], piece.lengths[places], piece.scores,
        rows[found], lines, levels, piece,
    )  # fmt: skip


def _matched(
    piece: Columns, qrels: Qrels
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Query, line and level of all that is both ranked and judged, in the order of queries."""
    judged = [qrels.get(query_id, {}) for query_id in piece.query_ids]
    sizes = np.fromiter(map(len, judged), np.int64, len(judged))
    levels = np.fromiter(
        chain.from_iterable(one.values() for one in judged), np.float64, sizes.sum()
    )
    ranked, wanted = _numbers(piece, list(chain.from_iterable(judged)))
    step = max(ranked.max(initial=0), wanted.max(initial=0)) + 1
    queries = np.arange(len(judged))
    pairs = np.repeat(queries * step, piece.lengths) + ranked
    order = np.argsort(pairs)
    pairs = pairs[order]
    if (pairs[1:] == pairs[:-1]).any():
        raise Odd
    asked = np.repeat(queries * step, sizes) + wanted
    spot = np.minimum(np.searchsorted(pairs, asked), len(pairs) - 1)
    found = pairs[spot] == asked
    return np.repeat(queries, sizes)[found], order[spot[found]], levels[found]


def _numbers(piece: Columns, wanted: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Whole numbers in place of the document ids of all lines, and of the ids wanted."""
    import pyarrow as pa

    encoded = pa.concat_arrays([piece.doc_ids, strings(wanted)]).dictionary_encode()
    both = numbers(encoded.indices, np.int32).astype(np.int64)
    return both[: len(piece.doc_ids)], both[len(piece.doc_ids) :]
