"""The corpus of a release that was frozen without its documents' texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
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
            f"The corpus lacks {len(missing)} of the release's {len(release.hashes)} documents "
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
