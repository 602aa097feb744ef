"""Reviewing drafts: accept as it is or edited, or reject with a cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labelkit.drafting import batch
from labelkit.drafting.checks import Warning
from labelkit.errors import InputError
from labelkit.measures import Estimate, estimate
from labelkit.model import Document, Query, QueryState, Role
from labelkit.store import Workspace, documents, pairs, people, queries

REJECTIONS: Mapping[str, str] = {
    "not_natural": "nobody would type this",
    "too_generic": "too generic: many documents answer it",
    "lifted": "copies the document's words",
    "not_answered": "the document does not answer it",
    "better_elsewhere": "another document answers it better",
    "duplicate": "asks what another query asks",
    "other": "another reason (write it down)",
}


@dataclass(frozen=True, slots=True)
class DraftReview:
    """One draft to decide on, beside its source document, with its warnings."""

    query: Query
    source: Document | None
    warnings: tuple[Warning, ...]
    position: int
    of: int


@dataclass(frozen=True, slots=True)
class Reviewed:
    """How many drafts were decided on, and how."""

    waiting: int
    accepted: int
    edited: int
    rejected: int

    @property
    def acceptance(self) -> Estimate:
        """The share of decided drafts that was accepted, edited or not, with its interval."""
        return estimate([1] * self.accepted + [0] * self.rejected)


def next_draft(workspace: Workspace, after: str | None = None) -> DraftReview | None:
    """The first draft by id, or the one that follows `after`; None when all are decided."""
    with workspace.reading() as db:
        drafts = queries.select(db, QueryState.DRAFT)
        if not drafts:
            return None
        later = [draft for draft in drafts if after is None or draft.query_id > after]
        draft = later[0] if later else drafts[0]
        source = documents.get(db, draft.source_doc_id) if draft.source_doc_id else None
        earlier = drafts[: drafts.index(draft)]
        others = [*queries.select(db, QueryState.ACCEPTED), *earlier]
        warnings = batch.warnings(db, draft, source, others)
        return DraftReview(draft, source, warnings, drafts.index(draft) + 1, len(drafts))


def accept(workspace: Workspace, person_id: str, query_id: str, *, text: str | None = None) -> None:
    """Accept a draft, with another text if edited (both are kept), and pool its source document.

    Raises InputError for an empty text, Conflict where someone else decided meanwhile.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    if text is not None and not text.strip():
        raise InputError("The query is empty: write what a user would type, or reject the draft.")
    with workspace.writing() as db:
        query = queries.move(
            db,
            query_id,
            before=QueryState.DRAFT,
            after=QueryState.ACCEPTED,
            person_id=person_id,
            text=None if text is None else text.strip(),
        )
        if query.source_doc_id and documents.get(db, query.source_doc_id):
            pairs.add(db, [(query_id, query.source_doc_id)], "source")


def reject(
    workspace: Workspace, person_id: str, query_id: str, *, cause: str, note: str = ""
) -> None:
    """Reject a draft with one of `REJECTIONS`; the note is required for "other".

    Raises InputError for an unknown cause or a missing note, Conflict where someone else decided.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    if cause not in REJECTIONS:
        raise InputError(f"Choose why: {', '.join(REJECTIONS.values())}.")
    if cause == "other" and not note.strip():
        raise InputError("Write the reason down: one sentence.")
    detail = f"{REJECTIONS[cause]}{': ' + note.strip() if note.strip() else ''}"
    with workspace.writing() as db:
        queries.move(
            db,
            query_id,
            before=QueryState.DRAFT,
            after=QueryState.REJECTED,
            person_id=person_id,
            detail=detail,
        )


def reviewed(workspace: Workspace) -> Reviewed:
    """Counts of drafts by what was decided."""
    with workspace.reading() as db:
        return Reviewed(
            waiting=queries.count_by_state(db).get("draft", 0),
            **queries.count_reviews(db),
        )
