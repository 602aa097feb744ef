"""A disagreement becomes a boundary example: at once, or with the next edit of the rubric."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from labelkit.errors import LabelkitError
from labelkit.judging import Disagreement, rubric_versions
from labelkit.rubric import Example, Rubric
from labelkit.ui import heading, rubric_drafts, session
from labelkit.ui.frame import Here
from labelkit.wording import counted


def passage(one: Disagreement, level: int) -> str:
    """What somebody who gave this level marked, else what anybody marked, else nothing."""
    ordered = sorted(one.judgments, key=lambda judgment: judgment.level != level)
    quotes = [span.quote for judgment in ordered for span in judgment.evidence]
    return next((quote for quote in quotes if quote and quote in one.document.text), "")


def example(one: Disagreement, level: int, why: str) -> Example:
    """The pair as a boundary example."""
    given = {judgment.level for judgment in one.judgments if judgment.level is not None}
    boundary = rubric_drafts.boundary_of(given, level)
    return Example(boundary, one.query.text, one.document.doc_id, level, why, passage(one, level))


def offer(here: Here, rubric: Rubric, one: Disagreement, this: str) -> None:
    """For a settled pair: the two buttons, or that it is an example already."""
    if one.adjudication is None:
        return
    held = [e for e in rubric.examples if (e.query, e.doc_id) == (one.query.text, _doc(one))]
    if held:
        heading.note(f"It is a boundary example {held[0].boundary} of rubric v{rubric.version}.")
        return
    with st.container(horizontal=True):
        now = st.button("Make it a boundary example", key=f"lk_example_{this}")
        later = st.button("Add it to my edit of the rubric", key=f"lk_later_{this}")
    heading.note(
        f"The first saves version {rubric.version + 1} at once, and alpha is void. To add several, "
        "collect them in your edit and save it once on the Rubric page."
    )
    final = one.adjudication
    if now:
        make(here, one, final.level, final.reason)
        st.rerun()
    if later:
        collect(here, rubric, one)
        st.rerun()


def make(here: Here, one: Disagreement, level: int, why: str) -> None:
    """One more version of the rubric, with this pair as an example; says what that means."""
    made = example(one, level, why)
    try:
        saved = rubric_versions.add_boundary_example(
            here.workspace,
            here.person.person_id,
            one.query.query_id,
            _doc(one),
            boundary=made.boundary,
            level=level,
            why=why,
            passage=made.passage,
        )
    except LabelkitError as error:
        session.say("error", str(error))
        return
    session.say("success", f"A boundary example {made.boundary}. {saved.explanation}")


def collect(here: Here, rubric: Rubric, one: Disagreement) -> None:
    """Put the pair into this lead's unsaved edit of the rubric."""
    final = one.adjudication
    if final is None:
        return
    draft = rubric_drafts.load(here, rubric)
    made = example(one, final.level, final.reason)
    with_it = rubric_drafts.with_example(draft.rubric, made)
    rubric_drafts.keep(here, replace(draft, rubric=with_it), rubric)
    session.say(
        "success",
        f"Added to your edit, which now has {counted(len(with_it.examples), 'boundary example')}. "
        "Nothing is saved yet: finish it on the Rubric page.",
    )


def _doc(one: Disagreement) -> str:
    return one.document.doc_id
