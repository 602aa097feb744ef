"""A project from its first moment: its workspace, its lead, its rubric."""

from __future__ import annotations

import json
from pathlib import Path

from labelkit.errors import InputError
from labelkit.model import Role
from labelkit.rubric import Rubric, parse_rubric
from labelkit.store import Workspace, people, rubrics


def init(
    path: str | Path,
    name: str | None = None,
    *,
    lead: str | None = None,
    rubric: Path | None = None,
) -> Workspace:
    """Make a workspace, or open the one that is there; add its lead and save its rubric.

    Raises InputError where the folder holds other files, or the rubric's file is no rubric.
    """
    workspace = Workspace.create(path, name)
    if lead is not None:
        people.add(workspace, lead, [Role.LEAD])
    set_rubric(workspace, rubric)
    return workspace


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
