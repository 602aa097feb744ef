"""Find a document by hand, in a dialog over the page: search as one types, add to the pool.

A dialog takes no room on the page, so that nothing on it moves and nothing typed there is lost.
"""

from __future__ import annotations

import streamlit as st

from labelkit import jobs
from labelkit.judging import finding
from labelkit.judging.finding import Found
from labelkit.model import Query
from labelkit.ui import notice, text, work
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.scripts import script
from labelkit.ui.text import plain

KEY = "f"
PAUSE = "300ms"
"""How long a person stops typing before the search is asked."""
PASSAGE = 260
"""Characters of a document shown with its title."""
READ = 20_000
"""Characters of a document in which the words are looked for to choose what is shown."""

_OPEN = "lk_finding_open"

_keys = st.components.v2.component("labelkit_dialog", js=script("dialog"))


def panel(here: Here, query: Query) -> None:
    """Draw the button, which the key f presses too, and the dialog while it is open.

    Call it once a run, at a place that is always drawn; it needs no slot.
    """
    if st.button("Find a document", key="lk_find", type="tertiary", shortcut=KEY):
        st.session_state[_OPEN] = None if is_open() else query.query_id
    # Kept with its query, so that it does not stay open over the next one.
    if st.session_state.get(_OPEN) == query.query_id:
        st.dialog("Find a document", width="large", on_dismiss=_close)(_search)(here, query)
    else:
        _close()


def is_open() -> bool:
    """Whether the dialog is on screen; no other can be opened then."""
    return st.session_state.get(_OPEN) is not None


def _close() -> None:
    st.session_state[_OPEN] = None


def _search(here: Here, query: Query) -> None:
    text.show(f"for “{query.text}”", "lk-small")
    this = item(query.query_id)
    field = f"lk_find_words_{this}"
    words = st.text_input("Words of the document", key=field, type="search", live=PAUSE)
    _keys(key="lk_keep_dialog", data={"field": field, "closes": KEY}, height=1)
    told, state = st.empty(), st.empty()
    with state.container():
        _index(here)
    found = finding.find(here.workspace, here.person.person_id, query.query_id, words or "")
    for one in found:
        with st.container(gap="xxsmall"):
            _result(here, query, one, words or "", told)
    if words and not found:
        st.caption("Nothing fits these words.")


def _index(here: Here) -> None:
    """Say that titles alone are searched, and see to it that the index is being built."""
    if finding.is_ready(here.workspace):
        return
    st.caption("Searching titles only until the index is ready.")
    newest = next(iter(jobs.list_jobs(here.workspace, "find")), None)
    if newest is not None and newest.state == "failed":
        work.last_failure(here.workspace, "find")
        if not st.button("Build the index again", key="lk_find_again", type="tertiary"):
            return
    elif newest is not None and not newest.ended:
        return
    jobs.start(here.workspace, "find", {})


def _result(
    here: Here, query: Query, one: Found, words: str, told: st.delta_generator.DeltaGenerator
) -> None:
    terms = text.query_terms(words)
    st.html(
        f'<div class="lk-small" dir="auto"><b>{text.marked(one.title, terms)}</b><br>'
        f"{text.marked(_passage(one.text, words), terms)}</div>"
    )
    label = f"Add “{one.title[:50]}” to this query"
    key = f"lk_find_add_{item(query.query_id, one.doc_id)}"
    if st.button(plain(label), key=key, type="tertiary", icon=":material/add:"):
        added = finding.add_by_hand(
            here.workspace, here.person.person_id, query.query_id, one.doc_id
        )
        said = (
            f"“{one.title}” is added: it comes up to be judged like any other."
            if added.new
            else f"“{one.title}” is among this query's documents already."
        )
        notice.show("success" if added.new else "info", said, told)


def _passage(whole: str, words: str) -> str:
    """The part of a document in which most of the words stand, cut at spaces."""
    terms = text.query_terms(words)
    places = [match.start() for match in terms.finditer(whole[:READ])] if terms else []
    if not places:
        return _cut(whole, 0)
    best = max(places, key=lambda at: (sum(at <= one < at + PASSAGE for one in places), -at))
    return _cut(whole, max(0, min(best - PASSAGE // 6, len(whole) - PASSAGE)))


def _cut(whole: str, start: int) -> str:
    end = min(len(whole), start + PASSAGE)
    if start:
        space = whole.find(" ", start, start + 30)
        start = space + 1 if space >= 0 else start
    return f"{'… ' if start else ''}{whole[start:end].strip()}{' …' if end < len(whole) else ''}"
