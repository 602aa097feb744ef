"""The sample planner: how many more second labels, and the button that draws them."""

from __future__ import annotations

import streamlit as st

from labelkit import judging
from labelkit.agreement.planner import SamplePlan, Target
from labelkit.store import samples
from labelkit.ui import heading, session, tables
from labelkit.ui.frame import Here
from labelkit.ui.refusals import shown
from labelkit.wording import counted

DEFAULT_SAMPLE = 40


def show(here: Here, plan: SamplePlan) -> None:
    """How narrow the interval will be at which size, a button for each target, and a free size."""
    with here.workspace.reading() as db:
        wanted = samples.size_wanted(db)
        waiting = len(samples.waiting(db))
    heading.section(
        "More second labels",
        f"So far samples of {counted(wanted, 'pair')} were drawn; "
        f"{counted(waiting, 'pair waits', 'pairs wait')} for a second label. {_basis(plan)}",
    )
    heading.note(plan.sentence)
    with shown():
        _targets(here, plan, waiting)
        _free(here)
    with st.expander("How wide the interval gets"):
        tables.show(
            ("pairs labeled twice", "half of the interval"),
            [(f"{n:,}", f"±{width:.2f}") for n, width in plan.curve],
            label="Half-width by number of pairs",
            numbers=("pairs labeled twice", "half of the interval"),
        )


def _basis(plan: SamplePlan) -> str:
    if plan.assumed:
        return (
            "So few pairs say little about alpha, so the plan assumes 0.63 at the present mix of "
            "levels."
        )
    return "The plan simulates further samples from the table of levels above."


def _targets(here: Here, plan: SamplePlan, waiting: int) -> None:
    """One button for each half-width that is not reached; what already waits counts in."""
    with st.container(horizontal=True):
        for target in plan.targets:
            more = max(0, (target.more or 0) - waiting)
            if more and st.button(
                f"Draw {more} more for ±{target.half_width:.2f}", key=_key(target)
            ):
                _draw(here, more, 1)
    if all(target.more == 0 for target in plan.targets):
        heading.note("The interval is already as narrow as that; more labels are not needed.")
    elif waiting and all((target.more or 0) <= waiting for target in plan.targets):
        heading.note("What already waits is enough for that.")


def _key(target: Target) -> str:
    return f"lk_draw_for_{target.half_width:.2f}".replace(".", "_")


def _free(here: Here) -> None:
    with (
        st.form("lk_sample", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        size = st.number_input("Pairs to draw", 1, 5000, DEFAULT_SAMPLE, width=180)
        seed = st.number_input("Seed", 0, 2**31 - 1, 1, width=180)
        sent = st.form_submit_button("Draw a sample")
    heading.note(
        "A sample is drawn at random over queries with all levels present, and goes, blind, to "
        "somebody who has not judged the pair."
    )
    if sent:
        _draw(here, int(size), int(seed))


def _draw(here: Here, size: int, seed: int) -> None:
    drawn = judging.draw_second_sample(here.workspace, here.person.person_id, size=size, seed=seed)
    found = len(drawn.pairs)
    levels = ", ".join(f"{count} of level {level}" for level, count in sorted(drawn.drawn.items()))
    drew = counted(found, "pair")
    said = f"Drew {drew}: {levels}. On the Label page raters who are new to a pair get it."
    if found < size:
        wanted = counted(size, "pair was", "pairs were")
        said += f" {wanted} asked for; no other has exactly one level: judge more first."
    session.say("success", said)
    st.rerun()
