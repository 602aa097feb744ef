"""Rubric: what does each level mean, and how did that change?"""

import streamlit as st

from labelkit.judging import rubric_versions
from labelkit.model import Role
from labelkit.store import people, rubrics
from labelkit.ui import frame, heading, rechecking, rubric_editing, rubric_reading

READ, EDIT, VERSIONS, RECHECK = "Read", "Edit", "Versions", "Old and new labels"

with frame.page("rubric") as here:
    heading.ask("What does each level mean?")
    held = rubrics.read_current(here.workspace)
    versions = rubric_versions.rubric_versions(here.workspace)
    parts = [READ, VERSIONS]
    if Role.LEAD in here.person.roles:
        changed = rechecking.has_earlier_meaning(versions)
        parts = [READ, EDIT, VERSIONS, *([RECHECK] if changed else [])]
    if st.session_state.pop(rubric_editing.NEXT_IS_RECHECK, False):
        st.session_state["lk_rubric_part"] = RECHECK
    part = st.radio(
        "Part", parts, horizontal=True, key="lk_rubric_part", label_visibility="collapsed"
    )
    if part == READ:
        rubric_reading.read(held)
    elif part == EDIT:
        rubric_editing.edit(here, held)
    elif part == VERSIONS:
        rubric_reading.history(versions, people.shown_names(here.workspace))
    else:
        heading.note("Labels given before the last change of meaning, beside those given since.")
        rechecking.show(here)
