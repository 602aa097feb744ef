"""Why raters differed on a pair: recorded by a lead, counted to see what to mend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from labelkit.errors import Conflict, InputError
from labelkit.judging.resolution import Key
from labelkit.model import Role
from labelkit.store import Workspace, judgments, pairs, people, rubric_choices


class DisagreementCause(StrEnum):
    """What made two people give one pair different levels."""

    RUBRIC_GAP = "rubric_gap"
    AMBIGUOUS_QUERY = "ambiguous_query"
    MISSED_EVIDENCE = "missed_evidence"
    MISREAD = "misread"
    DOCUMENT_UNCLEAR = "document_unclear"


ADVICE: Mapping[DisagreementCause, str] = {
    DisagreementCause.RUBRIC_GAP: "add a rule or a boundary example",
    DisagreementCause.AMBIGUOUS_QUERY: "write down the information need, or retire the query",
    DisagreementCause.MISSED_EVIDENCE: "ask for evidence, and show where it stood",
    DisagreementCause.MISREAD: "settle the pair; there is nothing to mend",
    DisagreementCause.DOCUMENT_UNCLEAR: "look at how the document was imported",
}


def record_cause(
    workspace: Workspace,
    person_id: str,
    query_id: str,
    doc_id: str,
    cause: DisagreementCause | str,
    *,
    note: str = "",
) -> None:
    """Write why raters differed on a pair; a later cause replaces it, the earlier one stays kept.

    Raises NotAllowed where the person is not a lead, InputError for an unknown cause, Conflict
    where people do not differ on the pair.
    """
    people.require(workspace, person_id, Role.LEAD)
    if cause not in list(DisagreementCause):
        raise InputError(f"{cause!r} is no cause; choose {', '.join(DisagreementCause)}.")
    with workspace.writing() as db:
        pair = pairs.find(db, query_id, doc_id)
        held = [] if pair is None else judgments.of_pair(db, pair.pair_id)
        if pair is None or len({one.level for one in held if one.level is not None}) < 2:
            raise Conflict(f"People do not differ on {query_id!r} with {doc_id!r}: reload.")
        rubric_choices.add_cause(db, pair.pair_id, str(cause), note.strip(), person_id)


def causes_of_disagreements(workspace: Workspace) -> dict[Key, DisagreementCause]:
    """(query_id, doc_id) to the cause that counts."""
    with workspace.reading() as db:
        return {pair: DisagreementCause(cause) for pair, cause in rubric_choices.causes(db).items()}


def count_causes(workspace: Workspace) -> dict[DisagreementCause, int]:
    """How many pairs have each cause, the most frequent first; causes that no pair has are left
    out."""
    return dict(Counter(causes_of_disagreements(workspace).values()).most_common())
