"""The people of a project and their roles."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable

from labelkit.errors import InputError, NotAllowed
from labelkit.model import Person, Role
from labelkit.store.workspace import Workspace, now


def person_id_of(name: str) -> str:
    """The id of a name: the same in every workspace, so that pseudonyms are too."""
    composed = unicodedata.normalize("NFC", name.strip().casefold())
    return re.sub(r"[\W_]+", "-", composed).strip("-")


def add(workspace: Workspace, name: str, roles: Iterable[Role | str]) -> Person:
    """Add a person, or give an existing one of that name these roles as well.

    Raises InputError for an empty name, an unknown role, or a name that reads like another's.
    """
    with workspace.writing() as db:
        return save(db, name, roles)


def save(db: sqlite3.Connection, name: str, roles: Iterable[Role | str]) -> Person:
    """The same as `add`, inside the caller's transaction."""
    wanted, known = _roles(roles), check_name(db, name)
    person_id = person_id_of(name)
    held = () if known is None else known.roles
    merged = [role.value for role in Role if role in {*held, *wanted}]
    db.execute(
        "insert into people(person_id, name, roles, added_at) values (?, ?, ?, ?) "
        "on conflict(person_id) do update set roles = excluded.roles, active = 1",
        (person_id, name.strip(), " ".join(merged), now()),
    )
    return Person(person_id, name.strip(), tuple(Role(role) for role in merged))


def check_name(db: sqlite3.Connection, name: str) -> Person | None:
    """The person who has this name already, or None where it is free.

    Raises InputError for a name without a letter or digit, or one that reads like another's.
    """
    person_id = person_id_of(name)
    if not person_id:
        raise InputError(f"{name!r} is no name: it needs at least one letter or digit.")
    row = db.execute("select * from people where person_id = ?", (person_id,)).fetchone()
    if row is not None and row["name"] != name.strip():
        raise InputError(
            f"{name.strip()!r} reads like {row['name']!r}, who is already here: "
            "choose a name that differs in more than case and punctuation."
        )
    return None if row is None else _person(row)


def set_roles(workspace: Workspace, person_id: str, roles: Iterable[Role | str]) -> None:
    """Replace a person's roles; refuses to leave the project without a lead."""
    wanted = _roles(roles)
    with workspace.writing() as db:
        changed = db.execute(
            "update people set roles = ? where person_id = ?",
            (" ".join(role.value for role in Role if role in wanted), person_id),
        )
        if changed.rowcount == 0:
            raise InputError(f"Nobody has the id {person_id!r}: reload the list.")
        _keep_a_lead(db)


def set_active(db: sqlite3.Connection, person_id: str, active: bool) -> None:
    """Let a person come in, or no longer; refuses to leave the project without a lead."""
    changed = db.execute(
        "update people set active = ? where person_id = ?", (int(active), person_id)
    )
    if changed.rowcount == 0:
        raise InputError(f"Nobody has the id {person_id!r}: reload the list.")
    _keep_a_lead(db)


def _keep_a_lead(db: sqlite3.Connection) -> None:
    leads = db.execute("select count(*) from people where active and roles like '%lead%'")
    if leads.fetchone()[0] == 0:
        raise InputError("A project keeps at least one lead: give that role to someone first.")


def shown_names(workspace: Workspace) -> dict[str, str]:
    """person_id to the name that pages show beside judgments; who left has a pseudonym there.

    Its number is the person's place in the order of joining, which nothing changes.
    """
    with workspace.reading() as db:
        rows = db.execute("select person_id, name, active from people order by added_at, person_id")
        return {
            row["person_id"]: row["name"] if row["active"] else f"Former person {place}"
            for place, row in enumerate(rows, 1)
        }


def get(workspace: Workspace, person_id: str) -> Person | None:
    """The person with this id, or None."""
    with workspace.reading() as db:
        row = db.execute("select * from people where person_id = ?", (person_id,)).fetchone()
    return None if row is None else _person(row)


def all(workspace: Workspace) -> list[Person]:
    """Everyone, by name; numbers in names count as numbers, so Rater 2 stands before Rater 10."""
    with workspace.reading() as db:
        people = [_person(row) for row in db.execute("select * from people order by name")]
    return sorted(people, key=_as_read)


def _as_read(person: Person) -> list[tuple[int, str]]:
    """A name's digits as numbers and its words as they are, alternating."""
    parts = re.split(r"([0-9]+)", person.name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def require(workspace: Workspace, person_id: str, *roles: Role) -> Person:
    """The person, if active and holding one of the roles.

    Raises NotAllowed otherwise: every verb that changes something calls this.
    """
    person = get(workspace, person_id)
    if person is None or not person.active:
        raise NotAllowed(f"Nobody with the id {person_id!r} is active in this project.")
    if not set(roles) & set(person.roles):
        needed = " or ".join(role.value for role in roles)
        raise NotAllowed(f"{person.name} is not a {needed}; a lead can change that under People.")
    return person


def _roles(roles: Iterable[Role | str]) -> set[Role]:
    try:
        return {Role(role) for role in roles}
    except ValueError as error:
        raise InputError(f"{error}: the roles are {', '.join(Role)}.") from None


def _person(row: sqlite3.Row) -> Person:
    roles = tuple(Role(role) for role in row["roles"].split())
    return Person(row["person_id"], row["name"], roles, bool(row["active"]))
