"""A second look at single judgments: one more label, by someone who has not seen the pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from labelkit.judging.resolution import Key
from labelkit.judging.third_labels import MOST_RATERS
from labelkit.model import QueryState, Role
from labelkit.store import (
    Connection,
    Workspace,
    judgments,
    pairs,
    people,
    queries,
    rubrics,
    samples,
)


class Look(StrEnum):
    """Whether another label can be asked for on a pair, and if not, why."""

    POSSIBLE = "possible"
    ASKED = "asked for"
    SETTLED = "settled by a lead"
    ENOUGH = "judged by three"
    NOBODY = "nobody left to judge it"
    GONE = "not open in this workspace"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a pair stands; `hidden`: this person could be given it and is not told its levels."""

    look: Look
    hidden: bool


def second_looks(
    workspace: Workspace, person_id: str, chosen: Iterable[Key]
) -> dict[Key, Standing]:
    """Where each pair stands now, for a person to whom its released level may be shown or not."""
    person = people.require(workspace, person_id, *Role)
    with workspace.reading() as db:
        settled, known = _settled(db), judgments.pairs_of(db, person_id)
        found = {key: _look(db, key, settled) for key in chosen}
    return {
        key: Standing(look, Role.RATER in person.roles and pair_id not in known)
        for key, (look, pair_id, _) in found.items()
    }


def ask_second_look(workspace: Workspace, person_id: str, chosen: Iterable[Key]) -> int:
    """Ask for one more label on each pair where that is possible; returns on how many.

    The next person to be given the pair sees nothing of this. Their label counts for the level
    and not for alpha, which is of pairs drawn without regard to what was said of them. Raises
    NotAllowed unless the person is a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    with workspace.writing() as db:
        settled = _settled(db)
        found = {key: _look(db, key, settled) for key in dict.fromkeys(chosen)}
        asked = {key: one for key, one in found.items() if one[0] == Look.POSSIBLE}
        if asked:
            _record(db, asked, person_id)
        for _, pair_id, levels in asked.values():
            pairs.raise_quota(db, [pair_id], levels + 1)
    return len(asked)


def _record(db: Connection, asked: Iterable[Key], person_id: str) -> None:
    """Write that these pairs were chosen and not drawn, which keeps their new labels from alpha."""
    samples.save(
        db,
        asked,
        rubric_version=rubrics.ensure(db),
        seed=0,
        detail={"second look": True},
        person_id=person_id,
    )


def _settled(db: Connection) -> set[Key]:
    return {(one.query_id, one.doc_id) for one in judgments.adjudications(db)}


def _look(db: Connection, key: Key, settled: set[Key]) -> tuple[Look, int, int]:
    """Where a pair stands, its number, and how many people gave it a level."""
    pair, query = pairs.find(db, *key), queries.get(db, key[0])
    if pair is None or query is None or query.state != QueryState.ACCEPTED:
        return Look.GONE, 0, 0
    levels = _count_levels(db, pair.pair_id)
    reasons: Mapping[Look, bool] = {
        Look.SETTLED: key in settled,
        Look.ENOUGH: levels >= MOST_RATERS,
        Look.ASKED: pair.quota > levels,
        Look.NOBODY: not pairs.someone_may_judge(db, pair.pair_id),
    }
    why = next((look for look, holds in reasons.items() if holds), Look.POSSIBLE)
    return why, pair.pair_id, levels


def _count_levels(db: Connection, pair_id: int) -> int:
    held = judgments.of_pair(db, pair_id)
    return len({one.person_id for one in held if one.level is not None and one.round != "check"})
