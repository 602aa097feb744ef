"""What a rater sees of their own work: the last judgments, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from labelkit.judging import repeats
from labelkit.model import Cause, Judgment, Span
from labelkit.store import (
    Connection,
    Workspace,
    batches,
    documents,
    judgments,
    meta,
    now,
    pairs,
    queries,
)


@dataclass(frozen=True, slots=True)
class RecentJudgment:
    """One of a rater's own last judgments, for the list under the form."""

    judgment_id: int
    pair_id: int
    query_text: str
    doc_title: str
    level: int | None
    cause: Cause | None
    reason: str
    created_at: str
    evidence: tuple[Span, ...] = ()
    reason_reused: bool = False
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rater is: counts of own standing judgments and of what is left.

    `due` is the earliest day by which a pair is due that waits for this person.
    """

    today: int
    mine: int
    open_for_me: int
    parked: int
    last_saved: str | None
    due: str | None = None


def recent(workspace: Workspace, person_id: str, limit: int = 5) -> list[RecentJudgment]:
    """This person's own last judgments, newest first."""
    with workspace.reading() as db:
        return [_recent(db, judgment) for judgment in judgments.recent_of(db, person_id, limit)]


def _recent(db: Connection, judgment: Judgment) -> RecentJudgment:
    query, document = queries.get(db, judgment.query_id), documents.get(db, judgment.doc_id)
    pair = pairs.find(db, judgment.query_id, judgment.doc_id)
    return RecentJudgment(
        judgment_id=judgment.judgment_id,
        pair_id=pair.pair_id if pair else 0,
        query_text=query.text if query else judgment.query_id,
        doc_title=document.title if document else judgment.doc_id,
        level=judgment.level,
        cause=judgment.cause,
        reason=judgment.reason,
        created_at=judgment.created_at,
        evidence=judgment.evidence,
        reason_reused=judgment.reason_reused,
        corrected=judgment.supersedes is not None,
    )


def progress(workspace: Workspace, person_id: str) -> Progress:
    """Counts for the page's progress line; "today" is the last 24 hours."""
    since = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="microseconds")
    seed = meta.get(workspace, "seed") or "0"
    with workspace.reading() as db:
        moment, last = now(), judgments.recent_of(db, person_id, 1)
        waiting = pairs.count_open(db, person_id, moment)
        return Progress(
            today=judgments.count_of(db, person_id, since),
            mine=judgments.count_of(db, person_id),
            open_for_me=waiting + repeats.still_to_come(db, person_id, seed, waiting),
            parked=sum(
                len(pairs.parked_by(db, person_id, moment, kind)) for kind in ("later", "skip")
            ),
            last_saved=last[0].created_at if last else None,
            due=batches.due_for(db, person_id),
        )
