"""A page with a text area and the dialog that finds documents, for its browser tests."""

import streamlit as st

from labelkit.model import Query, QuerySource
from labelkit.ui import finding, frame, heading

with frame.page("label") as here:
    heading.ask("Does this document help?")
    st.text_area("Reason", key="reason")
    finding.panel(here, Query("q1", "csv header lost when i write dicts", QuerySource.MANUAL))
    ran = st.button("Run", key="lk_run", shortcut="g")
    sent = st.button("Send", shortcut="Mod+Enter")
    if ran or sent:
        st.write("ran")
