"""Editing the rubric: the texts, what would change, and what kind of change it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from labelkit.judging import rubric_versions
from labelkit.judging.rubric_diff import rubric_changes
from labelkit.rubric import STARTERS, LevelText, Rubric
from labelkit.ui import drafts, heading, notice, rubric_drafts, rubric_examples, session
from labelkit.ui.frame import Here
from labelkit.ui.refusals import shown
from labelkit.ui.rubric_drafts import RubricDraft
from labelkit.ui.rubric_reading import changes as show_changes
from labelkit.ui.text import plain

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

STARTER_NAMES = {
    "general": "any documents",
    "support": "support articles",
    "products": "product search",
    "code": "code",
    "policies": "policy documents",
}
PAUSE = "500ms"
"""How long somebody pauses before a line of text reaches the server."""

NEXT_IS_RECHECK = "lk_rubric_next_is_recheck"
"""Set when a new meaning was saved: what comes next is the re-check."""

_DONE = "lk_rubric_done"


def edit(here: Here, held: Rubric) -> None:
    """The edit that this lead has begun, or a fresh one; kept at every pause."""
    draft = rubric_drafts.load(here, held)
    begun = st.empty()
    _start_from(here, draft, held)
    done = st.session_state.pop(_DONE, None)
    texts = _texts(here, draft, done)
    edited, again = rubric_examples.edit(here, texts, draft.name)
    found = rubric_changes(held, edited)
    heading.section("What would change", f"Against version {held.version}, which is in force.")
    show_changes(found, "Nothing yet: the texts above are those in force.")
    now = replace(draft, rubric=edited, note=_note(here, draft, done))
    if now != draft:
        rubric_drafts.keep(here, now, held)
    _say_begun(here, begun, now, held)
    with shown():
        _save(here, now)
    if again:  # last: a run that ends before a field would empty it
        st.rerun()


def _start_from(here: Here, draft: RubricDraft, held: Rubric) -> None:
    with st.expander("Start from a ready-made rubric"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox(
                "For", list(STARTERS), format_func=STARTER_NAMES.__getitem__, width=240
            )
            taken = st.button("Take its texts into the edit", key="lk_rubric_take")
        heading.note(
            "It replaces title, levels and rules in your edit and leaves the boundary examples. "
            "Nothing is in force before you save."
        )
    if taken:
        starter = STARTERS[name]
        texts = replace(
            draft.rubric, title=starter.title, levels=starter.levels, rules=starter.rules
        )
        rubric_drafts.begin(here, texts, held)
        st.rerun()


def _texts(here: Here, draft: RubricDraft, done: str | None) -> Rubric:
    """The fields of title, levels, rules and evidence; returns the rubric as they stand."""
    held = draft.rubric
    title = _line("The question that a rater answers", held.title, f"title_{draft.name}")
    levels = {level: _level(here, draft, level, held.levels[level], done) for level in (2, 1, 0)}
    rules = _area(here, draft, "rules", "Rules, one a line", "\n".join(held.rules), done)
    evidence = st.checkbox(
        "Levels 1 and 2 need a marked passage",
        value=held.evidence_required,
        key=f"lk_rubric_evidence_{draft.name}",
    )
    lines = tuple(line.strip() for line in rules.splitlines() if line.strip())
    return replace(held, title=title, levels=levels, rules=lines, evidence_required=evidence)


def _level(
    here: Here, draft: RubricDraft, level: int, words: LevelText, done: str | None
) -> LevelText:
    left, right = st.columns([1, 4])
    with left:
        name = _line(f"Level {level}, name", words.name, f"name{level}_{draft.name}")
    with right:
        label = f"Level {level}: what the document lets the reader do"
        text = _area(here, draft, f"level{level}", label, words.definition, done)
    return LevelText(name, text)


def _line(label: str, value: str, key: str) -> str:
    return st.text_input(label, value=value, key=f"lk_rubric_{key}", live=PAUSE) or ""


def _area(
    here: Here, draft: RubricDraft, field: str, label: str, value: str, done: str | None
) -> str:
    return drafts.text_area(
        label,
        key=_key(field, draft.name),
        scope=here.draft_scope,
        draft=value,
        forget=() if done is None else (_key(field, done),),
        height="content",
    )


def _key(field: str, name: str) -> str:
    return f"lk_rubric_{field}_{name}"


def _note(here: Here, draft: RubricDraft, done: str | None) -> str:
    heading.section("Save it")
    return _area(here, draft, "note", "Why it changes (kept with the version)", draft.note, done)


def _say_begun(here: Here, slot: DeltaGenerator, draft: RubricDraft, held: Rubric) -> None:
    """Above the fields, in a place kept for it: that an edit is under way, and from where."""
    if not rubric_drafts.is_begun(draft, held):
        return
    with slot.container():
        if draft.base != held.version:
            notice.show(
                "warning",
                f"Version {held.version} was saved since you began from version {draft.base}. "
                "What it brought stands below as removed: put it in again, or give the edit up.",
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            heading.note("You have an unsaved edit; it is kept for you until you save it.")
            if st.button("Give the edit up", key="lk_rubric_give_up", type="tertiary"):
                _clear(here, draft, held)
                st.rerun()


def _clear(here: Here, draft: RubricDraft, held: Rubric) -> None:
    """The next run begins afresh, and the browser drops what it kept of this edit."""
    st.session_state[_DONE] = draft.name
    rubric_drafts.begin(here, held, held)


def _save(here: Here, draft: RubricDraft) -> None:
    me = plain(here.person.name)
    kind = st.radio(
        "What kind of change is it?",
        ("meaning", "wording"),
        format_func={
            "meaning": "It changes the meaning: alpha is void until a fresh sample is labeled",
            "wording": f"Wording only: I, {me}, vouch that no label would change",
        }.__getitem__,
        key=f"lk_rubric_kind_{draft.name}",
    )
    name = "Save as a new meaning" if kind == "meaning" else "Save as a wording fix"
    if not st.button(name, key="lk_rubric_save", type="primary"):
        return
    for one in draft.rubric.examples:
        rubric_drafts.checked(one)
    saved = rubric_versions.save_rubric(
        here.workspace,
        here.person.person_id,
        draft.rubric,
        wording_only=kind == "wording",
        note=draft.note,
    )
    _clear(here, draft, replace(draft.rubric, version=saved.version))
    st.session_state[NEXT_IS_RECHECK] = saved.void
    session.say("success", saved.explanation)
    st.rerun()
