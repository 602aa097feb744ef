"""Reading a release back, after making sure that not a byte of it has changed."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from labelkit.errors import InputError, NotReady
from labelkit.model import LEVELS, Document, Query, QuerySource, Span, Turn
from labelkit.releases import content
from labelkit.releases.content import MANIFEST, SUMS
from labelkit.store import Workspace
from labelkit.store import releases as records

SHA256 = re.compile("[0-9a-f]{64}")


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
    """A verified release in memory; `qrels` maps query_id to doc_id to level.

    `texts` is False where it was frozen without its documents' texts and `complete` has not yet
    put them back; `hashes` maps doc_id to the SHA-256 of title and text, always.
    """

    tag: str
    content_sha256: str
    folder: Path
    documents: list[Document]
    queries: list[Query]
    qrels: dict[str, dict[str, int]]
    judgments: list[dict[str, Any]]
    manifest: Mapping[str, Any]
    texts: bool = True
    hashes: Mapping[str, str] = field(default_factory=dict)


def find(workspace: Workspace | None, tag_or_folder: str) -> Path:
    """The folder of a release, named by its tag in a workspace or by a path.

    Raises NotReady where there is neither.
    """
    if workspace is not None and _record(workspace, tag_or_folder) is not None:
        return workspace.releases / tag_or_folder
    folder = Path(tag_or_folder)
    if any((folder / name).is_file() for name in (MANIFEST, SUMS)):
        return folder
    if workspace is None:
        raise NotReady(
            f"There is no release folder {tag_or_folder!r}, and no workspace in which it could be "
            "a tag: name one with --workspace DIR."
        )
    raise NotReady(
        f"There is no release {tag_or_folder!r}: freeze one first, or name a release folder."
    )


def verify(folder: Path, workspace: Workspace | None = None) -> Verification:
    """Compare every file with its recorded hash, and the manifest with the workspace's record.

    A changed, missing or additional file is named. Never raises for a damaged release.
    """
    if not folder.is_dir():
        return Verification(folder, None, (f"The folder {folder} is missing.",))
    sums, problems = _read_sums(folder)
    manifest = _manifest(folder)
    if manifest is None:
        return Verification(folder, None, (*problems, f"{MANIFEST} is missing or unreadable."))
    hashes = _recorded(manifest)
    present = {path.name for path in folder.iterdir()}
    for name in sorted({*hashes, *content.CONTENT_FILES}):
        recorded = hashes.get(name)
        # Where the list itself is gone, that is said once and not again for each file.
        problems += _compare(folder, name, recorded, sums.get(name) if sums else recorded)
    if sums and sums.get(MANIFEST) != _digest(folder / MANIFEST):
        problems.append(f"{MANIFEST} and {SUMS}: one of the two has changed since it was frozen.")
    known = {*hashes, *content.CONTENT_FILES, MANIFEST, SUMS}
    problems += [f"{name} was not part of the release." for name in sorted(present - known)]
    problems += [
        f"{SUMS} names {name}, {MANIFEST} does not." for name in sorted(sums.keys() - known)
    ]
    if manifest.get("content_sha256") != _content_hash(hashes):
        problems.append(f"{MANIFEST}: its content hash does not follow from its files.")
    problems += _against_workspace(workspace, folder)
    return Verification(folder, _text_of(manifest, "content_sha256"), tuple(problems))


def _read_sums(folder: Path) -> tuple[dict[str, str], list[str]]:
    """The hashes by file name, and what is wrong with the file that lists them."""
    try:
        data = (folder / SUMS).read_bytes()
        pairs = [line.split("  ", 1) for line in data.decode().split("\n") if line]
        sums = {name: digest for digest, name in pairs}
    except (OSError, ValueError):
        return {}, [f"{SUMS} is missing or unreadable."]
    changed = content.sums(sums) != data or not all(map(SHA256.fullmatch, sums.values()))
    return sums, [f"{SUMS} has changed since it was frozen."] if changed else []


def _compare(folder: Path, name: str, recorded: str | None, summed: str | None) -> list[str]:
    """Hold a file against its two records; where one of the three stands alone, it is named."""
    path = folder / PurePath(name).name
    if not path.is_file():
        return [f"{name} is missing."]
    found = _digest(path)
    if recorded == summed:
        return [] if found == recorded else [f"{name} has changed since it was frozen."]
    if found == recorded:
        return [f"{SUMS} has changed since it was frozen: it has another hash for {name}."]
    if found == summed:
        return [f"{MANIFEST} has changed since it was frozen: it has another hash for {name}."]
    return [f"{name}, and {MANIFEST} or {SUMS}, have changed since they were frozen."]


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _recorded(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The manifest's hashes by file name; what is no name or no hash is left out."""
    files = manifest.get("files")
    if not isinstance(files, dict):
        return {}
    return {name: digest for name, digest in files.items() if isinstance(digest, str)}


