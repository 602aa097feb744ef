"""Who is sitting there. In local mode: a person picked from a list, and nobody checks."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import quote, unquote

import streamlit as st

from labelkit.errors import LabelkitError
from labelkit.model import Person, Role
from labelkit.store import Workspace, people
from labelkit.ui import notice, session
from labelkit.ui.text import plain

_STATIC = Path(__file__).parent / "static"
_browser = st.components.v2.component(
    "labelkit_session", js=(_STATIC / "session.js").read_text(encoding="utf-8")
)


def workspace_tag(workspace: Workspace) -> str:
    """A short name for this workspace in the browser, where all ports of a host share cookies."""
    return hashlib.sha256(str(workspace.path).encode()).hexdigest()[:10]


def current(workspace: Workspace) -> Person | None:
    """The person of this session, else the one the browser's cookie names, if still active.

    Roles are read from the store on every run: a cookie says who, never what they may do.
    """
    person = _named(workspace)
    return person if person is not None and person.active else None


def _named(workspace: Workspace) -> Person | None:
    person_id = st.session_state.get(session.PERSON)
    if person_id is None:
        person_id = unquote(st.context.cookies.get(_cookie(workspace), ""))
    return people.get(workspace, person_id) if person_id else None


def remember(workspace: Workspace, person: Person | None) -> None:
    """Keep the person's name in the browser, or forget it after signing out.

    The same component asks for the run that Streamlit leaves out after a reconnect.
    """
    signed_out = st.session_state.get(session.PERSON) == ""
    name = quote(person.person_id, safe="") if person else "" if signed_out else None
    _browser(
        key="lk_session",
        data={"cookie": _cookie(workspace), "person": name, "drafts": workspace_tag(workspace)},
        height=1,
        on_reconnected_change=lambda: None,
    )


def sign_in(workspace: Workspace) -> None:
    """Ask who is there: one button a person, and a field for somebody new."""
    st.title(workspace.name, anchor=False)
    everyone = [person for person in people.all(workspace) if person.active]
    gone = _named(workspace)
    if gone is not None:  # an active one would not be asked
        notice.show("info", _left(gone))
    if everyone:
        st.write("Who are you?")
        _pick(everyone)
    _join(workspace, first=not everyone)
    st.caption(
        "Local, not authenticated: anyone who can open this page can pick any name. "
        "Your judgments are kept under it."
    )


def _left(person: Person) -> str:
    return (
        f"A lead took {person.name} off the list. What was saved stays; pairs that were open were "
        "given back. A lead can put the name back on the People page."
    )


def sign_out() -> None:
    """Forget the person in this session; the browser forgets with the next run."""
    st.session_state[session.PERSON] = ""


def _pick(everyone: list[Person]) -> None:
    with st.container(horizontal=True):
        for person in everyone:
            if st.button(plain(person.name), key=f"lk_pick_{person.person_id}"):
                _become(person)


def _join(workspace: Workspace, *, first: bool) -> None:
    if first:
        st.write("Nobody is here yet. The first person leads the project and may do everything.")
    with st.form("lk_join", border=False):
        name = st.text_input("Your name" if first else "Somebody new", key="lk_join_name")
        sent = st.form_submit_button("Begin" if first else "Add me as a rater")
    if sent:
        try:
            held = None if first else people.get(workspace, people.person_id_of(name))
            if held is not None:
                above = f"{name.strip()} is in the list above: pick that name."
                notice.show("warning", above if held.active else _left(held))
                return
            person = people.add(workspace, name, tuple(Role) if first else (Role.RATER,))
        except LabelkitError as error:
            notice.show("error", str(error))
            return
        _become(person)


def _become(person: Person) -> None:
    st.session_state[session.PERSON] = person.person_id
    st.rerun()


def _cookie(workspace: Workspace) -> str:
    return f"labelkit_{workspace_tag(workspace)}"
