"""A BEIR folder, or a zip of one: corpus, queries and one set of qrels, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from labelkit.errors import InputError
from labelkit.formats import archives
from labelkit.formats.source import Source, from_path
from labelkit.importing.coming import Coming
from labelkit.importing.large import LARGE, staged
from labelkit.importing.merging import merge, silent
from labelkit.importing.options import ImportOptions
from labelkit.importing.preview import DEFAULT, ImportPreview, preview
from labelkit.importing.reports import ImportReport
from labelkit.importing.staging import Progress
from labelkit.importing.writing import refuse_problems, write, write_all
from labelkit.model import Query
from labelkit.store import Workspace

ENDINGS = ("", ".gz")


def find(path: str | Path) -> dict[str, Source]:
    """The files of a BEIR folder or zip by their path in it, such as `qrels/test.tsv`."""
    path = Path(path)
    return in_folder(path) if path.is_dir() else in_zip(from_path(path))


def in_folder(path: Path) -> dict[str, Source]:
    """The files of a folder that a BEIR data set has."""
    names = ["corpus.jsonl", "queries.jsonl"]
    names += [f"qrels/{one.name}" for one in sorted(path.glob("qrels/*.tsv"))]
    found = {}
    for name in names:
        for ending in ENDINGS:
            if (path / f"{name}{ending}").is_file():
                found[name] = from_path(path / f"{name}{ending}")
    return found


def in_zip(source: Source) -> dict[str, Source]:
    """The files of an archive that a BEIR data set has, whatever folder they are packed under."""
    found: dict[str, Source] = {}
    for member in archives.members(source):
        parts = PurePosixPath(member.name).parts
        name = "/".join(parts[-2:]) if parts[-2:-1] == ("qrels",) else parts[-1]
        if name in ("corpus.jsonl", "queries.jsonl") or name.startswith("qrels/"):
            found.setdefault(name, member)
    return found


def choose(files: Mapping[str, Source], split: str | None, where: str) -> Source | None:
    """The qrels that are imported: those of the split, else the only ones or those of "test".

    Raises InputError for a folder that lacks corpus or queries, or whose qrels are several.
    """
    for name in ("corpus.jsonl", "queries.jsonl"):
        if name not in files:
            raise InputError(f"there is no {name} in it: is it a BEIR folder?", file=where)
    splits = {PurePosixPath(name).stem: files[name] for name in files if name.startswith("qrels/")}
    if split is None and len(splits) < 2:
        return next(iter(splits.values()), None)
    wanted = split or "test"
    if wanted not in splits:
        raise InputError(
            f"there are no qrels {wanted!r}; say which of {', '.join(splits) or 'none'} (--split).",
            file=where,
        )
    return splits[wanted]


def import_beir(
    workspace: Workspace,
    path: str | Path,
    *,
    split: str | None = None,
    options: ImportOptions = DEFAULT,
    rater: str | None = None,
    by: str = "",
    progress: Progress = silent,
) -> list[ImportReport]:
    """Import documents, queries and judgments together, all of them or nothing.

    Raises InputError with the first problems of the first file that has any.
    """
    files = find(path)
    qrels = choose(files, split, str(path))
    said = replace(options, headers=None)
    if files["corpus.jsonl"].size >= LARGE:
        return _staged(workspace, files, qrels, said, rater, by, progress)
    looked_at = look(workspace, files, qrels, said)
    return write_all(workspace, looked_at, rater=rater, by=by)


def look(
    workspace: Workspace,
    files: Mapping[str, Source],
    qrels: Source | None,
    options: ImportOptions = DEFAULT,
) -> list[ImportPreview]:
    """Look at a BEIR data set of moderate size, writing nothing."""
    corpus = preview(workspace, "documents", files["corpus.jsonl"].name, files["corpus.jsonl"])
    held = {document.doc_id for document in corpus.items}
    asked = _queries(workspace, files)
    return [
        corpus,
        asked,
        *_judged(workspace, qrels, options, Coming(asked.items, held.__contains__)),
    ]


def _queries(workspace: Workspace, files: Mapping[str, Source]) -> ImportPreview:
    return preview(workspace, "queries", files["queries.jsonl"].name, files["queries.jsonl"])


def _judged(
    workspace: Workspace, qrels: Source | None, options: ImportOptions, coming: Coming
) -> list[ImportPreview]:
    if qrels is None:
        return []
    return [preview(workspace, "judgments", qrels.name, qrels, options=options, coming=coming)]


def _staged(
    workspace: Workspace,
    files: Mapping[str, Source],
    qrels: Source | None,
    options: ImportOptions,
    rater: str | None,
    by: str,
    progress: Progress,
) -> list[ImportReport]:
    """The same with a corpus of any size: the rest is written as its documents are revealed."""
    with staged(workspace, [files["corpus.jsonl"]], DEFAULT, progress) as (stage, staging):
        asked = _queries(workspace, files)
        coming: tuple[Query, ...] = asked.items
        looked_at = [asked, *_judged(workspace, qrels, options, Coming(coming, stage.holds))]
        for one in looked_at:
            refuse_problems(one)
        reports: list[ImportReport] = []
        first = merge(
            workspace,
            stage,
            staging,
            DEFAULT,
            by,
            progress,
            lambda db: reports.extend(write(db, workspace, one, rater, by) for one in looked_at),
        )
    return [first, *reports]
