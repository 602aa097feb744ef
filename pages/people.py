"""People: who works in this project, and what may each of them do?"""

import streamlit as st

from labelkit.model import Role
from labelkit.store import people
from labelkit.ui import frame, notice, session, text

MAY = {
    Role.RATER: "judges pairs",
    Role.REVIEWER: "reviews drafted queries",
    Role.LEAD: "imports, settles disagreements, freezes, measures, and manages people",
}

with frame.page("people") as here:
    st.title("Who works here, and what may each of them do?", anchor=False)
    notice.show_note(session.heard())
    st.caption(" · ".join(f"{role.value}: {does}" for role, does in MAY.items()))

    for person in people.all(here.workspace):
        with st.form(f"roles_{person.person_id}"):
            text.show(person.name, "lk-title", tag="h2")
            roles = st.multiselect(
                "Roles", list(Role), default=list(person.roles), key=f"held_{person.person_id}"
            )
            if st.form_submit_button("Save roles"):
                people.set_roles(here.workspace, person.person_id, roles)
                session.say("success", f"Saved: {person.name} is {', '.join(roles) or 'nothing'}.")
                st.rerun()

    with st.form("add_person", clear_on_submit=True):
        st.subheader("Add a person", anchor=False)
        name = st.text_input("Name")
        roles = st.multiselect("Roles", list(Role), default=[Role.RATER], key="roles_new")
        if st.form_submit_button("Add"):
            person = people.add(here.workspace, name, roles)
            session.say("success", f"{person.name} is {', '.join(person.roles) or 'nothing'} now.")
            st.rerun()
