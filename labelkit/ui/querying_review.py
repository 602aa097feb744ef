"""Personal data on its way in: shown where it stands, and decided on query by query."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from labelkit import intake
from labelkit.errors import LabelkitError
from labelkit.intake import Decision, Incoming, Source, personal
from labelkit.store import queries
from labelkit.ui import heading, paging, querying_size, session, tables
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import Markup, draw, element, join, safe
from labelkit.wording import counted

WHAT = {
    "keep": "keep as typed",
    "mask": "mask by hand",
    "leave_out": "leave the query out",
}
AT_ONCE = 10
SHOWN = 25
_TURN = "lk_intake_turn"


def turn() -> int:
    """A number that grows when something was brought in, so that its upload is done with."""
    return int(st.session_state.get(_TURN, 0))


def is_done(field: str) -> bool:
    """Whether what was typed in a field has just come in; says so once."""
    return bool(st.session_state.pop(f"{field}_done", False))


def bring_in(
    here: Here, items: Sequence[Incoming], source: Source | None, *, typed_in: str = ""
) -> None:
    """Ask about what looks like personal data, and offer to bring the queries in.

    `typed_in` names the field to be emptied once they are.
    """
    with here.workspace.reading() as db:
        held = queries.ids(db)
    new = [one for one in items if one.query.query_id not in held]
    if len(new) < len(items):
        heading.note(f"{len(items) - len(new):,} of {len(items):,} are here already and stay.")
    if not new:
        return
    flagged = intake.flagged(new)
    decisions = _review(flagged)
    waiting = [one.query.query_id for one in flagged if one.query.query_id not in decisions]
    left_out = sum(decision.what == "leave_out" for decision in decisions.values())
    querying_size.after(here, len(new) - left_out)
    if waiting:
        heading.note(f"{counted(len(waiting), 'query')} to decide on above.")
    with st.container(horizontal=True):
        many = counted(len(new) - left_out, "query")
        go = st.button(f"Bring in {many}", type="primary", key=f"lk_bring_{turn()}")
        rest = bool(waiting) and st.button(
            f"Bring in the others, leave out the {len(waiting):,} undecided",
            key=f"lk_bring_rest_{turn()}",
        )
    if rest:
        decisions |= {query_id: Decision("leave_out") for query_id in waiting}
    if go or rest:
        _bring(here, new, decisions, source, typed_in)


def _bring(
    here: Here,
    new: Sequence[Incoming],
    decisions: dict[str, Decision],
    source: Source | None,
    typed_in: str,
) -> None:
    try:
        done = intake.bring_in(here.workspace, here.person.person_id, new, decisions, source=source)
        session.say("success", done.sentence)
        st.session_state[_TURN] = turn() + 1
        st.session_state[f"{typed_in}_done"] = True
        for held in ("columns", "file", "draw"):  # what was not drawn is not kept in memory either
            st.session_state.pop(f"lk_intake_{held}", None)
    except LabelkitError as error:
        session.say("error", str(error))
    st.rerun()


def _review(flagged: Sequence[Incoming]) -> dict[str, Decision]:
    """Ask for a decision on each flagged query; returns those made so far."""
    if not flagged:
        heading.note("Nothing in these queries looks like personal data.")
        return {}
    heading.section(
        f"Personal data: {counted(len(flagged), 'query')} to decide on",
        "Found by shape and check digits; names and addresses have none, so read the list too. "
        "What you leave out or mask never enters the workspace.",
    )
    first = paging.ask(len(flagged), AT_ONCE, "lk_review_page")
    for one in flagged[first : first + AT_ONCE]:
        _ask(one)
    found = {one.query.query_id: _decided(one) for one in flagged}
    return {query_id: decision for query_id, decision in found.items() if decision is not None}


def _key(one: Incoming, name: str) -> str:
    return f"lk_decide_{name}_{item(one.query.query_id)}"


def _ask(one: Incoming) -> None:
    with st.container(border=True):
        if "text" not in one.findings:
            draw(element("p", one.query.text, cls="lk-note", dir="auto"))
        for name, found in one.findings.items():
            kinds = element("span", personal.names(found), cls="lk-chip lk-chip-warn")
            shown = _marked(one.texts[name]) if name in one.texts else _quotes(found)
            draw(
                element(
                    "p", join(element("b", name), " ", shown, " ", kinds), cls="lk-note", dir="auto"
                )
            )
        kept = _said(_key(one, "what"))
        what = st.radio(
            "Decide",
            list(WHAT),
            index=None if kept is None else list(WHAT).index(kept),
            format_func=lambda one: WHAT.get(one, one),
            horizontal=True,
            key=_key(one, "what"),
            label_visibility="collapsed",
            # A decision on another page of the list is kept while its widget is not drawn.
            on_change=_remember,
            args=(_key(one, "what"),),
        )
        if what == "mask":
            _ask_mask(one)


def _ask_mask(one: Incoming) -> None:
    for name in one.findings:
        if name in one.texts:
            kept = _said(_key(one, name))
            st.text_input(
                f"The {name} without it",
                personal.masked(one.texts[name]) if kept is None else kept,
                key=_key(one, name),
                on_change=_remember,
                args=(_key(one, name),),
            )
    if "counted with it" in one.findings:
        heading.note("Other forms and filters that were counted with it are not kept.")


def _remember(key: str) -> None:
    st.session_state[f"{key}_kept"] = st.session_state[key]


def _said(key: str) -> str | None:
    value = st.session_state.get(key, st.session_state.get(f"{key}_kept"))
    return None if value is None else str(value)


def _decided(one: Incoming) -> Decision | None:
    what = _said(_key(one, "what"))
    if what is None:
        return None
    texts = {}
    for name in one.findings:
        if what == "mask" and name in one.texts:
            said = _said(_key(one, name))
            texts[name] = personal.masked(one.texts[name]) if said is None else said
    return Decision(what, texts)


def _marked(text: str) -> Markup:
    """A text with what was found marked in its place."""
    pieces, end = [], 0
    for found in personal.find(text):
        pieces += [safe(text[end : found.start]), element("mark", found.quote)]
        end = found.end
    return join(*pieces, text[end:])


def _quotes(found: Sequence[personal.Finding]) -> Markup:
    return join(*(element("mark", one.quote) for one in found))


def said(text: str) -> Markup:
    """A query in a table, wide enough to be read on a phone, where the table scrolls."""
    return element("span", text, style="display: inline-block; min-width: 13rem")


def preview(items: Sequence[Incoming]) -> None:
    """The queries that would come in, in pages, with what is known of them."""
    first = paging.ask(len(items), SHOWN, "lk_preview_page", what="queries drawn")
    rows = [
        (
            said(one.query.text),
            ", ".join(one.query.types),
            one.detail.get("count", ""),
            one.detail.get("stratum", one.detail.get("follow_up", "")),
            len(one.clicks) or "",
            len(one.query.turns) or "",
        )
        for one in items[first : first + SHOWN]
    ]
    columns = ("query", "types, by the rules", "searches", "stratum or rule", "clicked", "turns")
    kept = [at for at in range(len(columns)) if at < 2 or {row[at] for row in rows} - {"", "all"}]
    tables.show(
        [columns[at] for at in kept],
        [[row[at] for at in kept] for row in rows],
        label="Queries that would come in",
        numbers=[columns[at] for at in kept if columns[at] in ("searches", "clicked", "turns")],
        wide=True,
    )
