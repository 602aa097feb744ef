"""Bringing queries in: all of a draw in one transaction, each with where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labelkit.intake import clicks
from labelkit.intake.incoming import Decisions, Incoming, decided, folded
from labelkit.model import Role
from labelkit.store import Connection, Workspace, documents, intake, pairs, people, queries
from labelkit.store import query_history as history
from labelkit.wording import counted


@dataclass(frozen=True, slots=True)
class Source:
    """The draw that queries come from: kind, file, its hash, the settings, what it held."""

    kind: str
    file: str
    sha256: str
    settings: Mapping[str, Any]
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of the queries: added, here already (whatever their state), left out, masked.

    `pairs` were proposed for judging, by clicks or because a person named the document wanted.
    """

    added: tuple[str, ...]
    here: int
    left_out: int
    masked: int
    pairs: int

    @property
    def sentence(self) -> str:
        """The report in words."""
        if not self.added:
            return f"Nothing changed: {counted(self.here, 'query')} here already" + (
                f", {self.left_out} left out." if self.left_out else "."
            )
        parts = [f"{counted(len(self.added), 'query')} added"]
        parts += [f"{self.here} here already"] if self.here else []
        parts += [f"{self.masked} of them masked"] if self.masked else []
        parts += [f"{self.left_out} left out for personal data"] if self.left_out else []
        parts += [f"{counted(self.pairs, 'pair')} proposed for judging"] if self.pairs else []
        return ", ".join(parts) + "."


def bring_in(
    workspace: Workspace,
    person_id: str,
    items: Sequence[Incoming],
    decisions: Decisions | None = None,
    *,
    source: Source | None = None,
) -> Brought:
    """Add queries as accepted, all of them or none; those that are here already stay as they are.

    The same draw again changes nothing. Raises InputError while a finding of personal data waits
    for a decision, NotAllowed where the person is not a lead.
    """
    people.require(workspace, person_id, Role.LEAD)
    given = decisions or {}
    looked = [(one, decided(one, given.get(one.query.query_id))) for one in items]
    kept = folded(after for _, after in looked if after is not None)
    left_out = sum(after is None for _, after in looked)
    with workspace.writing() as db:
        held = queries.ids(db)
        new = [one for one in kept if one.query.query_id not in held]
        masked = sum("masked" in one.detail for one in new)
        draw_id = _record(db, person_id, source, len(new), left_out, masked) if new else None
        queries.save(db, [one.query for one in new])
        for one in new:
            _keep_origin(db, person_id, one, draw_id)
        proposed = _wanted(db, new) + (clicks.propose_in(db) if draw_id is not None else 0)
    here = len(looked) - left_out - len(new)
    return Brought(tuple(one.query.query_id for one in new), here, left_out, masked, proposed)


def _record(
    db: Connection,
    person_id: str,
    source: Source | None,
    added: int,
    left_out: int,
    masked: int,
) -> int | None:
    if source is None:
        return None
    outcome = {"added": added, "left_out": left_out, "masked": masked}
    return intake.add_draw(
        db,
        source.kind,
        (source.file, source.sha256),
        source.settings,
        {**source.detail, **outcome},
        person_id,
    )


def _keep_origin(db: Connection, person_id: str, one: Incoming, draw_id: int | None) -> None:
    query_id = one.query.query_id
    intake.add_origin(db, query_id, draw_id, one.detail, person_id)
    history.note(db, query_id, person_id, "added", _from(one))
    if "masked" in one.detail:
        history.note(db, query_id, person_id, "masked by hand", str(one.detail["masked"]))
    elif one.findings:
        names = sorted({found.name for place in one.findings.values() for found in place})
        history.note(db, query_id, person_id, "kept as typed", ", ".join(names))
    if draw_id is not None:
        intake.add_clicks(db, draw_id, [(query_id, doc, n) for doc, n in one.clicks.items()])


def _from(one: Incoming) -> str:
    """Where it came from, in a few words; the file's name is kept with the draw alone."""
    count = one.detail.get("count")
    searches = f", {counted(count, 'search', 'searches')}" if isinstance(count, int) else ""
    note = f": {one.detail['note']}" if one.detail.get("note") else ""
    return f"{one.query.source.value}{searches}{note}"


def _wanted(db: Connection, new: Sequence[Incoming]) -> int:
    """Pool the document that a person named as the one a miss should have found."""
    here = documents.ids(db) if any("expected" in one.detail for one in new) else set()
    keys = [(one.query.query_id, str(one.detail.get("expected"))) for one in new]
    return pairs.add(db, [key for key in keys if key[1] in here], "hand")
