"""A release in the forms that other tools read: TREC qrels and a BEIR folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labelkit.errors import InputError
from labelkit.releases import content
from labelkit.releases.reading import Release


def export(release: Release, out: Path) -> list[Path]:
    """Write qrels.txt (TREC) and corpus.jsonl, queries.jsonl, qrels/test.tsv (BEIR).

    The same release gives the same bytes. Raises InputError where the folder holds anything.
    """
    if out.exists() and any(out.iterdir()):
        raise InputError("the folder is not empty: choose a new one.", file=out)
    (out / "qrels").mkdir(parents=True, exist_ok=True)
    levels = {
        (query_id, doc_id): level
        for query_id, judged in release.qrels.items()
        for doc_id, level in judged.items()
    }
    files = {
        "corpus.jsonl": content.lines(_corpus(release)),
        "queries.jsonl": content.lines(_queries(release)),
        "qrels.txt": content.qrels_text(levels),
        "qrels/test.tsv": _beir_qrels(levels),
    }
    for name, data in files.items():
        (out / name).write_bytes(data)
    return [out / name for name in files]


def _corpus(release: Release) -> Iterable[Mapping[str, Any]]:
    for document in release.documents:
        yield {
            "_id": document.doc_id,
            "title": document.title,
            "text": document.text,
            "metadata": dict(document.metadata),
        }


def _queries(release: Release) -> Iterable[Mapping[str, Any]]:
    for query in release.queries:
        yield {
            "_id": query.query_id,
            "text": query.text,
            "metadata": {"source": query.source.value, "tags": list(query.tags)},
        }


def _beir_qrels(levels: Mapping[tuple[str, str], int]) -> bytes:
    rows = [f"{query}\t{doc}\t{level}\n" for (query, doc), level in sorted(levels.items())]
    return ("query-id\tcorpus-id\tscore\n" + "".join(rows)).encode()
