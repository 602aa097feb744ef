"""Review: would a real user type this, and does this passage answer it best?"""

import streamlit as st

from labelkit import drafting
from labelkit.ui import frame, heading, reviewing

with frame.page("review") as here:
    heading.ask("Would a real user type this, and does this passage answer it best?")
    reviewing.standing(here)
    review = drafting.next_draft(here.workspace, st.query_params.get(reviewing.AFTER))
    if review is None:
        reviewing.nothing_left(here)
    else:
        wording = reviewing.show(here, review)
        reviewing.decide(here, review, wording)
