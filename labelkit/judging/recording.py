"""Writing judgments: each click is one event, checked here and again by SQLite."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from labelkit.errors import Conflict, InputError
from labelkit.judging import claims, reasons, third_labels
from labelkit.judging.checking import check_answer, check_evidence, check_evidence_given
from labelkit.judging.claims import Task
from labelkit.model import Cause, Judgment, Role, Span
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    label_drafts,
    now,
    pairs,
    people,
    qualifications,
    rubrics,
)
from labelkit.store import repeats as stored_repeats
from labelkit.store.label_drafts import LabelDraft

SHORTEST_LOOK = 0.4
"""Seconds below which no one can have read a document: a key that was held or a click too many."""

LONGEST_LOOK = 7 * 24 * 3600
"""Seconds before now at which a pair can have been opened, at the most."""


def record(
    workspace: Workspace,
    person_id: str,
    pair_id: int,
    *,
    level: int | None = None,
    cause: Cause | None = None,
    reason: str,
    evidence: Sequence[Span] = (),
    seconds_on_screen: float,
    active_seconds: float | None = None,
    draft_seen: str | None = None,
    shown: Task | None = None,
) -> Judgment:
    """Write this person's judgment of the pair that is open for them.

    Exactly one of `level` (0, 1, 2) and `cause` is given. `active_seconds` is what the browser
    measured; no more is kept of it than has passed here since the person was given the pair.
    `draft_seen` is the `updated_at` of the draft that the screen shows, None where there is no
    screen: one that was kept elsewhere since is looked at before anything is saved. So is a rubric
    or document that changed since the screen drew the pair as `shown`.
    Raises InputError where something is missing or was too fast, Conflict where the pair is not
    the one open for this person or was judged already; nothing is written then.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    check_answer(level, cause, reason)
    if not seconds_on_screen >= SHORTEST_LOOK:  # so that NaN is refused as well
        raise InputError(
            "That came faster than the document can be read. Look at it, then save again."
        )
    with workspace.writing() as db:
        qualifications.require(db, person_id)
        _check_open(db, person_id, pair_id)
        _check_seen(db, person_id, pair_id, draft_seen)
        _check_shown(db, shown)
        check_evidence(db, pair_id, evidence)
        check_evidence_given(db, level, evidence)
        judgment_id = _append(
            db,
            person_id,
            pair_id,
            level=level,
            cause=cause,
            reason=reason,
            evidence=evidence,
            active_seconds=_believed(db, person_id, pair_id, active_seconds, seconds_on_screen),
        )
        label_drafts.drop(db, person_id, pair_id)
        pairs.release(db, pair_id, person_id)
        third_labels.settle(db, pair_id)
        return _written(db, judgment_id)


def _check_open(db: Connection, person_id: str, pair_id: int) -> None:
    if pairs.held_by(db, person_id) != pair_id:
        raise Conflict(
            "This pair is not the one open for you: it was saved or given back, perhaps in "
            "another tab. The next pair is shown now."
        )
    if not pairs.is_open(db, person_id, pair_id, now()):
        pairs.release(db, pair_id, person_id)
        raise Conflict("Others have judged this pair by now. The next pair is shown now.")


def _check_seen(db: Connection, person_id: str, pair_id: int, seen: str | None) -> None:
    held = None if seen is None else label_drafts.get(db, person_id, pair_id)
    if held is not None and held.updated_at != seen:
        raise Conflict("Not saved: another tab changed this pair. Look, save again.")


def _check_shown(db: Connection, shown: Task | None) -> None:
    if shown is None:
        return
    document = documents.get(db, shown.document.doc_id)
    if what := claims.changed(shown, rubrics.current(db), document):
        raise Conflict(f"Not saved: {what} while this pair was open. Read it, then choose again.")


def _believed(
    db: Connection, person_id: str, pair_id: int, active: float | None, on_screen: float
) -> float | None:
    """The active seconds, at most what has passed here since the pair was opened."""
    if active is None or not math.isfinite(active) or active < 0:
        return None
    draft, passed = label_drafts.get(db, person_id, pair_id), on_screen
    if draft is not None:
        since = datetime.now(UTC) - datetime.fromisoformat(draft.opened_at)
        passed = max(passed, since.total_seconds())
    return round(min(active, passed), 1)


