"""A retrieval task of the mteb package as a BEIR folder, which `labelkit import beir` reads."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labelkit.errors import InputError


def beir_from_mteb(
    task: Any, folder: Path | str, *, split: str = "test", subset: str = "default"
) -> Path:
    """Write the corpus, queries and levels of a task into a new folder and return it.

    The task is loaded where it is not (mteb downloads its data). Levels are written as they are;
    the import says what it makes of levels above 2. Raises InputError where the folder holds
    something, or the task has no such split or subset, or is no retrieval of texts.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()):
        raise InputError("holds something; choose a new folder", file=folder)
    held = _part(task, subset, split)
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    _lines(folder / "corpus.jsonl", held["corpus"], ("title", "text"))
    _lines(folder / "queries.jsonl", held["queries"], ("text",))
    with (folder / "qrels" / f"{split}.tsv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        table.writerow(("query-id", "corpus-id", "score"))
        for query_id, levels in sorted(held["relevant_docs"].items()):
            table.writerows((query_id, doc_id, int(n)) for doc_id, n in sorted(levels.items()))
    return folder


def _part(task: Any, subset: str, split: str) -> Mapping[str, Any]:
    """The data of one subset and split."""
    if not callable(getattr(task, "load_data", None)):
        raise InputError(f"{type(task).__name__} is no task of the mteb package")
    if not getattr(task, "data_loaded", False):
        task.load_data()
    held = getattr(task, "dataset", None) or {}
    part: Mapping[str, Any] | None = held.get(subset, {}).get(split)
    if part is None or "relevant_docs" not in part:
        known = [f"{one}/{name}" for one, parts in held.items() for name in parts]
        raise InputError(
            f"the task {task.metadata.name!r} has no retrieval data {subset}/{split}; it has "
            f"{', '.join(known) or 'none'}"
        )
    return part


def _lines(path: Path, rows: Iterable[Mapping[str, Any]], fields: tuple[str, ...]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in rows:
            values = {field: row.get(field) or "" for field in fields}
            if not isinstance(values["text"], str):
                raise InputError(
                    f"{row['id']!r} holds no plain text; only tasks over texts can be read"
                )
            line = json.dumps({"_id": str(row["id"]), **values}, ensure_ascii=False)
            stream.write(line + "\n")
