"""Draft queries: what would users ask that these documents answer?

A model drafts from a planned sample of passages; people decide on each draft under Review queries.
"""

import streamlit as st

from labelkit.ui import draft_runs, drafting, frame, heading, refusals

with frame.page("drafts") as here:
    heading.ask("What would users ask that these documents answer?")
    if drafting.no_documents(here):
        st.stop()
    with refusals.shown():
        some = draft_runs.show(here)
        with st.expander("Start a run", expanded=not some), refusals.shown():
            drafting.ask(here)
