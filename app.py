"""Overview: where does the test set stand, and what is the next useful thing?"""

import streamlit as st

from labelkit.ui import frame

with frame.page("overview") as here:
    st.title(here.workspace.name, anchor=False)
