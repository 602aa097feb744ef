"""Agreement: can these labels be trusted, and if not, what is to be done?"""

import streamlit as st

from labelkit import judging
from labelkit.ui import agreeing, frame, heading, navigation, origins, refusals

with frame.page("agreement") as here:
    heading.ask("Can these labels be trusted?")
    state = judging.load(here.workspace)
    if not state.judgments:
        heading.nothing_yet(
            "Nobody has judged yet. Agreement is measured on pairs that two people judged, each "
            "without seeing the other.",
            "label",
            "Judge the first pairs",
        )
        st.stop()
    report = judging.agreement_report(here.workspace)
    known = agreeing.names(here.workspace)
    agreeing.headline(report, state.rubric)
    origins.note(state.judgments)
    agreeing.void(report, state)
    if report.rater_pairs:
        left, right = st.columns([2, 3], gap="medium")
        with left:
            agreeing.table(report)
        with right:
            agreeing.by_rater_pair(report, known)
            agreeing.hot_spots(report, state)
    navigation.link("adjudicate", "Settle what they differ on, on the Adjudicate page")
    with refusals.shown():
        agreeing.second_labels(here, state)
