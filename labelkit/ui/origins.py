"""Whose labels these are, wherever figures that rest on them are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from labelkit.model import Judgment, demo_labels
from labelkit.releases import list_releases
from labelkit.store import Workspace
from labelkit.ui import heading


def note(judgments: Iterable[Judgment]) -> None:
    """Say so where some of these judgments were made for the demo."""
    _note(Counter(judgment.provenance for judgment in judgments))


def note_release(workspace: Workspace, tag: str) -> None:
    """Say so where a release rests on judgments made for the demo."""
    for row in list_releases(workspace):
        if row.tag == tag:
            _note(row.manifest["provenance"]["judgments"])


def mix(counts: Mapping[str, int]) -> str:
    """Where judgments come from, in words, the most first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ordered)


def _note(counts: Mapping[str, int]) -> None:
    for sentence in demo_labels(Counter(counts).elements()):
        heading.note(sentence)
