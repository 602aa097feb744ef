"""A query on its way in: looked through for personal data, which a person decides about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labelkit.errors import InputError
from labelkit.intake import personal, query_types
from labelkit.intake.normal import id_of, normalised
from labelkit.intake.personal import Finding
from labelkit.model import Query, QuerySource, Turn

KEEP, MASK, LEAVE_OUT = "keep", "mask", "leave_out"
WHAT = (KEEP, MASK, LEAVE_OUT)
KINDS = {
    QuerySource.LOG: "log",
    QuerySource.CONVERSATION: "conv",
    QuerySource.FAILURE: "miss",
    QuerySource.MANUAL: "man",
}


@dataclass(frozen=True, slots=True)
class Incoming:
    """A query that could be brought in, with what is known of where it came from.

    `detail` is kept beside the query: counts, forms, filters, note, link. `clicks` count the
    documents that users opened; they propose pairs for judging and are never a judgment.
    """

    query: Query
    detail: Mapping[str, Any] = field(default_factory=dict)
    clicks: Mapping[str, int] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        """What a person can edit where it holds personal data, by name."""
        turns = {f"turn {n}": turn.text for n, turn in enumerate(self.query.turns, 1)}
        return {
            "text": self.query.text,
            **turns,
            "need": self.query.information_need,
            "note": str(self.detail.get("note", "")),
            "link": str(self.detail.get("link", "")),
        }

    @property
    def beside(self) -> tuple[str, ...]:
        """What was counted with the query: other forms of it, filters."""
        return (*self.detail.get("forms", ()), *self.detail.get("filters", ()))

    @property
    def findings(self) -> dict[str, tuple[Finding, ...]]:
        """What looks like personal data, by the name of the text it stands in."""
        looked = {name: personal.find(text) for name, text in self.texts.items()}
        looked["counted with it"] = tuple(
            one for text in self.beside if text != self.query.text for one in personal.find(text)
        )
        return {name: found for name, found in looked.items() if found}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a query with personal data in it.

    "keep" takes it as it is; "mask" puts `texts` (by name, edited by hand) in place of what was
    typed; "leave_out" brings nothing of it in.
    """

    what: str
    texts: Mapping[str, str] = field(default_factory=dict)


Decisions = Mapping[str, Decision]
"""The decisions by query id, as the query came in."""


def incoming(
    text: str,
    source: QuerySource,
    *,
    turns: Sequence[Turn] = (),
    need: str = "",
    language: str = "",
    types: Sequence[str] | None = None,
    detail: Mapping[str, Any] | None = None,
    clicks: Mapping[str, int] | None = None,
) -> Incoming:
    """A query with the id that its words give it, and the types that the rules suggest.

    Types that a person chose count as theirs.
    """
    suggested = [one.type for one in query_types.suggest(text, turns)]
    query = Query(
        query_id=query_id(text, source, turns),
        text=text,
        source=source,
        turns=tuple(turns),
        information_need=need,
        language=language,
        types=query_types.check(suggested if types is None else types),
        types_by="rule" if types is None else "person",
    )
    return Incoming(query, detail or {}, clicks or {})


def query_id(text: str, source: QuerySource, turns: Sequence[Turn]) -> str:
    """The same query in the same conversation has the same id, in whatever file it comes."""
    before = [part for turn in turns for part in (turn.role, normalised(turn.text))]
    return id_of(KINDS[source], normalised(text), *before)


def folded(items: Iterable[Incoming]) -> list[Incoming]:
    """Each query once, the first of its kind."""
    return list({one.query.query_id: one for one in reversed(list(items))}.values())[::-1]


def flagged(items: Iterable[Incoming]) -> list[Incoming]:
    """Those in which something looks like personal data."""
    return [one for one in items if one.findings]


def decided(one: Incoming, decision: Decision | None) -> Incoming | None:
    """The query as it was decided to come in, or None where it is left out.

    Raises InputError where a finding waits for a decision, or a mask still holds one.
    """
    if not one.findings or (decision is not None and decision.what == KEEP):
        return one
    if decision is None or decision.what not in WHAT:
        raise InputError(
            f"{one.query.query_id} holds what looks like personal data ({_names(one)}): decide "
            "whether to keep it, to mask it, or to leave the query out."
        )
    return None if decision.what == LEAVE_OUT else _masked(one, decision.texts)


def _names(one: Incoming) -> str:
    return personal.names(found for place in one.findings.values() for found in place)


def _masked(one: Incoming, edited: Mapping[str, str]) -> Incoming:
    texts = {**one.texts, **edited}
    if not texts["text"].strip():
        raise InputError(
            f"{one.query.query_id}: the masked query is empty; write what is left of it, or "
            "leave it out."
        )
    for name, text in texts.items():
        left = personal.find(text)
        if left:
            raise InputError(
                f"{one.query.query_id}: the {name} as edited still holds “{left[0].quote}”, which "
                f"looks like personal data ({left[0].name}); edit it, or decide to keep the query."
            )
    return _with_texts(one, texts)


def _with_texts(one: Incoming, texts: Mapping[str, str]) -> Incoming:
    """The edited query: its id and types come from the new words, since the old ones would tell
    what was masked, and what was counted with it goes."""
    turns = tuple(Turn(turn.role, texts[f"turn {n}"]) for n, turn in enumerate(one.query.turns, 1))
    new = incoming(
        texts["text"],
        one.query.source,
        turns=turns,
        need=texts["need"],
        language=one.query.language,
        types=one.query.types if one.query.types_by == "person" else None,
    ).query
    kept = {k: v for k, v in one.detail.items() if k not in ("forms", "filters")}
    kept |= {name: texts[name] for name in ("note", "link") if one.detail.get(name)}
    return replace(one, query=new, detail={**kept, "masked": _names(one)})
