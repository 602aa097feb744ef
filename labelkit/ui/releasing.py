"""The upper part of the Releases page: what would be frozen now, and the button that does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelkit import releases
from labelkit.judging import RULES
from labelkit.model import Role
from labelkit.releases import Readiness, ReleaseRow
from labelkit.ui import heading, navigation, refusals, session, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element

LOOKED_AT = "release"
"""The release on screen, in the address too."""

RULE_WORDS: Mapping[str | None, str] = {
    None: "no rule: each has to be settled first",
    "min": "the lowest level given",
    "median": "the middle level given (of two, the lower)",
    "max": "the highest level given",
}
TEXTS = {
    "in the release": "It stands alone: whoever has the folder can benchmark with it.",
    "left out": (
        "Titles, texts, metadata and quotes of evidence stay here; ids and hashes go. A benchmark "
        "then asks for the corpus. Queries, reasons and the rubric's examples may still quote it."
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """How the next release is to be made."""

    rule: str | None
    texts: bool


def ask() -> Asked:
    """Ask how open disagreements are resolved, and whether the documents' texts go along."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        rule: str | None = st.selectbox(
            "Pairs on which raters differ and nobody settled it",
            [None, *RULES],
            format_func=lambda rule: RULE_WORDS.get(rule, str(rule)),
            help="The release records the rule.",
        )
    with right:
        texts = st.radio(
            "The documents' texts", list(TEXTS), captions=list(TEXTS.values()), key="lk_texts"
        )
    return Asked(rule, texts != "left out")


def next_release(ready: Readiness) -> None:
    """Draw what blocks a freeze, what it would record as a warning, and what would be in it."""
    _counts(ready.counts.as_dict())
    if ready.earlier.sentence not in ready.warnings:
        heading.note(ready.earlier.sentence)
    if ready.blocking:
        points("Blocks a freeze", ready.blocking, "lk-chip lk-chip-bad")
    if ready.counts.pairs_unresolved:
        navigation.link("adjudicate", "Settle what raters differ on")
    if ready.warnings:
        points("Recorded as a warning", ready.warnings, "lk-chip lk-chip-warn")


def _counts(counts: Mapping[str, Any]) -> None:
    levels = (counts.get(f"level_{level}", 0) for level in (0, 1, 2))
    tables.facts(
        [
            ("queries with a judged document", f"{counts['queries_judged']:,}"),
            ("judged pairs", f"{counts['pairs_resolved']:,}"),
            ("of level 0 / 1 / 2", " / ".join(f"{count:,}" for count in levels)),
            ("adjudicated", f"{counts['pairs_adjudicated']:,}"),
            ("labeled twice", f"{counts['pairs_second_labelled']:,}"),
            ("documents", f"{counts['documents']:,}"),
        ],
        label="What is in it",
    )


def points(title: str, said: Sequence[str], style: str) -> None:
    """Draw a list of sentences under a chip that says what they are."""
    drawn = [element("li", one, dir="auto") for one in said]
    draw(element("span", title, cls=style), element("ul", *drawn, cls="lk-points"))


def ask_freeze(here: Here, asked: Asked, held: Sequence[ReleaseRow]) -> None:
    """Ask for the tag and freeze; only a lead may. A refusal says every reason."""
    if Role.LEAD not in here.person.roles:
        heading.note("Only a lead freezes.")
        return
    with (
        st.form("lk_freeze", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        tag = st.text_input("Tag", value=_free_tag(held), key=f"lk_tag_{len(held)}", width=220)
        sent = st.form_submit_button("Freeze", type="primary")
    if sent:
        with refusals.shown(), st.spinner("Freezing"):
            _freeze(here, asked, tag.strip())


def _freeze(here: Here, asked: Asked, tag: str) -> None:
    done = releases.freeze(
        here.workspace, tag, here.person.person_id, rule=asked.rule, texts=asked.texts
    )
    bare = "" if asked.texts else ", without texts"
    session.say("success", f"Froze {done.tag}{bare}: content {done.content_sha256[:12]}.")
    st.session_state[LOOKED_AT] = done.tag
    st.rerun()


def _free_tag(held: Sequence[ReleaseRow]) -> str:
    tags = {row.tag for row in held}
    return next(tag for tag in (f"v{n}" for n in range(1, len(tags) + 2)) if tag not in tags)
