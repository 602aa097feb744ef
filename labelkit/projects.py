"""A project's own settings: its rubric."""

from __future__ import annotations

import json
from pathlib import Path

from labelkit.errors import InputError
from labelkit.rubric import Rubric, parse_rubric
from labelkit.store import Workspace, rubrics


def set_rubric(workspace: Workspace, path: Path | None = None) -> int:
    """Save a rubric from a JSON file as the next version, or the starter where there is none.

    Returns the version. Raises InputError where the file is no rubric.
    """
    with workspace.writing() as db:
        if path is None:
            return rubrics.ensure(db)
        return rubrics.save(db, _read(path), None)


def _read(path: Path) -> Rubric:
    try:
        return parse_rubric(json.loads(path.read_text(encoding="utf-8")), version=1)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"this is no rubric ({error!r}).", file=path) from None
