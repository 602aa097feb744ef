"""A frozen release of six queries over eight documents, written by the release code itself."""

from __future__ import annotations

from pathlib import Path

from labelkit import releases
from labelkit.model import Document, Query, QuerySource, Turn
from labelkit.releases import content
from labelkit.releases.publishing import write_folder
from labelkit.retrieval import default_candidates

FAST = default_candidates()[:3]
"""bm25, wordllama and wordllama-64."""

TEXTS = {
    "csv.writer": "Write rows to a CSV file, separated by commas.",
    "csv.reader": "Read rows from a CSV file, separated by commas.",
    "json.dump": "Write an object to a file as JSON text.",
    "math.sqrt": "Return the square root of a number.",
    "time.sleep": "Pause the program for a number of seconds.",
    "socket.bind": "Bind a network socket to an address and a port.",
    "list.sort": "Order the items of a list in place.",
    "os.remove": "Delete a file from the disk.",
}
QUERIES = [
    Query("q1", "write rows csv", QuerySource.LOG, tags=("keyword",), language="en"),
    Query("q2", "wait two seconds before going on", QuerySource.LOG, language="en"),
    Query("q3", "square root of a number", QuerySource.MANUAL, language="en"),
    Query("q4", "delete a file", QuerySource.SYNTHETIC, source_doc_id="os.remove"),
    Query("q5", "compile a kernel module", QuerySource.LOG, tags=("unanswerable",)),
    Query("q6", "and as JSON?", QuerySource.CONVERSATION, turns=(Turn("user", "write rows csv"),)),
]
LEVELS = {
    "q1": {"csv.writer": 2, "csv.reader": 1, "json.dump": 0},
    "q2": {"time.sleep": 2, "socket.bind": 0},
    "q3": {"math.sqrt": 2, "time.sleep": 0},
    "q4": {"os.remove": 2, "csv.reader": 0},
    "q5": {"json.dump": 0},
    "q6": {"json.dump": 2, "csv.writer": 1},
}


def small_release(
    folder: Path, levels: dict[str, dict[str, int]] = LEVELS, more_documents: int = 0
) -> releases.Release:
    """Write the release into `folder` and load it; more documents say nothing that was asked."""
    folder.mkdir(parents=True)
    documents = [Document(name, name, text) for name, text in sorted(TEXTS.items())]
    documents += [
        Document(f"more.{number:05}", "", f"number {number}{' more' * (number % 40)}")
        for number in range(more_documents)
    ]
    pairs = {(q, d): level for q, row in levels.items() for d, level in row.items()}
    files = {
        "documents.jsonl": content.lines(map(content.document_row, documents)),
        "judgments.jsonl": content.lines(judgment(*pair, level) for pair, level in pairs.items()),
        "qrels.txt": content.qrels_text(pairs),
        "queries.jsonl": content.lines(map(content.query_row, QUERIES)),
        "rubric.md": b"# Rubric\n",
    }
    hashes = {name: content.sha256(data) for name, data in files.items()}
    manifest = {
        "tag": "v1",
        "content_sha256": content.content_sha256(hashes),
        "files": hashes,
    }
    write_folder(folder, manifest, files)
    return releases.load(folder)


def judgment(query_id: str, doc_id: str, level: int) -> dict[str, object]:
    """One line of judgments.jsonl."""
    return {
        "query_id": query_id,
        "doc_id": doc_id,
        "rater": "rater-01",
        "role": "rater",
        "level": level,
        "cause": None,
        "reason": f"{doc_id} is a {level} for {query_id}",
        "evidence": [],
        "round": "independent",
        "rubric_version": 1,
        "provenance": "",
    }
