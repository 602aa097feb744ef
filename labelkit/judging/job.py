"""Pooling as a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labelkit.judging.pooling import DEPTH, pool
from labelkit.store import Workspace


def run(
    workspace: Workspace, arguments: Mapping[str, Any], progress: Callable[[int, int, str], None]
) -> None:
    """Pool accepted queries; `arguments` may hold depth and query_ids."""
    pool(
        workspace,
        depth=int(arguments.get("depth", DEPTH)),
        query_ids=arguments.get("query_ids"),
        progress=progress,
    )
