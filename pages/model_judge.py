"""Model judge: how far does a language model grade pairs as people do? Leads only.

Its grades stand in a table of their own and fill no place of a person.
"""

import streamlit as st

from labelkit.ui import frame, heading, llm_runs, model_judging, refusals

with frame.page("model_judge") as here:
    heading.ask("How far does a model grade as people do?")
    if model_judging.nothing_pooled(here):
        st.stop()
    with refusals.shown():
        stands = llm_runs.show(here, llm_runs.JUDGING)
        if stands is not None:
            model_judging.result(here, stands.run.run_id)
            llm_runs.failures(stands, llm_runs.JUDGING)
        with st.expander("Start a run", expanded=stands is None), refusals.shown():
            model_judging.ask(here)
        model_judging.to_raters(here)
