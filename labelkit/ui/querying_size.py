"""How many queries there are, and how many a difference takes: where that is decided."""

from __future__ import annotations

import streamlit as st

from labelkit import intake
from labelkit.bench.spread import advise
from labelkit.intake import SizeAdvice
from labelkit.model import QueryState
from labelkit.store import queries
from labelkit.ui import heading, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element, join

DIFFERENCES = (0.02, 0.03, 0.05, 0.08, 0.1)
_KEY = "lk_difference"


def show(here: Here) -> None:
    """Draw the counts, and whether so many queries are enough for a difference to be chosen."""
    with here.workspace.reading() as db:
        counts = queries.count_by_state(db)
    advice = of(here, counts.get(QueryState.ACCEPTED.value, 0))
    chip = element("span", "too few", cls="lk-chip lk-chip-warn")
    warned = join(chip, " ", advice.sentence) if advice.too_few else advice.sentence
    draw(element("p", warned, cls="lk-lead"))
    facts, difference = st.columns([3, 2], vertical_alignment="center", gap="medium")
    with facts:
        tables.facts(
            [(state.value, f"{counts.get(state.value, 0):,}") for state in QueryState],
            label="Queries by state",
        )
    difference.selectbox(
        "A difference worth finding, in the deciding metric",
        DIFFERENCES,
        index=DIFFERENCES.index(intake.DIFFERENCE),
        format_func=lambda one: f"{one:g}",
        key=_KEY,
    )
    heading.note(
        f"{advice.basis} Only queries with a relevant document count in most metrics, so have "
        "some in reserve."
    )


def of(here: Here, have: int) -> SizeAdvice:
    """The advice for so many queries: by the latest run, where there is one to learn from."""
    return advise(here.workspace.runs, have, st.session_state.get(_KEY, intake.DIFFERENCE))


def after(here: Here, more: int) -> None:
    """Say what so many further queries would make of it."""
    with here.workspace.reading() as db:
        accepted = queries.count_by_state(db).get(QueryState.ACCEPTED.value, 0)
    heading.note(f"With these there would be {of(here, accepted + more).sentence}")
