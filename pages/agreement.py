"""Agreement: can these labels be trusted, and if not, what is to be done?"""

import streamlit as st

from labelkit.ui import (
    agreeing,
    agreeing_parts,
    agreeing_people,
    agreeing_sample,
    frame,
    heading,
    navigation,
    origins,
    rechecking,
)

with frame.page("agreement") as here:
    heading.ask("Can these labels be trusted?")
    told = agreeing.parts(here)
    if not told.provenances:
        heading.nothing_yet(
            "Nobody has judged yet. Agreement is measured on pairs that two people judged, each "
            "without seeing the other.",
            "label",
            "Judge the first pairs",
        )
        st.stop()
    known = agreeing.names(here.workspace)
    agreeing.headline(told)
    origins.note(told.provenances)
    with st.container(horizontal=True):
        navigation.link("adjudicate", "Settle what they differ on")
        navigation.link("rubric", "Mend the rubric")
    void = rechecking.show(here)
    if told.report.pairable_units:
        left, right = st.columns([2, 3], gap="medium")
        with left:
            agreeing.table(told.report)
        with right:
            agreeing.hot_spots(told.report, here.workspace)
            agreeing_parts.rater_pairs(told, known)
        agreeing_parts.sources_and_types(told)
        agreeing_parts.time(told)
        agreeing_parts.kinds(told)
        agreeing_people.show(told.raters, known)
    if not void:
        agreeing_sample.show(here, told.plan)
