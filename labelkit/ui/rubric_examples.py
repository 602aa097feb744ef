"""The boundary examples of an edit: change them, take them out, add some from disagreements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from labelkit import judging
from labelkit.errors import InputError
from labelkit.judging import Disagreement
from labelkit.model import LEVELS
from labelkit.rubric import BOUNDARIES, Example, Rubric
from labelkit.store import documents
from labelkit.ui import disagreeing_examples, drafts, heading, refusals, rubric_drafts, session
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import draw, element
from labelkit.ui.text import plain

_BY_HAND = "by hand"
_ADDED = "lk_rubric_added"


def edit(here: Here, rubric: Rubric, name: str) -> tuple[Rubric, bool]:
    """The examples with their fields: the rubric as they stand, and whether one came or went."""
    heading.section(
        "Boundary examples",
        "They do more for agreement than longer definitions. "
        f"{len(rubric.examples)} so far; two or three at each boundary are enough to begin.",
    )
    shown = [_example(here, one, name) for one in rubric.examples]
    kept = tuple(one for one in shown if one is not None)
    with st.expander("Add an example"), refusals.shown():
        added = _add(here, rubric, name)
        if added is not None:
            return rubric_drafts.with_example(replace(rubric, examples=kept), added), True
    return replace(rubric, examples=kept), len(kept) < len(shown)


def _example(here: Here, one: Example, name: str) -> Example | None:
    """One example with its reason to edit; None where it is taken out."""
    this = f"{name}_{item(one.boundary, one.query, one.doc_id)}"
    draw(
        element(
            "p",
            element("span", one.boundary, cls="lk-chip"),
            element("b", f" {one.level}"),
            f" “{one.query}” · {one.doc_id}",
            cls="lk-small",
            dir="auto",
        ),
        *([element("p", one.passage, cls="lk-quote lk-small lk-text")] if one.passage else []),
    )
    left, right = st.columns([6, 1], vertical_alignment="center")
    with left:
        why = drafts.text_area(
            f"Why it is {one.level} ({plain(one.doc_id)})",
            key=f"lk_rubric_why_{this}",
            scope=here.draft_scope,
            draft=one.why,
            height="content",
        )
    with right:
        out = st.button("Take it out", key=f"lk_rubric_out_{this}", type="tertiary")
    return None if out else replace(one, why=why.strip())


def _add(here: Here, rubric: Rubric, name: str) -> Example | None:
    """Where an example is chosen and written; returned when its button was pressed."""
    offered = _offered(here, rubric)
    chosen = st.selectbox(
        "From a disagreement, or by hand",
        [*offered, _BY_HAND],
        format_func=lambda one: _named(offered[one]) if one in offered else _BY_HAND,
        key=f"lk_rubric_from_{name}",
    )
    this = f"{name}_{chosen}"
    made = _written(here, offered.get(chosen), this)
    if not st.button("Add it to the edit", key="lk_rubric_add"):
        return None
    _check(here, made)
    st.session_state[_ADDED] = this
    session.say("success", "Added to the edit; nothing is in force before you save.")
    return made


def _offered(here: Here, rubric: Rubric) -> dict[str, Disagreement]:
    """The disagreements that are no example yet, by a short name."""
    known = {(one.query, one.doc_id) for one in rubric.examples}
    return {
        item(one.query.query_id, one.document.doc_id): one
        for one in judging.disagreements(here.workspace, here.person.person_id)
        if (one.query.text, one.document.doc_id) not in known
    }


def _check(here: Here, made: Example) -> None:
    """Refuse what a rater could not look up."""
    rubric_drafts.checked(made)
    with here.workspace.reading() as db:
        document = documents.get(db, made.doc_id)
    if document is None:
        raise InputError(f"There is no document {made.doc_id!r}: copy its id from the Label page.")
    if made.passage not in document.text:
        raise InputError("The passage does not stand in the document: copy it word for word.")


def _named(one: Disagreement) -> str:
    levels = sorted({judgment.level for judgment in one.judgments if judgment.level is not None})
    return f"{' against '.join(map(str, levels))}: {one.query.text[:60]} · {one.document.doc_id}"


def _written(here: Here, one: Disagreement | None, this: str) -> Example:
    """The fields of a new example, filled from a disagreement where one was chosen."""
    proposed = _proposed(one)
    query, doc_id = proposed.query, proposed.doc_id
    if one is None:
        query = _area(here, "Query", "", f"query_{this}")
        doc_id = _area(here, "Document (its id)", "", f"doc_{this}")
    else:
        _told(one)
    with st.container(horizontal=True):
        level = st.radio(
            "Level", LEVELS, index=proposed.level, horizontal=True, key=f"lk_rubric_level_{this}"
        )
        boundary = st.radio(
            "Boundary",
            BOUNDARIES,
            index=BOUNDARIES.index(proposed.boundary),
            horizontal=True,
            key=f"lk_rubric_boundary_{this}",
        )
    passage = _area(here, "Passage (word for word, may be empty)", proposed.passage, f"p_{this}")
    why = _area(here, "Why this level and not its neighbour", proposed.why, f"w_{this}")
    return Example(boundary, query.strip(), doc_id.strip(), level, why.strip(), passage.strip())


def _proposed(one: Disagreement | None) -> Example:
    if one is None:
        return Example(BOUNDARIES[0], "", "", 1, "")
    if one.adjudication is not None:
        return disagreeing_examples.example(one, one.adjudication.level, one.adjudication.reason)
    levels = [judgment.level for judgment in one.judgments if judgment.level is not None]
    return disagreeing_examples.example(one, min(levels), "")


def _told(one: Disagreement) -> None:
    """What the raters said, to write the reason from."""
    said: Sequence[str] = [f"{told.level}: {told.reason}" for told in one.judgments]
    draw(element("ul", *(element("li", line, dir="auto") for line in said), cls="lk-points"))


def _area(here: Here, label: str, value: str, field: str) -> str:
    key = f"lk_rubric_new_{field}"
    added = st.session_state.get(_ADDED)
    return drafts.text_area(
        label,
        key=key,
        scope=here.draft_scope,
        draft=value,
        stored=False,
        forget=(key,) if added and key.endswith(added) else (),
    )
