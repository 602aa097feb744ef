"""Why raters differ: a cause for each pair, and how often each one occurs."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from labelkit.errors import LabelkitError
from labelkit.judging import Disagreement, causes
from labelkit.judging.causes import ADVICE, DisagreementCause
from labelkit.ui import heading, notice, tables
from labelkit.ui.frame import Here
from labelkit.wording import counted

NAMES: Mapping[str, str] = {
    DisagreementCause.RUBRIC_GAP: "the rubric has a gap",
    DisagreementCause.AMBIGUOUS_QUERY: "the query is ambiguous",
    DisagreementCause.MISSED_EVIDENCE: "somebody missed the evidence",
    DisagreementCause.MISREAD: "somebody misread",
    DisagreementCause.DOCUMENT_UNCLEAR: "the document is unclear",
}


def ask(here: Here, one: Disagreement, this: str) -> None:
    """Ask for the cause; what is chosen is recorded at once, a later choice replaces it."""
    pair = (one.query.query_id, one.document.doc_id)
    held = causes.causes_of_disagreements(here.workspace).get(pair)
    options = list(NAMES)
    chosen = st.selectbox(
        "Why they differ",
        options,
        index=None if held is None else options.index(held),
        format_func=NAMES.__getitem__,
        placeholder="Choose the cause",
        key=f"lk_cause_{this}",
    )
    slot = st.empty()
    if chosen is None:
        return
    if chosen != held:
        try:
            causes.record_cause(here.workspace, here.person.person_id, *pair, chosen)
        except LabelkitError as error:
            notice.show("error", str(error), slot)
            return
    slot.caption(f"Recorded. What helps: {ADVICE[DisagreementCause(chosen)]}.")


def counts(here: Here) -> None:
    """How many pairs have each cause, and what helps against it."""
    found = causes.count_causes(here.workspace)
    if not found:
        return
    total = sum(found.values())
    heading.section(
        "Causes so far",
        f"{counted(total, 'pair has', 'pairs have')} a cause. The most frequent one "
        "says where to begin.",
    )
    tables.show(
        ("cause", "pairs", "what helps"),
        [(NAMES[cause], count, ADVICE[cause]) for cause, count in found.items()],
        label="Causes of disagreements",
        numbers=("pairs",),
    )