def _append(
    db: Connection,
    person_id: str,
    pair_id: int,
    *,
    level: int | None,
    cause: Cause | None,
    reason: str,
    evidence: Sequence[Span] = (),
    active_seconds: float | None = None,
) -> int:
    """Write the first event of this person on the pair, or one that follows an undo.

    What is said of a hidden repeat goes to the table of repeats.
    """
    version, reason = rubrics.ensure(db), reason.strip()
    reused = judgments.said_before(db, person_id, pair_id, reason)
    repeat_id = stored_repeats.open_repeat(db, person_id, pair_id)
    if repeat_id is not None:
        return -stored_repeats.append(
            db,
            repeat_id,
            rubric_version=version,
            level=level,
            cause=cause,
            reason=reason,
            evidence=evidence,
            active_seconds=active_seconds,
            reason_reused=reused,
        )
    before = judgments.last_event(db, pair_id, person_id, version)
    others = [j for j in judgments.of_pair(db, pair_id) if j.person_id != person_id]
    return judgments.append(
        db,
        pair_id=pair_id,
        person_id=person_id,
        rubric_version=version,
        level=level,
        cause=cause,
        reason=reason,
        evidence=evidence,
        kind="judgment" if before is None else "correction",
        round="second" if any(other.level is not None for other in others) else "first",
        active_seconds=active_seconds,
        supersedes=None if before is None else before.judgment_id,
        reason_reused=reused,
    )


def _written(db: Connection, judgment_id: int) -> Judgment:
    judgment = judgments.get(db, judgment_id)
    if judgment is None:
        raise Conflict("The judgment was not written: save it again.")
    return judgment


def undo(workspace: Workspace, person_id: str) -> Judgment | None:
    """Withdraw this person's last judgment and open its pair again with all that it said.

    The pair is not opened where someone else was given it since; the draft is kept all the same.
    Returns the withdrawn judgment, or None where there is none.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    with workspace.writing() as db:
        mine = judgments.recent_of(db, person_id, 1)
        if not mine:
            return None
        last = mine[0]
        pair = pairs.find(db, last.query_id, last.doc_id)
        if pair is None:
            return None
        judgments.append(
            db,
            pair_id=pair.pair_id,
            person_id=person_id,
            rubric_version=last.rubric_version,
            level=None,
            cause=None,
            reason="undone by the rater",
            kind="withdrawal",
            round=last.round,
            supersedes=last.judgment_id,
        )
        label_drafts.save(
            db,
            person_id,
            pair.pair_id,
            LabelDraft(last.level, last.reason, last.cause, last.evidence),
        )
        third_labels.settle(db, pair.pair_id)
        if pairs.is_open(db, person_id, pair.pair_id, now()):
            pairs.lease(db, pair.pair_id, person_id, claims.lease_end())
        return last


def save_draft(
    workspace: Workspace,
    person_id: str,
    pair_id: int,
    *,
    level: int | None,
    reason: str,
    cause: Cause | None = None,
    evidence: Sequence[Span] = (),
    seconds_on_screen: float = 0.0,
) -> LabelDraft | None:
    """Keep what was typed, chosen and marked so far; it survives a refresh and a restart.

    A draft of a pair that is no longer open for this person is let go and None returned: its
    judgment stands. Raises InputError where the evidence does not stand in the document.
    """
    opened = datetime.now(UTC) - timedelta(seconds=min(max(seconds_on_screen, 0), LONGEST_LOOK))
    draft = LabelDraft(
        level,
        reason[: reasons.LONGEST],
        cause,
        tuple(evidence),
        opened_at=opened.isoformat(timespec="microseconds"),
    )
    with workspace.writing(durable=False) as db:  # outlives this process; judgments wait for disk
        if pairs.held_by(db, person_id) != pair_id:
            return None
        check_evidence(db, pair_id, evidence)
        label_drafts.save(db, person_id, pair_id, draft)
        return label_drafts.get(db, person_id, pair_id)
