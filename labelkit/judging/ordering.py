"""The order in which a rater is given pairs: random for each rater, and the same every time."""

from __future__ import annotations

import hashlib
from typing import Literal

from labelkit.errors import InputError
from labelkit.model import Role
from labelkit.store import Connection, Workspace, judge_settings, judgments, now, pairs, people
from labelkit.store.pairs import PRIME, Pair

Order = Literal["together", "random"]
ORDERS: tuple[Order, ...] = ("together", "random")


def order(workspace: Workspace) -> Order:
    """The order that holds: one query's documents together unless a lead chose otherwise."""
    with workspace.reading() as db:
        return _order(db)


def set_order(workspace: Workspace, person_id: str, wanted: str) -> None:
    """Choose the order; recorded with who chose it.

    Raises InputError for an unknown order, NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    if wanted not in ORDERS:
        raise InputError(f"{wanted!r} is no order; choose {' or '.join(ORDERS)}.")
    with workspace.writing() as db:
        judge_settings.put(db, "order", wanted, person_id)


def next_pair(db: Connection, person_id: str, seed: str) -> Pair | None:
    """The next pair for this person: one that is open, else the first that they skipped."""
    found = _shuffled(db, person_id, seed) if _order(db) == "random" else None
    found = found or _together(db, person_id, seed)
    return found or next(iter(pairs.parked_by(db, person_id, now(), "skip")), None)


def _order(db: Connection) -> Order:
    return "random" if judge_settings.get(db, "order") == "random" else "together"


def _shuffled(db: Connection, person_id: str, seed: str) -> Pair | None:
    digest = _hash(seed, person_id)
    first, second = (
        int.from_bytes(part, "big") % (PRIME - 1) + 1 for part in (digest[:8], digest[8:16])
    )
    return pairs.open_by_key(db, person_id, now(), first, second)


def _together(db: Connection, person_id: str, seed: str) -> Pair | None:
    """From the rest of the query in hand, else from another query."""
    moment, last = now(), judgments.recent_of(db, person_id, 1)
    query_id = last[0].query_id if last else ""
    found = pairs.open_pairs(db, person_id, query_id, moment)
    if not found:
        waiting = pairs.open_drawn_queries(db, person_id, moment)
        waiting = waiting or pairs.open_queries(db, person_id, moment)
        if not waiting:
            return None
        query_id = min(waiting, key=lambda one: _hash(seed, person_id, one))
        found = pairs.open_pairs(db, person_id, query_id, moment)
    return min(found, key=lambda pair: _hash(seed, person_id, query_id, pair.doc_id))


def _hash(*parts: str) -> bytes:
    """A sort key that looks random and is the same every time."""
    return hashlib.sha256("\x1f".join(parts).encode()).digest()
