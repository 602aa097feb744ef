"""Adjudicate: what do raters differ on, and what could nobody judge?"""

import streamlit as st

from labelkit import judging
from labelkit.judging import stopped
from labelkit.store import people
from labelkit.ui import disagreeing, frame, heading, mending, navigation

PARTS = ("Disagreements", "Cannot judge")

with frame.page("adjudicate") as here:
    heading.ask("What do raters differ on, and what could nobody judge?")
    navigation.link("agreement", "How far the labels agree")
    state = judging.load(here.workspace)
    waiting = stopped.stopped(here.workspace, here.person.person_id)
    part = st.radio(
        "Part",
        PARTS,
        index=PARTS.index("Cannot judge") if st.query_params.get("part") == "cannot" else 0,
        format_func=lambda one: one if one == PARTS[0] else f"{one} ({len(waiting)})",
        horizontal=True,
        key="lk_adjudicate_part",
        label_visibility="collapsed",
    )
    known = people.shown_names(here.workspace)
    if part == PARTS[0]:
        disagreeing.show(here, state.rubric, known)
    else:
        mending.show(here, waiting, known)
