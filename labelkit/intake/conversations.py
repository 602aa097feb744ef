"""Conversations: the query is a turn of the user, and the turns before it come along."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelkit.errors import InputError
from labelkit.formats.options import ReadOptions
from labelkit.formats.tables import Problem, Row
from labelkit.intake import columns, follow_ups
from labelkit.intake.columns import Headers, Unreadable
from labelkit.intake.follow_ups import Lean
from labelkit.intake.incoming import Incoming, folded, incoming
from labelkit.intake.normal import id_of
from labelkit.model import QuerySource, Turn

NAMES: columns.Names = {
    "conversation": (
        "conversation", "conversation_id", "session", "session_id", "thread", "thread_id",
        "ticket", "ticket_id", "chat_id", "id", "_id",
    ),
    "role": ("role", "speaker", "author", "from", "sender"),
    "text": ("text", "content", "message", "body", "utterance"),
    "turn": ("turn", "turn_id", "turn_number", "position", "index"),
    "turns": ("turns", "messages", "dialog", "dialogue"),
    "language": ("language", "lang", "locale"),
}  # fmt: skip
"""Either a row a turn (conversation, role, text, and turn where rows are not in order), or a row
a conversation (turns: a list of role with text or content)."""

CHOICES = {
    "follow-ups": "the user's turns that lean on earlier ones",
    "last": "the last turn of the user in each conversation",
    "all": "every turn of the user",
}


@dataclass(frozen=True, slots=True)
class UserTurn:
    """A turn of the user that could be a query: the turns before it, and why it leans on them."""

    conversation: str
    number: int
    of: int
    text: str
    earlier: tuple[Turn, ...]
    lean: Lean | None
    language: str

    @property
    def is_last(self) -> bool:
        """Whether no later turn of the user follows."""
        return self.number == self.of


@dataclass(frozen=True, slots=True)
class Conversations:
    """A file of conversations as it was read; `empty` turns had no text."""

    file: str
    sha256: str
    conversations: int
    turns: int
    empty: int
    user_turns: tuple[UserTurn, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    line: int
    turn: Turn
    place: int | None
    language: str


def read_conversations(
    file: str,
    data: bytes,
    *,
    headers: Headers | None = None,
    user_role: str = "",
    options: ReadOptions = columns.AS_DETECTED,
) -> Conversations:
    """Read conversations; nothing is written.

    `user_role` names the role that is the user's where the file calls it something else. Raises
    InputError for a file that cannot be read, lacks a column, or in which no turn is the user's.
    """
    columns.refuse_larger(file, len(data))
    opened = columns.opened(file, data, options)
    headers = columns.match(NAMES, columns.of(opened)) if headers is None else headers
    whole = "turns" in headers
    columns.require(opened, NAMES, headers, *(() if whole else ("conversation", "role", "text")))
    held: dict[str, list[_Said]] = {}
    problems = []
    for row in opened.rows():
        try:
            if isinstance(row, Problem):
                problems.append(row)
            else:
                _read(row, headers, held)
        except Unreadable as error:
            problems.append(Problem(row.line, error.column, error.message))
    said = [one for turns in held.values() for one in turns]
    user = _user_roles(file, said, user_role)
    found = [turn for name, turns in held.items() for turn in _user_turns(name, turns, user)]
    return Conversations(
        file,
        hashlib.sha256(data).hexdigest(),
        len(held),
        len(said),
        sum(not one.turn.text.strip() for one in said),
        tuple(found),
        tuple(sorted(problems, key=lambda one: one.line)),
    )


def choose(
    read: Conversations, which: str, *, size: int | None = None, seed: int = 0
) -> list[Incoming]:
    """The queries that a choice of turns gives, each once; at most `size`, drawn by the seed.

    Raises InputError for an unknown choice.
    """
    if which not in CHOICES:
        raise InputError(f"{which!r} is no choice of turns; choose from {', '.join(CHOICES)}.")
    taken = [
        turn
        for turn in read.user_turns
        if which == "all" or (turn.is_last if which == "last" else turn.lean is not None)
    ]
    found = folded(map(_incoming, taken))
    if size is None or size >= len(found):
        return found
    drawn = sorted(found, key=lambda one: id_of("", str(seed), one.query.query_id))[:size]
    kept = {one.query.query_id for one in drawn}
    return [one for one in found if one.query.query_id in kept]


def _incoming(turn: UserTurn) -> Incoming:
    lean = {} if turn.lean is None else {"follow_up": turn.lean.sentence}
    return incoming(
        turn.text,
        QuerySource.CONVERSATION,
        turns=turn.earlier,
        language=turn.language,
        detail={"turn": turn.number, "of": turn.of, **lean},
    )


def _read(row: Row, headers: Headers, held: dict[str, list[_Said]]) -> None:
    language = columns.text(row.values, headers, "language")
    if "turns" in headers:
        name = columns.text(row.values, headers, "conversation") or f"line {row.line}"
        listed = columns.listed(row.values, headers, "turns")
        turns = [_turn(one, headers["turns"]) for one in listed]
        held.setdefault(name, []).extend(_Said(row.line, one, None, language) for one in turns)
        return
    name = columns.text(row.values, headers, "conversation")
    role = columns.text(row.values, headers, "role").strip()
    for said, header in ((name, "conversation"), (role, "role")):
        if not said:
            raise Unreadable(headers[header], f"a turn needs its {header}")
    turn = Turn(role, columns.text(row.values, headers, "text"))
    held.setdefault(name, []).append(_Said(row.line, turn, _place(row, headers), language))


def _turn(value: Any, header: str) -> Turn:
    said = value.get("text", value.get("content")) if isinstance(value, Mapping) else None
    role = value.get("role") if isinstance(value, Mapping) else None
    if not isinstance(said, str) or not isinstance(role, str) or not role.strip():
        raise Unreadable(header, 'turns are a list of {"role": …, "text": …} (or "content")')
    return Turn(role.strip(), said)


def _place(row: Row, headers: Headers) -> int | None:
    if "turn" not in headers:
        return None
    value = str(row.values.get(headers["turn"], "")).strip()
    if not value.isascii() or not value.isdigit():
        raise Unreadable(headers["turn"], f"{value!r} is no number of a turn")
    return int(value)


def _user_roles(file: str, said: Sequence[_Said], named: str) -> frozenset[str]:
    """The roles that are the user's; raises InputError where no turn has one."""
    there = {one.turn.role for one in said}
    user = {role for role in there if (role == named if named else follow_ups.is_user(role))}
    if said and not user:
        raise InputError(
            f"no turn is the user's: the roles are {', '.join(sorted(map(repr, there)))}. Say "
            "which of them is the user.",
            file=file,
        )
    return frozenset(user)


def _user_turns(name: str, held: Sequence[_Said], user: frozenset[str]) -> list[UserTurn]:
    """The user's turns with text; the role of each is written as "user" from here on."""
    ordered = sorted(held, key=lambda one: one.place or 0)  # stable: rows stay in their order
    spoken = [one for one in ordered if one.turn.text.strip()]
    turns = [Turn("user", o.turn.text) if o.turn.role in user else o.turn for o in spoken]
    places = [at for at, one in enumerate(spoken) if one.turn.role in user]
    return [
        UserTurn(
            name,
            number,
            len(places),
            turns[at].text,
            tuple(turns[:at]),
            follow_ups.leaning(turns[at].text, turns[:at]),
            spoken[at].language,
        )
        for number, at in enumerate(places, 1)
    ]
