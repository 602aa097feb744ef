"""People: who works in this project, and what may each of them do?"""

import streamlit as st

from labelkit.model import Role
from labelkit.store import people
from labelkit.ui import frame, heading, session, text
from labelkit.ui.text import plain

MAY = {
    Role.RATER: "judges pairs and reviews drafted queries",
    Role.REVIEWER: "reads releases, benchmarks and failures",
    Role.LEAD: "imports, settles disagreements, freezes, measures, and manages people",
}

with frame.page("people") as here:
    heading.ask("Who works here, and what may each of them do?")
    st.caption(" · ".join(f"{role.value}: {does}" for role, does in MAY.items()))

    for person in people.all(here.workspace):
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

    with st.form("add_person", clear_on_submit=True):
        st.subheader("Add a person", anchor=False)
        name = st.text_input("Name")
        roles = st.multiselect("Roles", list(Role), default=[Role.RATER], key="roles_new")
        if st.form_submit_button("Add"):
            person = people.add(here.workspace, name, roles)
            session.say("success", f"{person.name}: {', '.join(person.roles) or 'no role'}.")
            st.rerun()
