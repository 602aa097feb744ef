"""Evidence in a document that was corrected after it was judged: no place in a release is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import small_project as small

from labelkit import judging, releases
from labelkit.model import Span
from labelkit.store import documents

TEXT = "Join two tables with merge. Pivot with pivot_table. Then mend the header row."
QUOTES = ("merge", "Pivot with pivot_table.")


def test_passages_are_found_again_and_lost_ones_are_left_out_and_said(tmp_path: Path) -> None:
    """One passage moves, one is no longer there: the release has the first, where it stands."""
    workspace = small.build(tmp_path / "w", query_count=1, document_count=1)
    held = replace(small.document(1), text=TEXT)
    with workspace.writing() as db:
        documents.save(db, [held])
    task = small.claim(workspace, small.ANN)
    judging.record(
        workspace,
        small.ANN,
        task.pair_id,
        level=2,
        reason="Names the call.",
        evidence=[_span(TEXT, quote) for quote in QUOTES],
        seconds_on_screen=small.LOOKED,
    )
    corrected = f"First: {TEXT.replace('Pivot with', 'Turn it by')}"
    with workspace.writing() as db:
        documents.save(db, [replace(held, text=corrected)])
    said = "1 found again elsewhere; 1 no longer in the text"
    assert any(said in one for one in releases.readiness(workspace).warnings)
    frozen = releases.freeze(workspace, "v1", small.LEAD)
    assert any(said in one for one in frozen.warnings)
    [row] = _rows(frozen.folder / "judgments.jsonl")
    [span] = row["evidence"]
    assert span["quote"] == "merge" == corrected[span["start"] : span["end"]]
    [event] = _rows(frozen.folder / "history.jsonl")
    assert [one["quote"] for one in event["evidence"]] == list(QUOTES)


def _span(text: str, quote: str) -> Span:
    start = text.index(quote)
    return Span(start, start + len(quote), quote)


def _rows(path: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
