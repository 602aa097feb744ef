"""Vectors that were made elsewhere: `.npy` with a list of ids beside it, or Parquet.

`docs.npy` [rows, width] goes with `docs.ids.txt`, one id a line in the order of the rows.
A Parquet file has the columns `id` and `vector`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelkit.errors import CandidateError
from labelkit.retrieval.candidates import Candidate
from labelkit.retrieval.embed import Embeddings
from labelkit.retrieval.lazy_vectors import AnyVectors, StoredRows, blocks
from labelkit.retrieval.weights import file_sha256


def load_vectors(candidate: str, path: Path, ids: Sequence[str]) -> AnyVectors:
    """The vectors of `ids`, in their order: float32 [ids, width], left on disk where possible.

    Raises CandidateError naming the file for a missing id, a doubled one, another shape, or NaN.
    """
    if not path.is_file():
        raise CandidateError(candidate, f"{path} does not exist")
    held, vectors = _read(candidate, path)
    place = {one: row for row, one in enumerate(held)}
    if len(place) < len(held):
        raise CandidateError(candidate, f"{path} holds an id twice")
    missing = [one for one in ids if one not in place]
    if missing:
        raise CandidateError(
            candidate,
            f"{path} has no vector for {len(missing)} of {len(ids)} ids, such as {missing[0]!r}",
        )
    found = vectors
    if list(ids) != held:
        order = np.array([place[one] for one in ids], dtype=np.int64)
        on_disk = isinstance(vectors, StoredRows)
        found = StoredRows(path, order) if on_disk else np.asarray(vectors)[order]
    refuse_not_finite(candidate, path, ids, found)
    return found


def given_embeddings(
    candidate: Candidate, doc_ids: Sequence[str], query_ids: Sequence[str]
) -> tuple[Embeddings, Embeddings, dict[str, Any]]:
    """The vectors of both sides from the candidate's files, and the hashes of these.

    Nothing is encoded, so nothing is timed. Raises CandidateError as `load_vectors` does.
    """
    sides = {}
    found = []
    for side, name, ids in (
        ("document", candidate.document_vectors, doc_ids),
        ("query", candidate.query_vectors, query_ids),
    ):
        path = Path(name)
        vectors = load_vectors(candidate.name, path, ids)
        sides[side] = {"encoder": "stored vectors", "side": side, "sha256": file_sha256(path)}
        empty = np.zeros(len(ids), dtype=np.int32), np.full(len(ids), np.nan)
        found.append(Embeddings(vectors, *empty, encoded=0, seconds=0.0, damaged=0))
    documents, queries = found
    if documents.vectors.shape[1] != queries.vectors.shape[1]:
        raise CandidateError(
            candidate.name,
            f"documents have {documents.vectors.shape[1]} dimensions and queries "
            f"{queries.vectors.shape[1]}; both must come from one model",
        )
    return documents, queries, sides


def _read(candidate: str, path: Path) -> tuple[list[str], AnyVectors]:
    reader = _read_parquet if path.suffix == ".parquet" else _read_npy
    ids, vectors = reader(candidate, path)
    if vectors.dtype.kind not in "fiu":
        raise CandidateError(candidate, f"{path} holds {vectors.dtype}; vectors are real numbers")
    if len(vectors.shape) != 2 or len(vectors) != len(ids):
        raise CandidateError(
            candidate, f"{path}: {len(ids)} ids for an array of shape {vectors.shape}"
        )
    return ids, StoredRows(path) if reader is _read_npy else vectors.astype(np.float32, copy=False)


def _read_npy(candidate: str, path: Path) -> tuple[list[str], NDArray[Any]]:
    names = path.with_suffix(".ids.txt")
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        # not splitlines: an id may hold U+2028 and its like
        ids = names.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, ValueError) as error:
        raise CandidateError(
            candidate, f"{path} or {names.name} beside it cannot be read: {error}"
        ) from error
    return ids, vectors


def _read_parquet(candidate: str, path: Path) -> tuple[list[str], NDArray[Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=["id", "vector"])
    except (OSError, pa.ArrowInvalid, pa.ArrowException) as error:
        raise CandidateError(
            candidate, f"{path} is no Parquet file with the columns id and vector: {error}"
        ) from error
    ids = [str(one) for one in table["id"].to_pylist()]
    column = table["vector"].combine_chunks()
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(is_kind(column.type) for is_kind in kinds):
        raise CandidateError(candidate, f"{path}: the column vector holds {column.type}, no lists")
    lengths = pc.list_value_length(column).drop_null().unique().to_pylist()
    if column.null_count or len(lengths) > 1:
        raise CandidateError(candidate, f"{path} holds vectors of different lengths, or none")
    flat = column.flatten().to_numpy(zero_copy_only=False)
    return ids, flat.reshape(len(ids), -1) if len(ids) else np.empty((0, 0), np.float32)


def refuse_not_finite(candidate: str, path: Path, ids: Sequence[str], vectors: AnyVectors) -> None:
    """Raise CandidateError naming the first id whose vector holds NaN or infinity."""
    for start, block in blocks(vectors):
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            raise CandidateError(
                candidate, f"{path}: the vector of {ids[start + int(bad[0])]!r} is not finite"
            )
