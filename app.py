"""Overview: where does the test set stand, and what is the next useful thing?"""

import streamlit as st

from labelkit.ui import clock, frame, heading, navigation, overview_panels, tables, training

with frame.page("overview") as here:
    seen = overview_panels.read(here)
    heading.ask("Where does the test set stand?")
    overview_panels.next_step(here, seen)
    tables.facts(overview_panels.figures(here, seen), label="Counts")
    if navigation.sees_labels(here.person):
        overview_panels.agreement(seen.agreement)
        overview_panels.before_a_freeze(seen)
    if seen.last_release is not None:
        st.text(
            f"Last release: {seen.last_release.tag}, frozen on "
            f"{clock.day(seen.last_release.frozen_at)}."
        )
    if seen.last_run is not None:
        st.text(f"Last benchmark: {seen.last_run}")
    overview_panels.warm_up_offer(here)
    training.on_overview(here)
