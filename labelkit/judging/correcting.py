"""Correcting one's own judgment: a further event that supersedes; what was said stays on record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelkit.errors import Conflict
from labelkit.judging import third_labels
from labelkit.judging.checking import check_answer, check_evidence, check_evidence_given
from labelkit.model import Cause, Document, Judgment, Query, Role, Span
from labelkit.store import (
    Connection,
    Workspace,
    documents,
    judgments,
    now,
    pairs,
    people,
    queries,
    repeats,
)
from labelkit.store.pairs import Pair


@dataclass(frozen=True, slots=True)
class ToCorrect:
    """One of a rater's own judgments with what it was about and all that came before it."""

    query: Query
    document: Document
    history: tuple[Judgment, ...]

    @property
    def stands(self) -> Judgment:
        """The judgment that counts now."""
        return self.history[-1]


def to_correct(workspace: Workspace, person_id: str, judgment_id: int) -> ToCorrect:
    """One's own standing judgment with its document and history, oldest event first.

    Raises Conflict where it is not the one that stands now.
    """
    with workspace.reading() as db:
        held, pair = _standing(db, person_id, judgment_id)
        query, document = queries.get(db, held.query_id), documents.get(db, held.doc_id)
        if query is None or document is None:
            raise Conflict("The query or document of that judgment is gone: reload the list.")
        events = judgments.chain_of(db, person_id, pair.pair_id)
        if judgment_id < 0:  # the answer to a hidden repeat has a history of its own
            events = repeats.chain_of(db, -judgment_id)
        same_rubric = (one for one in events if one.rubric_version == held.rubric_version)
        return ToCorrect(query, document, tuple(same_rubric))


def correct(
    workspace: Workspace,
    person_id: str,
    judgment_id: int,
    *,
    level: int | None = None,
    cause: Cause | None = None,
    reason: str,
    evidence: Sequence[Span] | None = None,
) -> Judgment:
    """Replace one of this person's own judgments by a new event; the old one stays on record.

    Its evidence is kept unless other is given; a cause needs none. Raises Conflict where it is
    not the one that stands now, or where it had a cause and others fill the pair's quota by now.
    """
    people.require(workspace, person_id, Role.RATER, Role.LEAD)
    check_answer(level, cause, reason)
    with workspace.writing() as db:
        held, pair = _standing(db, person_id, judgment_id)
        a_repeat = judgment_id < 0
        if (
            not a_repeat
            and held.level is None
            and not pairs.has_room(db, person_id, pair.pair_id, now())
        ):
            raise Conflict("Others judge this pair by now: your remark stays as it is.")
        spans = held.evidence if evidence is None else tuple(evidence)
        if evidence is not None:
            check_evidence(db, pair.pair_id, spans)
        check_evidence_given(db, level, spans)
        corrected = judgments.append(
            db,
            pair_id=pair.pair_id,
            person_id=person_id,
            rubric_version=held.rubric_version,
            level=level,
            cause=cause,
            reason=reason.strip(),
            evidence=spans,
            kind="correction",
            round=held.round,
            supersedes=judgment_id,
            reason_reused=judgments.said_before(db, person_id, pair.pair_id, reason.strip()),
        )
        third_labels.settle(db, pair.pair_id)
        written = judgments.get(db, corrected)
    if written is None:
        raise Conflict("The correction was not written: save it again.")
    return written


def _standing(db: Connection, person_id: str, judgment_id: int) -> tuple[Judgment, Pair]:
    held = judgments.get(db, judgment_id)
    standing = {one.judgment_id for one in judgments.recent_of(db, person_id, -1)}
    if held is None or judgment_id not in standing:
        raise Conflict("That judgment was changed in the meantime: reload the list.")
    pair = pairs.find(db, held.query_id, held.doc_id)
    if pair is None:
        raise Conflict("The pair of that judgment is gone: reload the list.")
    return held, pair
