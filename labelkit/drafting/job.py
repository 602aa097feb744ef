"""Drafting, grading and rewriting as jobs: the key comes from the environment of the process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labelkit.drafting import batch, llm_judge, rewriting, running
from labelkit.drafting.endpoint import require_key
from labelkit.store import Workspace

Progress = Callable[[int, int, str], None]


def run(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> None:
    """Work through a drafting run and check its drafts; `arguments`: run_id, retrievers.

    `retrievers` names the built-in candidates that look for other documents that answer a
    draft; an empty list leaves that check out.
    """
    run_id = str(arguments["run_id"])
    key = require_key(running.require(workspace, run_id, running.DRAFT).base_url)
    try:
        running.go_on(workspace, run_id, key=key, progress=progress)
    finally:  # what was drafted before a server failed is reviewed all the same
        batch.check_drafts(workspace, names=arguments.get("retrievers"), progress=progress)


def check(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> None:
    """Check the drafts that were not checked yet; `arguments` may hold retrievers."""
    batch.check_drafts(workspace, names=arguments.get("retrievers"), progress=progress)


def grade(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> None:
    """Work through a run of the LLM judge; `arguments`: run_id."""
    run_id = str(arguments["run_id"])
    key = require_key(running.require(workspace, run_id, llm_judge.JUDGE).base_url)
    llm_judge.go_on(workspace, run_id, key=key, progress=progress)


def rewrite(workspace: Workspace, arguments: Mapping[str, Any], progress: Progress) -> None:
    """Work through a run that rewrites follow-ups; `arguments`: run_id."""
    run_id = str(arguments["run_id"])
    key = require_key(running.require(workspace, run_id, rewriting.REWRITE).base_url)
    rewriting.go_on(workspace, run_id, key=key, progress=progress)
