"""What the model says of a pair, for who has judged it already: words, never a proposal."""

from __future__ import annotations

import streamlit as st

from labelkit.drafting import llm_judge
from labelkit.store.model_grades import ModelGrade
from labelkit.ui import heading, text
from labelkit.ui.frame import Here


def model_grade_note(here: Here, pair_id: int) -> bool:
    """Draw the model's grades of a pair, if this person may see them; else nothing, and False.

    The store decides: whoever may still judge the pair gets none. That it was seen is written
    down, so call it only where the note is really shown.
    """
    grades = llm_judge.grades_of(here.workspace, here.person.person_id, pair_id)
    if not grades:
        return False
    with st.container(border=True, key=f"lk_model_grade_{pair_id}"):
        for direction in llm_judge.DIRECTIONS:
            of_one = [grade for grade in grades if grade.direction == direction]
            if of_one:
                _show(of_one[-1])
    return True


def _show(grade: ModelGrade) -> None:
    order = "high to low" if grade.direction == "descending" else "low to high"
    heading.note(
        f"{grade.model or 'A model'} says level {grade.level} (levels listed from {order}, rubric "
        f"v{grade.rubric_version}):"
    )
    text.show(grade.reason)
    if grade.quote:
        text.show(f"“{grade.quote}”")
