"""What a rater has typed, chosen and marked for a pair but not yet saved."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from labelkit.model import Cause, Span
from labelkit.store.workspace import now


@dataclass(frozen=True, slots=True)
class LabelDraft:
    """An unsaved level or cause with its reason and evidence.

    `opened_at` says since when the person has had the pair, `updated_at` when this was kept.
    """

    level: int | None
    reason: str
    cause: Cause | None = None
    evidence: tuple[Span, ...] = ()
    opened_at: str = ""
    updated_at: str = ""


def save(db: sqlite3.Connection, person_id: str, pair_id: int, draft: LabelDraft) -> None:
    """Keep the draft; a later one of the same person and pair replaces it, but for `opened_at`."""
    moment = now()
    db.execute(
        "insert into label_drafts(person_id, pair_id, level, cause, reason, evidence, opened_at, "
        "updated_at) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict(person_id, pair_id) "
        "do update set level = excluded.level, cause = excluded.cause, reason = excluded.reason, "
        "evidence = excluded.evidence, updated_at = excluded.updated_at",
        (
            person_id,
            pair_id,
            draft.level,
            None if draft.cause is None else draft.cause.value,
            draft.reason,
            json.dumps([[s.start, s.end, s.quote] for s in draft.evidence], ensure_ascii=False),
            draft.opened_at or moment,
            moment,
        ),
    )


def get(db: sqlite3.Connection, person_id: str, pair_id: int) -> LabelDraft | None:
    """The draft, or None."""
    row = db.execute(
        "select * from label_drafts where person_id = ? and pair_id = ?", (person_id, pair_id)
    ).fetchone()
    if row is None:
        return None
    return LabelDraft(
        level=row["level"],
        reason=row["reason"],
        cause=None if row["cause"] is None else Cause(row["cause"]),
        evidence=tuple(Span(*span) for span in json.loads(row["evidence"])),
        opened_at=row["opened_at"] or row["updated_at"],
        updated_at=row["updated_at"],
    )


def drop(db: sqlite3.Connection, person_id: str, pair_id: int) -> None:
    """Forget the draft, once its judgment is written."""
    db.execute("delete from label_drafts where person_id = ? and pair_id = ?", (person_id, pair_id))