def _content_hash(hashes: Mapping[str, str]) -> str | None:
    complete = set(content.CONTENT_FILES) <= hashes.keys()
    return content.content_sha256(hashes) if complete else None


def _text_of(manifest: Mapping[str, Any], key: str) -> str | None:
    value = manifest.get(key)
    return value if isinstance(value, str) else None


def _manifest(folder: Path) -> dict[str, Any] | None:
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _record(workspace: Workspace, tag: str) -> records.ReleaseRow | None:
    with workspace.reading() as db:
        return records.get(db, tag)


def _against_workspace(workspace: Workspace | None, folder: Path) -> list[str]:
    """A release in the workspace's own folder has to be the one that it recorded."""
    if workspace is None or folder.resolve().parent != workspace.releases:
        return []
    row = _record(workspace, folder.resolve().name)
    if row is None:
        return ["The workspace has no record of this release: its freeze was cut short."]
    if _digest(folder / MANIFEST) == content.sha256(content.manifest(row.manifest)):
        return []
    return [f"{MANIFEST} is not the one that this workspace recorded at the freeze."]


def load(folder: Path, workspace: Workspace | None = None) -> Release:
    """Verify a release, then read it.

    Raises InputError naming every file that changed, or the first thing that no release of
    labelkit holds: sums can be forged, and what was sent by somebody is not trusted.
    """
    untouched(folder, workspace)
    try:
        return _read(folder, _manifest(folder) or {})
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(
            f"holds what no release of labelkit holds ({type(error).__name__}: {error}).",
            file=folder,
        ) from None


def untouched(folder: Path, workspace: Workspace | None = None) -> None:
    """Raise InputError naming every file of a release that changed."""
    checked = verify(folder, workspace)
    if not checked.ok:
        raise InputError(
            f"The release in {folder} is not as it was frozen: " + " ".join(checked.problems)
        )


def _read(folder: Path, manifest: Mapping[str, Any]) -> Release:
    if not content.TAG.fullmatch(manifest["tag"]):
        raise ValueError("its tag is no name of a folder")
    corpus = _rows(folder / "documents.jsonl")
    return Release(
        tag=manifest["tag"],
        content_sha256=manifest["content_sha256"],
        folder=folder,
        documents=[_document(row) for row in corpus],
        queries=[_query(row) for row in _rows(folder / "queries.jsonl")],
        qrels=_qrels(folder / "qrels.txt"),
        judgments=[_judgment(row) for row in _rows(folder / "judgments.jsonl")],
        manifest=manifest,
        texts=manifest.get("texts", True),
        hashes={row["doc_id"]: row["sha256"] for row in corpus},
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    # Not str.splitlines: it also splits at U+2028 and its like, which stand raw in our JSON.
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def _document(row: Mapping[str, Any]) -> Document:
    """A document; one that was frozen without its text has neither text nor title."""
    return Document(
        row["doc_id"], row.get("title", ""), row.get("text", ""), row.get("metadata", {})
    )


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
        types=tuple(row.get("types", ())),
        types_by=row.get("types_by", ""),
        rewritten_text=row.get("rewritten_text"),
        rewritten_by=row.get("rewritten_by", ""),
    )


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    levels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            query_id, _, doc_id, level = line.split(" ")
            levels[query_id][doc_id] = _level(int(level))
    return dict(levels)


def _judgment(row: dict[str, Any]) -> dict[str, Any]:
    """A row of judgments.jsonl, looked at as far as others rely on it."""
    texts = [row[name] for name in ("query_id", "doc_id", "rater", "reason", "provenance")]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a judgment names its pair, rater and reason by texts")
    if row["level"] is not None:
        _level(row["level"])
    for span in row["evidence"]:
        Span(span["start"], span["end"], span["quote"])
    return row


def _level(value: Any) -> int:
    if type(value) is not int or value not in LEVELS:
        raise ValueError(f"{value!r} is no level")
    return value
