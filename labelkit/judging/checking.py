"""What every judgment must hold, saved or corrected: one answer, a reason, evidence that stands."""

from __future__ import annotations

from collections.abc import Sequence

from labelkit.errors import InputError
from labelkit.judging import reasons
from labelkit.model import LEVELS, Cause, Span
from labelkit.store import Connection, documents, pairs, rubrics


def check_answer(level: int | None, cause: Cause | None, reason: str) -> None:
    """Raise InputError unless there is one level or cause, and a reason in words."""
    if level is None and cause is None:
        raise InputError("Choose a level first: 2, 1 or 0. If you cannot judge, say why.")
    if level is not None and cause is not None:
        raise InputError("A judgment has a level or a cause why there is none, not both.")
    if level is not None and (type(level) is not int or level not in LEVELS):
        raise InputError(f"{level!r} is not a level; the levels are 0, 1 and 2.")
    reasons.check(reason)


def check_evidence(db: Connection, pair_id: int, evidence: Sequence[Span]) -> None:
    """Raise InputError unless every span quotes the stored document, character by character."""
    if not evidence:
        return
    pair = pairs.get(db, pair_id)
    document = documents.get(db, pair.doc_id) if pair else None
    check_quotes(document.text if document else "", evidence)


def check_quotes(text: str, evidence: Sequence[Span]) -> None:
    """Raise InputError unless every span quotes this text, character by character."""
    for span in evidence:
        if not 0 <= span.start < span.end or text[span.start : span.end] != span.quote:
            raise InputError(
                f"The evidence “{span.quote[:60]}” does not stand at characters {span.start} to "
                f"{span.end} of the document: select it again."
            )


def check_evidence_given(db: Connection, level: int | None, evidence: Sequence[Span]) -> None:
    """Raise InputError where the rubric asks for evidence and a level above 0 has none."""
    if level in {1, 2} and not evidence and rubrics.current(db).evidence_required:
        raise InputError(
            f"This rubric wants evidence for level {level}: select the passage that decides and "
            "press e. Your level and reason are kept."
        )
