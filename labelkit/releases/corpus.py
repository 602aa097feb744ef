"""The corpus of a release that was frozen without its documents' texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelkit.errors import InputError, NotReady
from labelkit.model import Document
from labelkit.releases.reading import Release
from labelkit.store import Workspace
from labelkit.store import documents as stored


def complete(
    release: Release,
    corpus: Iterable[Document] | None = None,
    workspace: Workspace | None = None,
) -> Release:
    """The release with its texts: its own, else from the documents given, else the workspace's.

    Each document has to be the frozen one, by the hash of title and text. Raises NotReady where
    there is no corpus, InputError naming documents that are missing or differ.
    """
    if release.texts:
        return release
    if corpus is None and workspace is not None:
        corpus = stored.all(workspace)
    if corpus is None:
        raise NotReady(
            f"Release {release.tag!r} was frozen without its documents' texts: name their file "
            "with --corpus FILE, or a workspace that holds them."
        )
    known = {document.doc_id: document for document in corpus}
    _check(release, known)
    return replace(
        release,
        documents=[known[document.doc_id] for document in release.documents],
        judgments=[_quoted(row, known[row["doc_id"]].text) for row in release.judgments],
        texts=True,
    )


def _check(release: Release, known: dict[str, Document]) -> None:
    missing = [doc_id for doc_id in release.hashes if doc_id not in known]
    if missing:
        raise InputError(
            f"The corpus lacks {len(missing):,} of the release's {len(release.hashes):,} documents "
            f"(such as {missing[0]!r}): give the one that was judged."
        )
    other = [d for d, digest in release.hashes.items() if known[d].text_sha256 != digest]
    if other:
        raise InputError(
            f"{len(other)} of the corpus's documents differ from the frozen ones (such as "
            f"{other[0]!r}): give the texts as they were judged."
        )


def _quoted(row: dict[str, Any], text: str) -> dict[str, Any]:
    """A judgment with the quotes of its evidence read from the text again."""
    spans = [{**span, "quote": text[span["start"] : span["end"]]} for span in row["evidence"]]
    return {**row, "evidence": spans}


def read_corpus(path: str | Path | None) -> list[Document] | None:
    """Documents from JSON lines as a release or a BEIR folder has them; None without a path.

    Raises InputError for a line without an id (`doc_id` or `_id`) or a text.
    """
    if path is None:
        return None
    return [_document(row, Path(path), line) for line, row in enumerate(_lines(Path(path)), 1)]


def _lines(path: Path) -> Iterator[Any]:
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InputError(f"this is no JSON ({error}).", file=path, line=number) from None


def _document(row: Any, path: Path, line: int) -> Document:
    doc_id = row.get("doc_id", row.get("_id")) if isinstance(row, dict) else None
    if not isinstance(doc_id, str) or not isinstance(row.get("text"), str):
        raise InputError("a document needs 'doc_id' (or '_id') and 'text'.", file=path, line=line)
    return Document(doc_id, row.get("title") or "", row["text"], row.get("metadata") or {})
