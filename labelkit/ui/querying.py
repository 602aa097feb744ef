"""The list of queries: filtered, in pages, and one of them opened."""

from __future__ import annotations

import streamlit as st

from labelkit import intake
from labelkit.model import Query, QuerySource, QueryState
from labelkit.store import query_history, query_list
from labelkit.store.query_list import QueryFilter, QueryPage
from labelkit.ui import address, heading, paging, querying_one, querying_review, session, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import element
from labelkit.wording import counted

PAGE = 25
SHORT = 160
VIEWS = {
    "list": "The list",
    "log": "From a log",
    "conversations": "From conversations",
    "misses": "Production misses",
    "by-hand": "By hand",
}


def ask_view() -> str:
    """Ask whether to look at what is here or to add to it; the address keeps the answer."""
    return address.pick(
        "Look at the queries, or add to them",
        list(VIEWS),
        "view",
        format_func=lambda one: VIEWS[one],
        label_visibility="collapsed",
    )


def show(here: Here) -> None:
    """Draw the filters, the queries they find, and the one that is opened."""
    wanted = _ask_filter(here)
    with here.workspace.reading() as db:
        page = query_list.find(db, wanted, limit=PAGE)
        untyped = len(query_history.untyped(db))
    before = paging.ask(page.total, PAGE, "lk_list_page", what="queries")
    if before:
        with here.workspace.reading() as db:
            page = query_list.find(db, wanted, limit=PAGE, offset=before)
    if untyped:
        _offer_types(here, untyped)
    if page.total:
        _table(page)
    else:
        _nothing(wanted)
    opened = _choose(here, page)
    if opened is not None:
        querying_one.show(here, opened)


def _ask_filter(here: Here) -> QueryFilter:
    with here.workspace.reading() as db:
        languages = query_list.languages(db)
    stated = len(languages) > 1
    words, state, source, kind, *more = st.columns(5 if stated else 4)
    return QueryFilter(
        words=words.text_input("Words in it, or its id", key="lk_words") or "",
        states=state.multiselect(
            "State",
            [one.value for one in QueryState],
            default=[QueryState.ACCEPTED.value],
            key="lk_states",
            placeholder="any",
        ),
        sources=source.multiselect(
            "Source", [one.value for one in QuerySource], key="lk_sources", placeholder="any"
        ),
        types=kind.multiselect(
            "Type",
            [*intake.TYPES, ""],
            format_func=lambda one: one or "none set",
            key="lk_types",
            placeholder="any",
        ),
        languages=more[0].multiselect(
            "Language",
            languages,
            format_func=lambda one: one or "not stated",
            key="lk_languages",
            placeholder="any",
        )
        if stated
        else (),
    )


def _offer_types(here: Here, untyped: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(f"Suggest types for {untyped:,} without", key="lk_suggest_types")
        heading.note("Plain rules; each query says below which of them fired. Edit what is wrong.")
    if pressed:
        number = intake.suggest_missing(here.workspace, here.person.person_id)
        session.say(
            "success", f"{counted(number, 'query has', 'queries have')} types by the rules now."
        )
        st.rerun()


def _nothing(wanted: QueryFilter) -> None:
    if wanted == QueryFilter(states=[QueryState.ACCEPTED.value]):
        heading.nothing_yet(
            "No query is accepted yet. Draw them from a search log or conversations above, paste "
            "what failed in production, import a file, or let a model draft some.",
            "import",
            "Import a file of queries",
        )
    else:
        heading.note("No query passes these filters.")


def _table(page: QueryPage) -> None:
    columns = ("query", "id", "types", "source", "state", "language")
    spoken = any(query.language for query in page.queries)
    tables.show(
        columns if spoken else columns[:-1],
        [
            (
                querying_review.said(short(query.text)),
                element("span", query.query_id, cls="lk-keep"),
                types_in_words(query),
                query.source.value,
                query.state.value,
                *((query.language,) if spoken else ()),
            )
            for query in page.queries
        ],
        label="Queries",
        wide=True,
    )


def _choose(here: Here, page: QueryPage) -> str | None:
    """Ask for one query of the page; a link can open any, and what is open stays open."""
    names = {query.query_id: query.text for query in page.queries}
    asked = st.query_params.get("query")
    if asked is not None and asked not in names:
        with here.workspace.reading() as db:
            found = query_list.find(db, QueryFilter(words=asked), limit=PAGE).queries
        names = {one.query_id: one.text for one in found if one.query_id == asked} | names
    if not names:
        return None
    return address.choose(
        "Look at",
        list(names),
        "query",
        format_func=lambda one: f"{one}: {short(names.get(one, ''), 80)}",
        width=720,
    )


def types_in_words(query: Query) -> str:
    """The types of a query, and that they are a rule's where nobody has looked at them."""
    said = ", ".join(query.types)
    return f"{said} (rule)" if said and query.types_by == "rule" else said


def short(text: str, most: int = SHORT) -> str:
    """The beginning of a text for a table, on one line; it is cut here and only here."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]} …"
