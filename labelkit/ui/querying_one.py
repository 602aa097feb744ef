"""One query: where it came from, its types and why, its rewritten form, its state, its history."""

from __future__ import annotations

from typing import Any

import streamlit as st

from labelkit import intake
from labelkit.errors import LabelkitError
from labelkit.intake import RETIREMENTS, TYPES
from labelkit.model import Query, QueryState
from labelkit.store import intake as origins
from labelkit.store import queries
from labelkit.ui import clock, heading, notice, session, tables, text
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element

DATE_BOUND = (
    "Date-bound: it asks for a time, so it tests a filter rather than an encoder. Keep it in a "
    "slice of its own, or retire it."
)


def show(here: Here, query_id: str) -> None:
    """Draw a query with all that is known of it and all that can be done to it."""
    with here.workspace.reading() as db:
        query = queries.get(db, query_id)
        origin = origins.origin(db, query_id)
        clicked = origins.count_clicked(db, query_id)
    if query is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _what(query)
        _from(query, origin, clicked)
        _history(here, query_id)
    with right:
        _types(here, query)
        if query.turns:
            _rewritten(here, query)
        _state(here, query)


def _what(query: Query) -> None:
    text.show_turns(query.turns)
    draw(element("h2", query.text, cls="lk-query", dir="auto"))
    about = [query.query_id, query.source.value, query.language, *query.tags, query.provenance]
    heading.note(" · ".join(filter(None, about)))
    if query.information_need:
        text.show(f"Need: {query.information_need}", "lk-small")
    if query.drafted_text is not None:
        text.show(f"As drafted: {query.drafted_text}", "lk-small")


def _from(query: Query, origin: dict[str, Any], clicked: tuple[int, int]) -> None:
    facts = [
        (name, f"{value:,}" if isinstance(value, int) else str(value))
        for name, value in (
            ("searches", origin.get("count")),
            ("sessions", origin.get("sessions")),
            ("stratum", str(origin.get("stratum", "")).removeprefix("all")),
            ("first", str(origin.get("first", ""))[:10]),
            ("last", str(origin.get("last", ""))[:10]),
            ("turn", origin.get("turn")),
            ("masked", origin.get("masked")),
        )
        if value
    ]
    if clicked[0]:
        facts.append(("documents opened", f"{clicked[0]}, {clicked[1]} in the pool"))
    if facts:
        tables.facts(facts, label="Where it came from")
    for name in ("note", "link", "expected"):
        if origin.get(name):
            text.show(f"{name.capitalize()}: {origin[name]}", "lk-small")
    counted = [
        (what, form, number)
        for key, what in (("forms", "typed as"), ("filters", "filter"))
        for form, number in sorted(origin.get(key, {}).items(), key=lambda one: -one[1])
        if form != query.text or key == "filters"
    ]
    if counted:
        tables.show(
            ("counted with it", "", "times"), counted, label="Counted with it", numbers=("times",)
        )


def _history(here: Here, query_id: str) -> None:
    rows = [
        (
            f"{clock.day(event.at)} {clock.time_of_day(event.at)[:5]}",
            event.person,
            event.action,
            event.detail,
        )
        for event in intake.history(here.workspace, query_id)
    ]
    heading.section("History")
    tables.show(("when", "who", "what", ""), rows, label="History of the query")


def _types(here: Here, query: Query) -> None:
    heading.section("Types")
    found = intake.suggest(query.text, query.turns)
    chosen = st.multiselect(
        "Types of this query",
        list(TYPES),
        default=[one for one in query.types if one in TYPES],
        key=f"lk_types_{item(query.query_id)}",
        placeholder="none set" if not query.types_by else "none of them",
        label_visibility="collapsed",
    )
    by = {"rule": "set by a rule", "person": "set by a person"}.get(query.types_by, "not set yet")
    heading.note(f"{by.capitalize()}. What the rules say:")
    text.show_list(one.sentence for one in found)
    if "date-bound" in chosen:
        notice.show("info", DATE_BOUND)
    if st.button("Save types", key=f"lk_save_types_{item(query.query_id)}"):
        _do(
            lambda: intake.set_types(here.workspace, here.person.person_id, query.query_id, chosen),
            f"Types of {query.query_id}: {', '.join(chosen) or 'none'}.",
        )


def _rewritten(here: Here, query: Query) -> None:
    heading.section("Rewritten to stand alone")
    said = st.text_area(
        "The query as it would be typed without the earlier turns",
        query.rewritten_text or "",
        key=f"lk_rewritten_{item(query.query_id)}_{item(query.rewritten_text or '')}",
        placeholder="not rewritten yet",
        height=68,
    )
    by = f"By {query.rewritten_by}. " if query.rewritten_by else ""
    heading.note(
        f'{by}A candidate with turns = "rewritten" searches with it; raters see what the user '
        "typed, with its turns."
    )
    if st.button("Save the rewritten form", key=f"lk_save_rewritten_{item(query.query_id)}"):
        _do(
            lambda: intake.set_rewritten(
                here.workspace, here.person.person_id, query.query_id, said or ""
            ),
            f"{query.query_id}: the rewritten form is saved.",
        )


def _state(here: Here, query: Query) -> None:
    if query.state is QueryState.ACCEPTED:
        _retire(here, query)
    elif query.state in (QueryState.RETIRED, QueryState.REJECTED):
        _restore(here, query)
    else:
        heading.section("State")
        heading.note("A draft: accept or reject it on the page Review queries.")


def _retire(here: Here, query: Query) -> None:
    heading.section("Retire", "It leaves queues and releases; nothing is deleted.")
    with st.form(f"lk_retire_{item(query.query_id)}", border=False):
        cause = st.selectbox(
            "Why",
            list(RETIREMENTS),
            index=None,
            format_func=lambda one: RETIREMENTS.get(one, one),
            placeholder="choose a reason",
        )
        note = st.text_input("Note", placeholder="such as the query that it repeats")
        sent = st.form_submit_button("Retire")
    if sent:
        _do(
            lambda: intake.retire(
                here.workspace,
                here.person.person_id,
                [query.query_id],
                cause=cause or "",
                note=note or "",
            ),
            f"Retired {query.query_id}.",
        )


def _restore(here: Here, query: Query) -> None:
    to = "accepted" if query.state is QueryState.RETIRED else "a draft"
    heading.section(query.state.value.capitalize(), query.note or "without a note")
    if st.button(f"Restore as {to}", key=f"lk_restore_{item(query.query_id)}"):
        _do(
            lambda: intake.restore(here.workspace, here.person.person_id, [query.query_id]),
            f"Restored {query.query_id} as {to}.",
        )


def _do(act: Any, done: str) -> None:
    """Call a verb and say what came of it; a refusal is said as well, and nothing is lost."""
    try:
        act()
        session.say("success", done)
    except LabelkitError as error:
        session.say("error", str(error))
    st.rerun()
