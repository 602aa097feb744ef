"""Reviewing drafts: accept as it is or edited, reject with a cause, take the last one back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace

from labelkit.drafting import batch
from labelkit.drafting.checks import Warning
from labelkit.errors import Conflict, InputError, NotReady
from labelkit.measures import Estimate, estimate
from labelkit.model import Document, Query, QueryState, Role
from labelkit.store import Connection, Workspace, documents, drafts, pairs, people, queries, reviews
from labelkit.store.reviews import Decision
from labelkit.wording import counted

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
    """One draft to decide on, beside its source document, with its warnings.

    `passage` holds the characters of the document that it was drafted from, where that was a
    part of it. `checked` says whether the corpus was searched for this wording. `before` and
    `following` are the drafts next to it, `far` is half the list away; each is the draft itself
    where it is the only one.
    """

    query: Query
    source: Document | None
    warnings: tuple[Warning, ...]
    passage: tuple[int, int] | None
    checked: bool
    position: int
    of: int
    before: str
    following: str
    far: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """How many drafts were decided on, and how.

    `accepted` counts all accepted drafts, `edited` and `unreviewed` parts of them: those whose
    wording was changed, and those that nobody read because a lead chose so.
    """

    waiting: int
    accepted: int
    edited: int
    unreviewed: int
    rejected: int
    held: int

    @property
    def acceptance(self) -> Estimate:
        """The share of drafts that a person read and accepted, edited or not."""
        return estimate([1] * (self.accepted - self.unreviewed) + [0] * self.rejected)


def draft_at(
    workspace: Workspace, query_id: str | None = None, *, only_sample: bool = False
) -> DraftReview | None:
    """The draft with this id, the next by id where it waits no more, or the first one.

    With `only_sample` among those drawn for the spot-check; None where none waits.
    """
    with workspace.reading() as db:
        waiting = waiting_drafts(db, only_sample=only_sample)
        if not waiting:
            return None
        ids = [draft.query_id for draft in waiting]
        place = bisect_left(ids, query_id or "") % len(ids)
        draft = waiting[place]
        source = documents.get(db, draft.source_doc_id) if draft.source_doc_id else None
        return DraftReview(
            query=draft,
            source=source,
            warnings=_warnings(db, draft, source),
            passage=_passage(db, draft, source),
            checked=drafts.findings(db, draft.query_id, draft.text) is not None,
            position=place + 1,
            of=len(ids),
            before=ids[place - 1],
            following=ids[(place + 1) % len(ids)],
            far=ids[(place + len(ids) // 2) % len(ids)],
        )


def waiting_drafts(db: Connection, *, only_sample: bool = False) -> list[Query]:
    """The drafts that nobody holds, by id; with `only_sample` those drawn for the spot-check."""
    held = set(reviews.held(db))
    waiting = [q for q in queries.select(db, QueryState.DRAFT) if q.query_id not in held]
    sample = reviews.last_sample(db) if only_sample else None
    if sample is None:
        return waiting
    drawn = reviews.members(db, sample.sample_id)
    return [draft for draft in waiting if drawn.get(draft.query_id)]


def warnings_of(workspace: Workspace, draft: Query, text: str) -> tuple[Warning, ...]:
    """The warnings about a draft with another wording, as somebody is editing it."""
    with workspace.reading() as db:
        source = documents.get(db, draft.source_doc_id) if draft.source_doc_id else None
        return _warnings(db, replace(draft, text=text), source)


def _warnings(db: Connection, draft: Query, source: Document | None) -> tuple[Warning, ...]:
    known = queries.select(db, QueryState.DRAFT)
    earlier = [other for other in known if other.query_id < draft.query_id]
    return batch.warnings(db, draft, source, [*queries.select(db, QueryState.ACCEPTED), *earlier])


def _passage(db: Connection, draft: Query, source: Document | None) -> tuple[int, int] | None:
    """Where its passage stands in the document, by its offsets if the text is still there."""
    origin = drafts.origin(db, draft.query_id)
    if origin is None or source is None:
        return None
    text, start = str(origin.passage.get("text", "")), int(origin.passage.get("start", 0))
    if not source.text.startswith(text, start):
        start = source.text.find(text)
    whole = len(text) >= len(source.text)
    return None if start < 0 or not text or whole else (start, start + len(text))


def accept(workspace: Workspace, person_id: str, query_id: str, *, text: str | None = None) -> None:
    """Accept a draft, with another text if edited (both are kept), and pool its source document.

    Raises InputError for an empty text, Conflict where someone else decided meanwhile.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    if text is not None and not text.strip():
        raise InputError("The query is empty: write what a user would type, or reject the draft.")
    names = _warned_of(workspace, query_id)
    with workspace.writing() as db:
        query = queries.move(
            db,
            query_id,
            before=QueryState.DRAFT,
            after=QueryState.ACCEPTED,
            person_id=person_id,
            text=_new_text(db, query_id, text),
        )
        reviews.record(
            db,
            query_id,
            person_id,
            "accepted",
            text=query.text,
            edited=query.drafted_text is not None,
            warnings=names,
        )
        pool_source(db, query)


