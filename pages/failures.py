"""Failures: where does one candidate fail and the other not, and why?"""

import streamlit as st

from labelkit.ui import failing, frame, heading, origins

with frame.page("failures") as here:
    heading.ask("Where does one fail and the other not, and why?")
    runs = failing.finished_runs(here)
    if not runs:
        heading.nothing_yet(
            "Two candidates are compared query by query once a benchmark run has finished.",
            "benchmark",
            "Start a run",
        )
        st.stop()
    opened = failing.choose(here, runs)
    failing.counts(opened)
    origins.note_release(here.workspace, opened.release.tag)
    row = failing.choose_query(opened)
    if row is not None:
        failing.query(opened, row)
        failing.side_by_side(here, opened, row)
