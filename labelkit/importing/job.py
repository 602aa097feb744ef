"""A large import in a process of its own; a cancelled one leaves nothing behind."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from labelkit.formats.tables import Problem
from labelkit.importing import beir, large
from labelkit.importing.options import ImportOptions, from_dict
from labelkit.importing.reports import problems_csv
from labelkit.store import Workspace

Progress = Callable[[int, int, str], None]


def run(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> None:
    """Import the documents of the files that the arguments name, and remove an upload."""
    signal.signal(signal.SIGTERM, _leave)
    report = Path(arguments["report"]) if arguments.get("report") else None

    def keep(problems: list[Problem], unit: str) -> None:
        if report is not None:
            report.write_bytes(problems_csv(problems, unit))

    try:
        said = _import(workspace, arguments, progress, keep)
        progress(1, 1, said)
    finally:
        if arguments.get("upload"):
            for path in arguments["paths"]:
                Path(path).unlink(missing_ok=True)


def _import(
    workspace: Workspace,
    arguments: Mapping[str, Any],
    progress: Progress,
    keep: large.OnProblems,
) -> str:
    """Import what the arguments name, and say what it did."""
    options, by = from_dict(arguments.get("options", {})), arguments.get("by", "")
    if arguments.get("kind") == "beir":
        reports = beir.import_beir(
            workspace,
            arguments["paths"][0],
            split=arguments.get("split"),
            options=options,
            rater=arguments.get("rater"),
            by=by,
            progress=progress,
        )
        return " ".join(report.sentence for report in reports)
    return large.import_documents(
        workspace,
        arguments["paths"],
        options=options,
        by=by,
        progress=progress,
        name=arguments.get("name", ""),
        on_problems=keep,
    ).sentence


def arguments_for(
    paths: list[str],
    options: ImportOptions,
    *,
    by: str,
    name: str = "",
    report: Path | None = None,
    upload: bool = False,
    kind: str = "documents",
    split: str | None = None,
    rater: str | None = None,
) -> dict[str, Any]:
    """The arguments of such a job; an `upload` is removed when it ends."""
    return {
        "paths": paths,
        "options": options.as_dict(),
        "by": by,
        "name": name,
        "report": str(report) if report else "",
        "upload": upload,
        "kind": kind,
        "split": split,
        "rater": rater,
    }


def _leave(number: int, frame: FrameType | None) -> None:
    """A cancelled job ends by an exception, so that what it wrote is taken back on the way."""
    sys.exit(1)
