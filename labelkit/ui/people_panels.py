"""One person on the People page: roles, leaving, coming back."""

from __future__ import annotations

import streamlit as st

from labelkit import judging
from labelkit.model import Person, Role
from labelkit.store import people
from labelkit.ui import heading, session, text
from labelkit.ui.frame import Here
from labelkit.ui.text import plain
from labelkit.wording import counted

_ASKED = "lk_leaving"


def here_now(here: Here, person: Person) -> None:
    """Somebody active: the roles they hold, and the way out."""
    with st.form(f"roles_{person.person_id}", border=False):
        name, held, save = st.columns([3, 5, 2], vertical_alignment="center")
        with name:
            text.show(person.name, "lk-title", tag="h2")
        roles = held.multiselect(
            f"Roles of {plain(person.name)}",
            list(Role),
            default=list(person.roles),
            key=f"held_{person.person_id}",
            label_visibility="collapsed",
        )
        if save.form_submit_button("Save roles"):
            people.set_roles(here.workspace, person.person_id, roles)
            session.say("success", f"{person.name}: {', '.join(roles) or 'no role'}.")
            st.rerun()
    _leaving(here, person)


def _leaving(here: Here, person: Person) -> None:
    label = f"{plain(person.name)} leaves …"
    if st.button(label, key=f"lk_leave_{person.person_id}", type="tertiary"):
        st.session_state[_ASKED] = person.person_id
    if st.session_state.get(_ASKED) == person.person_id:
        _confirm(here, person)


def _confirm(here: Here, person: Person) -> None:
    held = judging.holdings(here.workspace, here.person.person_id, person.person_id)
    with st.container(border=True):
        heading.note(
            f"{person.name} can no longer sign in. What they hold goes back to the others at "
            f"once: {counted(held.claims, 'open pair')}, {counted(held.set_aside, 'pair')} set "
            f"aside; {counted(held.drafts, 'unsaved draft')} of theirs will be deleted. Their "
            f"{counted(held.judgments, 'judgment')} stay and count, shown under a pseudonym. You "
            "can let them in again at any time."
        )
        with st.container(horizontal=True):
            sure = st.button("Yes, they leave", key="lk_leave_sure", type="primary")
            kept = st.button("No, they stay", key="lk_leave_not")
    if sure or kept:
        st.session_state.pop(_ASKED, None)
        if sure:
            judging.deactivate(here.workspace, here.person.person_id, person.person_id)
            session.say("success", f"{person.name} has left; what they held is free again.")
        st.rerun()


def gone(here: Here, person: Person, pseudonym: str) -> None:
    """Somebody who left: under which pseudonym, and the way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        text.show(f"{person.name}, shown as {pseudonym}", "lk-small")
        label = f"Let {plain(person.name)} in again"
        if st.button(label, key=f"lk_back_{person.person_id}", type="tertiary"):
            judging.reactivate(here.workspace, here.person.person_id, person.person_id)
            session.say("success", f"{person.name} can sign in again, with the roles they had.")
            st.rerun()
