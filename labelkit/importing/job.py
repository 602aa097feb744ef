"""A large import in a process of its own; a cancelled one leaves nothing behind."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from labelkit.formats.tables import Problem
from labelkit.importing import large
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
        done = large.import_documents(
            workspace,
            arguments["paths"],
            options=from_dict(arguments.get("options", {})),
            by=arguments.get("by", ""),
            progress=progress,
            name=arguments.get("name", ""),
            on_problems=keep,
        )
        total = done.added + done.changed + done.unchanged
        progress(total, total, done.sentence)
    finally:
        if arguments.get("upload"):
            for path in arguments["paths"]:
                Path(path).unlink(missing_ok=True)


def arguments_for(
    paths: list[str],
    options: ImportOptions,
    *,
    by: str,
    name: str = "",
    report: Path | None = None,
    upload: bool = False,
) -> dict[str, Any]:
    """The arguments of such a job; an `upload` is removed when it ends."""
    return {
        "paths": paths,
        "options": options.as_dict(),
        "by": by,
        "name": name,
        "report": str(report) if report else "",
        "upload": upload,
    }


def _leave(number: int, frame: FrameType | None) -> None:
    """A cancelled job ends by an exception, so that what it wrote is taken back on the way."""
    sys.exit(1)
