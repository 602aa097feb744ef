"""What speaks about a draft: its warnings with their evidence, and the documents beside it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from labelkit import drafting, jobs
from labelkit.drafting import DraftReview, Warning
from labelkit.model import Document, Role
from labelkit.store import documents as corpus
from labelkit.ui import heading, passages, text, work
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import Markup, draw, element
from labelkit.ui.passages import Pane

_BESIDE = "lk_draft_beside"


def edited(review: DraftReview, wording: str) -> bool:
    """Whether the wording on screen is another than the drafted one."""
    return wording.strip() != review.query.text.strip()


def warnings(here: Here, review: DraftReview, wording: str) -> Sequence[Warning]:
    """Draw the warnings about the wording as it stands; returns them."""
    changed = edited(review, wording)
    found = (
        drafting.warnings_of(here.workspace, review.query, wording.strip())
        if changed
        else review.warnings
    )
    if changed:
        heading.note("As edited (what needs the whole corpus is known for the drafted wording):")
    if not found:
        heading.note("No warning from the checks.")
    names = dict.fromkeys(one.name for one in found)
    draw(element("div", *(_chip(name, found) for name in names)))
    _unchecked(here, review)
    return found


def _chip(name: str, found: Sequence[Warning]) -> Markup:
    """One chip for all warnings of a name; it opens and closes its evidence."""
    evidence = [one.evidence for one in found if one.name == name]
    return element(
        "details",
        element("summary", element("span", name, cls="lk-chip lk-chip-warn")),
        *(element("p", sentence, dir="auto") for sentence in evidence),
        cls="lk-why",
        open="",
    )


def _unchecked(here: Here, review: DraftReview) -> None:
    """Say that nobody searched the corpus for this draft; a lead can have that done."""
    if review.checked or work.watch(here.workspace, "check", "Checking drafts"):
        return
    work.last_failure(here.workspace, "check")
    heading.note(
        "Not checked against the corpus yet: whether another document answers it as well, and "
        "whether another query means the same."
    )
    if Role.LEAD in here.person.roles and st.button("Check all drafts", key="lk_check_drafts"):
        jobs.start(here.workspace, "check", {})
        st.rerun()


def documents(here: Here, review: DraftReview, wording: str, found: Sequence[Warning]) -> None:
    """Draw the source document with its passage in view and, on request, its rival beside it."""
    if review.source is None:
        named = review.query.source_doc_id
        heading.note(
            f"Its document {named} is not in the project." if named else "It names no document."
        )
        return
    rival = _rival(here, found)
    beside = rival is not None and _wants_beside(review.query.query_id)
    panes = [_source(review, review.source, wording, found)]
    if beside and rival is not None:
        panes.append(_other(rival, wording))
    shown = f"{review.query.query_id} {beside}"
    passages.show(panes, text.query_terms(wording), shown=shown)


def _rival(here: Here, found: Sequence[Warning]) -> Document | None:
    """The other document that a warning names, where the project has it."""
    named = next((one.doc_id for one in found if one.doc_id), None)
    if named is None:
        return None
    with here.workspace.reading() as db:
        return corpus.get(db, named)


def _wants_beside(query_id: str) -> bool:
    """Whether the other document is to be shown; draws the button that shows and hides it."""
    shown = st.session_state.get(_BESIDE) == query_id
    label = "Hide the other document" if shown else "Show the other document beside it"
    if st.button(label, key=f"lk_beside_{item(query_id)}", shortcut="o"):
        st.session_state[_BESIDE] = None if shown else query_id
        st.rerun()
    return shown


def _source(review: DraftReview, source: Document, wording: str, found: Sequence[Warning]) -> Pane:
    runs = tuple(
        (one.start, one.end) for one in found if one.start is not None and one.end is not None
    )
    passage, what = review.passage, "its passage is marked"
    if passage is None:
        passage = drafting.likeliest_passage(source.text, wording)
        what = "the passage nearest to its words is marked"
    about = f"drafted from {source.doc_id}{f'; {what}' if passage else ''}"
    return Pane(about, source, passage, runs)


def _other(rival: Document, wording: str) -> Pane:
    passage = drafting.likeliest_passage(rival.text, wording)
    marked = "; the passage nearest to its words is marked" if passage else ""
    return Pane(f"answers it as well? {rival.doc_id}{marked}", rival, passage)
