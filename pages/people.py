"""People: who works in this project, and what may each of them do?"""

import streamlit as st

from labelkit.model import Role
from labelkit.store import people
from labelkit.ui import frame, heading, overview_panels, people_panels, session

MAY = {
    Role.RATER: "judges pairs and reviews drafted queries",
    Role.REVIEWER: "reads releases, benchmarks and failures",
    Role.LEAD: "imports, settles disagreements, freezes, measures, and manages people",
}

with frame.page("people") as here:
    heading.ask("Who works here, and what may each of them do?")
    st.caption(" · ".join(f"{role.value}: {does}" for role, does in MAY.items()))

    overview_panels.warm_up_offer(here)
    everyone = people.all(here.workspace)
    for person in everyone:
        if person.active:
            people_panels.here_now(here, person)

    with st.form("add_person", clear_on_submit=True):
        st.subheader("Add a person", anchor=False)
        name = st.text_input("Name")
        roles = st.multiselect("Roles", list(Role), default=[Role.RATER], key="roles_new")
        if st.form_submit_button("Add"):
            person = people.add(here.workspace, name, roles)
            session.say("success", f"{person.name}: {', '.join(person.roles) or 'no role'}.")
            st.rerun()

    left = [person for person in everyone if not person.active]
    if left:
        heading.section("Left")
        shown = people.shown_names(here.workspace)
        for person in left:
            people_panels.gone(here, person, shown[person.person_id])
