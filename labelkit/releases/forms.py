"""The forms of an export: each a function from a release to files by name."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from labelkit.formats.spreadsheet import safe_csv
from labelkit.judging.resolution import Key
from labelkit.releases import content
from labelkit.releases.mteb_task import TASK
from labelkit.releases.reading import Release

Files = Mapping[str, bytes]

JUDGMENT_COLUMNS = (
    "query_id", "query", "doc_id", "title", "rater", "role", "level", "cause", "reason",
    "evidence", "round", "rubric_version", "provenance", "resolved_level",
)  # fmt: skip
QRELS_COLUMNS = ("query_id", "doc_id", "level")


def trec(release: Release) -> Files:
    """qrels.txt, and one file more for each rater's own levels."""
    by_rater: dict[str, dict[Key, int]] = defaultdict(dict)
    for row in release.judgments:
        if row["role"] == "rater" and row["level"] is not None and row["round"] != "check":
            by_rater[row["rater"]][row["query_id"], row["doc_id"]] = row["level"]
    own = {
        f"qrels-{rater}.txt": content.qrels_text(levels)
        for rater, levels in sorted(by_rater.items())
    }
    return {"qrels.txt": content.qrels_text(levels_of(release)), **own}


def beir(release: Release) -> Files:
    """corpus.jsonl, queries.jsonl and qrels/test.tsv."""
    return {
        "corpus.jsonl": content.lines(_corpus(release)),
        "queries.jsonl": content.lines(_queries(release)),
        "qrels/test.tsv": _beir_qrels(levels_of(release)),
    }


def mteb(release: Release) -> Files:
    """A retrieval task for the mteb package: the BEIR files and a module that reads them."""
    return {**beir(release), "task.py": TASK.encode()}


def jsonl(release: Release) -> Files:
    """judgments.jsonl with reasons and evidence, and qrels.jsonl."""
    levels = levels_of(release)
    return {
        "judgments.jsonl": content.lines(_judgments(release)),
        "qrels.jsonl": content.lines(
            dict(zip(QRELS_COLUMNS, (*pair, level), strict=True))
            for pair, level in sorted(levels.items())
        ),
    }


def csv(release: Release) -> Files:
    """The same two tables for a spreadsheet; evidence as its quotes, one a line."""
    rows = [{**row, "evidence": _quotes(row)} for row in _judgments(release)]
    levels = sorted(levels_of(release).items())
    return {
        "judgments.csv": safe_csv(
            JUDGMENT_COLUMNS, ([row[name] for name in JUDGMENT_COLUMNS] for row in rows)
        ),
        "qrels.csv": safe_csv(QRELS_COLUMNS, ((*pair, level) for pair, level in levels)),
    }


def parquet(release: Release) -> Files:
    """The same two tables with their types; evidence as a list of quotes."""
    rows = [
        {**row, "evidence": [span["quote"] for span in row["evidence"]]}
        for row in _judgments(release)
    ]
    qrels = [
        dict(zip(QRELS_COLUMNS, (*pair, level), strict=True))
        for pair, level in sorted(levels_of(release).items())
    ]
    return {"judgments.parquet": _parquet(rows), "qrels.parquet": _parquet(qrels)}


FORMS: Mapping[str, Callable[[Release], Files]] = {
    "trec": trec,
    "beir": beir,
    "mteb": mteb,
    "jsonl": jsonl,
    "csv": csv,
    "parquet": parquet,
}
NEED_TEXTS = ("beir", "mteb")


def levels_of(release: Release) -> dict[Key, int]:
    """(query_id, doc_id) to frozen level."""
    return {(q, d): level for q, judged in release.qrels.items() for d, level in judged.items()}


def write(folder: Path, files: Files) -> list[Path]:
    """Write files under a folder, and say where."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return [folder / name for name in files]


def _judgments(release: Release) -> Iterator[dict[str, Any]]:
    asked = {query.query_id: query.text for query in release.queries}
    titles = {document.doc_id: document.title for document in release.documents}
    levels = levels_of(release)
    for row in release.judgments:
        told = {
            **row,
            "query": asked.get(row["query_id"], ""),
            "title": titles.get(row["doc_id"], ""),
            "resolved_level": levels.get((row["query_id"], row["doc_id"])),
        }
        yield {name: told[name] for name in JUDGMENT_COLUMNS}


def _quotes(row: Mapping[str, Any]) -> str:
    return "\n".join(span["quote"] for span in row["evidence"])


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


def _corpus(release: Release) -> Iterator[Mapping[str, Any]]:
    for document in release.documents:
        yield {
            "_id": document.doc_id,
            "title": document.title,
            "text": document.text,
            "metadata": dict(document.metadata),
        }


def _queries(release: Release) -> Iterator[Mapping[str, Any]]:
    """The queries as BEIR has them; what it has no place for stands under a key of our own,
    from which `labelkit import` reads it back."""
    for query in release.queries:
        row = content.query_row(query)
        ours = {name: row[name] for name in row if name not in ("query_id", "text") and row[name]}
        yield {
            "_id": query.query_id,
            "text": query.text,
            "metadata": {
                "source": query.source.value,
                "tags": list(query.tags),
                "labelkit": ours,
            },
        }


def _beir_qrels(levels: Mapping[Key, int]) -> bytes:
    rows = [f"{query}\t{doc}\t{level}\n" for (query, doc), level in sorted(levels.items())]
    return ("query-id\tcorpus-id\tscore\n" + "".join(rows)).encode()
