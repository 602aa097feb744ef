"""The rubric on the Label page: whole, by boundary, and pinned beside the document or not."""

from __future__ import annotations

import streamlit as st

from labelkit.rubric import BOUNDARIES, Rubric
from labelkit.store import person_settings
from labelkit.ui import text
from labelkit.ui.frame import Here

_PIN = "lk_rubric_pinned"


def pinned(here: Here) -> bool:
    """Whether this person wants the rubric beside the document; it is until they say no."""
    key = f"{_PIN}_{here.person.person_id}"
    if key not in st.session_state:
        kept = person_settings.get(here.workspace, here.person.person_id, _PIN)
        st.session_state[key] = kept != "no"
    return bool(st.session_state[key])


def panel(here: Here, rubric: Rubric) -> None:
    """The rubric beside the document, with the button that takes it away."""
    _words(rubric)
    for boundary in boundaries(rubric):
        with st.expander(f"Examples between {boundary.replace('/', ' and ')}"):
            examples(rubric, boundary)
    if st.button("Unpin the rubric", key="lk_unpin", type="tertiary"):
        _pin(here, "no")


def whole(here: Here, rubric: Rubric) -> None:
    """The rubric with all its examples, and the button that puts it beside the document."""
    _words(rubric)
    for boundary in boundaries(rubric):
        text.show(f"Between {boundary.replace('/', ' and ')}", "lk-title", tag="h3")
        examples(rubric, boundary)
    if not pinned(here) and st.button("Pin it beside the document", key="lk_pin"):
        _pin(here, "yes")


def boundaries(rubric: Rubric) -> list[str]:
    """The boundaries that have examples, the upper one first."""
    known = {example.boundary for example in rubric.examples}
    return [boundary for boundary in reversed(BOUNDARIES) if boundary in known]


def examples(rubric: Rubric, boundary: str) -> None:
    """The examples of one boundary: what, which level, why."""
    for example in rubric.examples:
        if example.boundary == boundary:
            text.show(f"“{example.query}” with {example.doc_id}: {example.level}", "lk-small")
            if example.passage:
                text.show(example.passage, "lk-text lk-small lk-quote")
            text.show(f"because {example.why}", "lk-small")


def _words(rubric: Rubric) -> None:
    text.show(f"{rubric.title} (rubric v{rubric.version})", "lk-title", tag="h2")
    levels_first = [
        f"{level} {words.name}: {words.definition}"
        for level, words in sorted(rubric.levels.items(), reverse=True)
    ]
    evidence = ["Levels 1 and 2 need evidence."] if rubric.evidence_required else []
    text.show_list([*levels_first, *(f"– {rule}" for rule in [*rubric.rules, *evidence])])


def _pin(here: Here, answer: str) -> None:
    person_settings.save(here.workspace, here.person.person_id, _PIN, answer)
    st.session_state[f"{_PIN}_{here.person.person_id}"] = answer == "yes"
    st.rerun()