def _new_text(db: Connection, query_id: str, text: str | None) -> str | None:
    """What was written, or None where only white space at the ends differs: that is no edit."""
    draft = queries.get(db, query_id)
    written = "" if text is None else text.strip()
    return None if draft is None or written in ("", draft.text.strip()) else written


def pool_source(db: Connection, query: Query) -> None:
    """Put an accepted draft's own document into its pool, where the project has it."""
    if query.source_doc_id and documents.get(db, query.source_doc_id):
        pairs.add(db, [(query.query_id, query.source_doc_id)], "source")


def _warned_of(workspace: Workspace, query_id: str) -> list[str] | None:
    """The names of a draft's warnings as it was drafted, kept with the decision.

    Found before the decision's transaction: comparing with thousands of queries takes a moment,
    and nobody else's save should wait for it.
    """
    with workspace.reading() as db:
        draft = queries.get(db, query_id)
        if draft is None:
            return None
        source = documents.get(db, draft.source_doc_id) if draft.source_doc_id else None
        return [warning.name for warning in _warnings(db, draft, source)]


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
    names = _warned_of(workspace, query_id)
    with workspace.writing() as db:
        query = queries.move(
            db,
            query_id,
            before=QueryState.DRAFT,
            after=QueryState.REJECTED,
            person_id=person_id,
            detail=detail,
        )
        reviews.record(
            db,
            query_id,
            person_id,
            "rejected",
            text=query.text,
            cause=cause,
            note=note.strip(),
            warnings=names,
        )


def last_decision(workspace: Workspace, person_id: str) -> Decision | None:
    """What `undo` would take back, or None."""
    with workspace.reading() as db:
        return reviews.last_of(db, person_id)


def undo(workspace: Workspace, person_id: str, query_id: str) -> Decision:
    """Take a person's last decision back: the draft waits again as it was drafted.

    The decision stays on record and a further one re-opens the draft. Its pair stays in the pool,
    where no rater is given it while the query is a draft. Only the last decision can be undone,
    and only once, so that a key held down takes back one. Raises NotReady where this draft was not
    the person's last decision, Conflict where judgments stand on it.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        last = reviews.last_of(db, person_id)
        if last is None or last.query_id != query_id:
            raise NotReady(
                f"{query_id} is not your last decision any more, so nothing was taken back. "
                "Later changes: retire or restore it on the Queries page."
            )
        judged = reviews.count_judgments(db, query_id)
        if judged:
            raise Conflict(
                f"{query_id} has {counted(judged, 'judgment')} by now, so it stays "
                "accepted. A lead can retire it on the Queries page."
            )
        accepted = last.decision == "accepted"
        held = queries.get(db, query_id)
        query = queries.move(
            db,
            query_id,
            before=QueryState.ACCEPTED if accepted else QueryState.REJECTED,
            after=QueryState.DRAFT,
            person_id=person_id,
            detail=f"taken back; it read: {last.text}" if last.edited else "taken back",
        )
        drafted = query.drafted_text or query.text
        reviews.reopen(db, query_id, drafted, held.note if held and accepted else "")
        reviews.record(db, query_id, person_id, "reopened", text=drafted)
        return last


def reviewed(workspace: Workspace) -> Reviewed:
    """Counts of drafts by what was decided."""
    with workspace.reading() as db:
        counts = reviews.count(db)
        drafts_left = queries.count_by_state(db).get("draft", 0)
        return Reviewed(waiting=drafts_left - counts["held"], **counts)
