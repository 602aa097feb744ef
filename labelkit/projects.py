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

    Without `name` a project keeps the one it has; a new one is called after its folder.
    Raises InputError where the folder holds other files, or the rubric's file is no rubric.
    """
    wanted = None if rubric is None else read_rubric(rubric)
    workspace = Workspace.create(path, name)
    if lead is not None:
        people.add(workspace, lead, [Role.LEAD])
    _save(workspace, wanted)
    return workspace


def set_rubric(workspace: Workspace, path: Path | None = None) -> int:
    """Save a rubric from a JSON file as the next version, or the starter where there is none.

    Returns the version. Raises InputError where the file is no rubric.
    """
    return _save(workspace, None if path is None else read_rubric(path))


def _save(workspace: Workspace, rubric: Rubric | None) -> int:
    with workspace.writing() as db:
        return rubrics.ensure(db) if rubric is None else rubrics.save(db, rubric, None)


def read_rubric(path: Path) -> Rubric:
    """A rubric from its JSON form; raises InputError naming the file where it is none."""
    try:
        return parse_rubric(json.loads(path.read_text(encoding="utf-8")), version=1)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"this is no rubric ({error!r}).", file=path) from None
