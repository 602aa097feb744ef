"""Whose labels these are, wherever figures that rest on them are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from labelkit.model import demo_labels
from labelkit.releases import list_releases
from labelkit.store import Workspace
from labelkit.ui import heading


def note(counts: Mapping[str, int]) -> None:
    """Say so where some judgments were made for the demo; `counts` are by provenance."""
    for sentence in demo_labels(Counter(counts).elements()):
        heading.note(sentence)


def note_release(workspace: Workspace, tag: str) -> None:
    """Say so where a release rests on judgments made for the demo."""
    for row in list_releases(workspace):
        if row.tag == tag:
            note(row.manifest["provenance"]["judgments"])


def mix(counts: Mapping[str, int]) -> str:
    """Where judgments come from, in words, the most first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ordered)
