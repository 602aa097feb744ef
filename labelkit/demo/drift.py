"""Whether the documents that were judged are still the documents that are harvested here.

Another Python says some things in other words. The judgments were made on one; on another the
demo still works and says which judged documents it no longer holds word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from labelkit.model import Document

NAMED = 5
"""How many document ids the sentence names before it says how many more there are."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How the judged documents compare with those at hand; ids sorted."""

    judged: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def affected(self) -> int:
        """How many judged documents are not as they were judged."""
        return len(self.changed) + len(self.missing)

    def __bool__(self) -> bool:
        return self.affected > 0

    def __str__(self) -> str:
        if not self.judged:
            return "No judged documents to compare."
        if not self:
            return f"All {self.judged:,} judged documents stand here word for word as judged."
        parts = [
            f"{len(ids)} {verb} ({_named(ids)})"
            for ids, verb in ((self.changed, "changed"), (self.missing, "missing"))
            if ids
        ]
        return (
            f"Of {self.judged:,} judged documents, {' and '.join(parts)} on this Python: "
            f"figures that rest on them differ from the published ones."
        )


def judged_documents_changed(judged: Mapping[str, str], documents: Iterable[Document]) -> Drift:
    """Compare the judged documents, `doc_id` to `text_sha256`, with the documents at hand."""
    here = {document.doc_id: document.text_sha256 for document in documents}
    changed = (doc_id for doc_id, text in judged.items() if here.get(doc_id, text) != text)
    missing = (doc_id for doc_id in judged if doc_id not in here)
    return Drift(len(judged), tuple(sorted(changed)), tuple(sorted(missing)))


def _named(ids: tuple[str, ...]) -> str:
    shown = ", ".join(ids[:NAMED])
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED} more"
