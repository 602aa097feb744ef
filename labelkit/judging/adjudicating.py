"""Pairs on which humans differ, and a lead's final word on them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from labelkit.errors import Conflict, InputError
from labelkit.judging import state as project
from labelkit.judging.resolution import Key, State
from labelkit.model import LEVELS, Adjudication, Document, Judgment, Person, Query, Role
from labelkit.store import Connection, Workspace, documents, judgments, now, pairs, people


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One pair with different levels: what each person said, and the final word if there is one."""

    query: Query
    document: Document
    judgments: tuple[Judgment, ...]
    adjudication: Adjudication | None

    @property
    def distance(self) -> int:
        """The largest gap between two levels: 2 for 0 against 2."""
        levels = [j.level for j in self.judgments if j.level is not None]
        return max(levels) - min(levels)


def disagreements(workspace: Workspace, person_id: str) -> list[Disagreement]:
    """Every pair on which humans differ, open ones first, then 0 against 2 first.

    A lead who also rates stays blind: a pair that still waits for a label which this person
    could give is left out. Raises NotAllowed where the person is not a lead.
    """
    lead = people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        state = project.read(db)
        final = {(a.query_id, a.doc_id): a for a in state.adjudications}
        found = [
            Disagreement(
                state.queries[pair[0]],
                documents.get(db, pair[1]) or Document(pair[1], pair[1], ""),
                tuple(held),
                final.get(pair),
            )
            for pair, held in _differing(state).items()
            if not waits_for(db, pair, lead)
        ]
    found.sort(
        key=lambda d: (d.adjudication is not None, -d.distance, d.query.query_id, d.document.doc_id)
    )
    return found


def count_kept_from(workspace: Workspace, person_id: str) -> int:
    """How many disagreements this lead is not shown, as she could still judge their pairs."""
    lead = people.require(workspace, person_id, Role.LEAD)
    with workspace.reading() as db:
        differing = _differing(project.read(db))
        return sum(waits_for(db, pair, lead) for pair in differing)


def _differing(state: project.ProjectState) -> dict[Key, list[Judgment]]:
    by_pair: dict[Key, list[Judgment]] = defaultdict(list)
    for judgment in state.judgments:
        if judgment.level is not None and judgment.round != "check":
            by_pair[judgment.query_id, judgment.doc_id].append(judgment)
    return {pair: held for pair, held in by_pair.items() if len({j.level for j in held}) > 1}


def waits_for(db: Connection, pair: Key, lead: Person) -> bool:
    """The rule that keeps a lead who rates blind: what she could still judge is not shown to her.

    Whether this lead has the pair open on the Label page, or rates and could be given it."""
    found = pairs.find(db, *pair)
    if found is None:
        return False
    if pairs.held_by(db, lead.person_id) == found.pair_id:
        return pairs.is_open(db, lead.person_id, found.pair_id, now())
    return Role.RATER in lead.roles and pairs.is_waiting(db, lead.person_id, found.pair_id)


def adjudicate(
    workspace: Workspace,
    person_id: str,
    query_id: str,
    doc_id: str,
    *,
    level: int,
    reason: str,
    seen: str | None = None,
) -> None:
    """Write a lead's final level for a pair; the raters' own judgments stay as they are.

    `seen` is the time of the final word that this lead had before them, "" for none: where
    another stands by now, nothing is written. None does not ask. Raises InputError without a
    level or reason, Conflict where nobody has judged the pair or a lead was faster.
    """
    people.require(workspace, person_id, Role.LEAD)
    if type(level) is not int or level not in LEVELS:
        raise InputError("Choose the final level: 0, 1 or 2.")
    if not reason.strip():
        raise InputError("Write why this level is right: one sentence for both raters.")
    with workspace.writing() as db:
        pair = pairs.find(db, query_id, doc_id)
        if pair is None or not judgments.of_pair(db, pair.pair_id):
            raise Conflict(f"Nobody has judged {query_id!r} with {doc_id!r}: reload the list.")
        if seen is not None:
            _require_unsettled(workspace, db, (query_id, doc_id), seen)
        judgments.adjudicate(db, pair.pair_id, person_id, level, reason.strip())


def _require_unsettled(workspace: Workspace, db: Connection, pair: Key, seen: str) -> None:
    found = [one for one in judgments.adjudications(db) if (one.query_id, one.doc_id) == pair]
    if found and found[0].created_at != seen:
        name = people.get(workspace, found[0].person_id)
        raise Conflict(
            f"Not saved: {name.name if name else 'another lead'} settled this pair at level "
            f"{found[0].level} meanwhile. Read why, and save again if you still see it otherwise."
        )


def open_disagreements(state: project.ProjectState) -> list[Key]:
    """The pairs that block a freeze, sorted."""
    return sorted(pair for pair, r in state.resolutions.items() if r.state is State.UNRESOLVED)
