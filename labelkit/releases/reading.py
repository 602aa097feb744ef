"""Reading a release back, after making sure that not a byte of it has changed."""

from __future__ import annotations

import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelkit.errors import InputError, NotReady
from labelkit.model import Document, Query, QuerySource, Turn
from labelkit.releases import content
from labelkit.releases.freezing import SUMS
from labelkit.store import Workspace
from labelkit.store import releases as records


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of verifying a release: the problems found, none when it is untouched."""

    folder: Path
    content_sha256: str | None
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every byte is as it was frozen."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Release:
    """A verified release in memory; `qrels` maps query_id to doc_id to level."""

    tag: str
    content_sha256: str
    folder: Path
    documents: list[Document]
    queries: list[Query]
    qrels: dict[str, dict[str, int]]
    judgments: list[dict[str, Any]]
    manifest: Mapping[str, Any]


def find(workspace: Workspace | None, tag_or_folder: str) -> Path:
    """The folder of a release, named by its tag in a workspace or by a path.

    Raises NotReady where there is neither.
    """
    if workspace is not None:
        folder = workspace.releases / tag_or_folder
        if (folder / "manifest.json").exists():
            return folder
    folder = Path(tag_or_folder)
    if (folder / "manifest.json").exists():
        return folder
    raise NotReady(
        f"There is no release {tag_or_folder!r}: freeze one first, or name a release folder."
    )


def verify(folder: Path, workspace: Workspace | None = None) -> Verification:
    """Compare every file with its recorded hash, and the content hash with the workspace's.

    A changed, missing or additional file is named. Never raises for a damaged release.
    """
    sums = _read_sums(folder)
    if not sums:
        return Verification(folder, None, (f"{SUMS} is missing or unreadable.",))
    problems = _compare(folder, sums)
    manifest = _manifest(folder)
    if manifest is None:
        return Verification(folder, None, (*problems, "manifest.json cannot be read."))
    hashes = manifest.get("files", {})
    if {**hashes, "manifest.json": ""}.keys() != sums.keys():
        problems.append(f"{SUMS} and manifest.json do not name the same files.")
    problems += [
        f"{name}: {SUMS} and manifest.json record different hashes."
        for name, digest in sorted(hashes.items())
        if sums.get(name) not in (None, digest)
    ]
    if set(content.CONTENT_FILES) <= hashes.keys():
        computed = content.content_sha256(hashes)
        if computed != manifest.get("content_sha256"):
            problems.append("manifest.json: its content hash does not follow from its files.")
    problems += _against_workspace(workspace, manifest)
    return Verification(folder, manifest.get("content_sha256"), tuple(problems))


def _read_sums(folder: Path) -> dict[str, str]:
    try:
        text = (folder / SUMS).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = [line.split("  ", 1) for line in text.splitlines()]
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def _compare(folder: Path, sums: Mapping[str, str]) -> list[str]:
    problems = []
    for name, digest in sorted(sums.items()):
        path = folder / Path(name).name
        if not path.is_file():
            problems.append(f"{name} is missing.")
        elif content.sha256(path.read_bytes()) != digest:
            problems.append(f"{name} has changed since it was frozen.")
    present = {path.name for path in folder.iterdir()} - {SUMS}
    problems += [f"{name} was not part of the release." for name in sorted(present - sums.keys())]
    return problems


def _manifest(folder: Path) -> dict[str, Any] | None:
    try:
        value = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _against_workspace(workspace: Workspace | None, manifest: Mapping[str, Any]) -> list[str]:
    if workspace is None:
        return []
    with workspace.reading() as db:
        row = records.get(db, str(manifest.get("tag")))
    if row is None or dict(row.manifest) == dict(manifest):
        return []
    return ["manifest.json is not the one that this workspace recorded at the freeze."]


def load(folder: Path, workspace: Workspace | None = None) -> Release:
    """Verify a release, then read it.

    Raises InputError naming every file that changed.
    """
    checked = verify(folder, workspace)
    if not checked.ok:
        raise InputError(
            f"The release in {folder} is not as it was frozen: " + " ".join(checked.problems)
        )
    manifest = _manifest(folder) or {}
    return Release(
        tag=manifest["tag"],
        content_sha256=manifest["content_sha256"],
        folder=folder,
        documents=[_document(row) for row in _rows(folder / "documents.jsonl")],
        queries=[_query(row) for row in _rows(folder / "queries.jsonl")],
        qrels=_qrels(folder / "qrels.txt"),
        judgments=_rows(folder / "judgments.jsonl"),
        manifest=manifest,
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    # Not str.splitlines: it also splits at U+2028 and its like, which stand raw in our JSON.
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def _document(row: Mapping[str, Any]) -> Document:
    return Document(row["doc_id"], row["title"], row["text"], row["metadata"])


def _query(row: Mapping[str, Any]) -> Query:
    return Query(
        query_id=row["query_id"],
        text=row["text"],
        source=QuerySource(row["source"]),
        turns=tuple(Turn(turn["role"], turn["text"]) for turn in row["turns"]),
        information_need=row["information_need"],
        tags=tuple(row["tags"]),
        language=row["language"],
        source_doc_id=row["source_doc_id"],
        drafted_text=row["drafted_text"],
        provenance=row["provenance"],
    )


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    levels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            query_id, _, doc_id, level = line.split(" ")
            levels[query_id][doc_id] = int(level)
    return dict(levels)


def archive(folder: Path) -> bytes:
    """The release as a zip file for download; the same release gives the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archived:
        for path in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(f"{folder.name}/{path.name}", (1980, 1, 1, 0, 0, 0))
            archived.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
