"""Label: does this document help with this query?

Shows one query and one document at a time, and nothing that could bias the reader.
"""

import streamlit as st

from labelkit import judging
from labelkit.judging import EmptyQueue
from labelkit.ui import (
    frame,
    label_form,
    label_panels,
    label_presses,
    label_state,
    mending,
    training,
)

with frame.page("label") as here:
    if training.before_pairs(here):
        st.stop()
    label_presses.act(here)
    task = judging.claim(here.workspace, here.person.person_id)
    if isinstance(task, EmptyQueue):
        label_panels.nothing_left(here, task)
        label_panels.later_panel(here, expanded=True)
        st.stop()

    state = label_state.opened(task)
    label_panels.query_card(here, task)
    mending.note_for_rater(here, task.pair_id)
    label_panels.document_and_side(here, task, state)
    label_form.ask(here, task, state)
