"""The fields of each decision on pairs that nobody could judge, and what saving them does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from labelkit.judging import mending, stopped
from labelkit.judging.stopped import StoppedPair
from labelkit.model import Cause, Role
from labelkit.store import people
from labelkit.ui import drafts
from labelkit.ui.frame import Here
from labelkit.wording import counted

WHY = "Why, one sentence; it is recorded"
TO_RATERS = "A note to the raters, shown on the pair"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a button is called, what its note is, and what it does: a note in, a message out."""

    button: str
    note_label: str
    save: Callable[[str], str]


Fields = Callable[[Here, Sequence[StoppedPair], str], Decision]


def _edit(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    query = group[0].query
    wording = drafts.text_area(
        "The query as it should read",
        key=f"lk_wording_{this}",
        scope=here.draft_scope,
        draft=query.text,
        stored=False,
    )
    judged = {
        one.pair_id: one
        for one in stopped.judged_of_query(here.workspace, here.person.person_id, query.query_id)
    }
    again = st.multiselect(
        f"Its judged pairs to be judged anew by the new text ({len(judged)} have levels)",
        [pair_id for pair_id, one in judged.items() if not one.settled],
        format_func=lambda pair_id: judged[pair_id].title,
        key=f"lk_again_{this}",
        placeholder="None: all levels are kept",
        disabled=not judged,
    )

    def save(note: str) -> str:
        opened = mending.edit_query(
            here.workspace,
            here.person.person_id,
            query.query_id,
            text=wording,
            note=note,
            requeue=again,
        )
        return f"Reworded; both texts are kept. {_back(opened)}"

    return Decision("Save the new text", WHY, save)


def _retire(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    query = group[0].query
    st.caption("The query leaves queues and future releases; the Queries page can restore it.")

    def save(note: str) -> str:
        stopped_pairs = mending.retire_query(
            here.workspace, here.person.person_id, query.query_id, note=note
        )
        return f"Retired “{query.text}”; {counted(stopped_pairs, 'pair')} had stopped."

    return Decision("Retire the query", WHY, save)


def _correct(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    document = group[0].document
    title = st.text_input("Title", document.title, key=f"lk_title_{this}")
    body = drafts.text_area(
        "The document's text",
        key=f"lk_body_{this}",
        scope=here.draft_scope,
        draft=document.text,
        stored=False,
        height=280,
    )

    def save(note: str) -> str:
        opened = mending.correct_document(
            here.workspace,
            here.person.person_id,
            document.doc_id,
            title=title,
            text=body,
            note=note,
        )
        return f"Corrected; the text before it is kept. {_back(opened)}"

    return Decision("Save the corrected document", WHY, save)


def _unreadable(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    document = group[0].document
    st.caption("These pairs are frozen as “cannot judge” and count as unjudged.")

    def save(note: str) -> str:
        count = mending.declare_unreadable(
            here.workspace, here.person.person_id, document.doc_id, note=note
        )
        return f"Declared unreadable: {counted(count, 'pair stays', 'pairs stay')} unjudged."

    return Decision("Declare it unreadable", WHY, save)


def _name(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    may = {
        person.person_id: person.name
        for person in people.all(here.workspace)
        if person.active and {Role.RATER, Role.LEAD} & set(person.roles)
    }
    experts = st.multiselect(
        "Who can judge this",
        list(may),
        format_func=may.__getitem__,
        key=f"lk_experts_{this}",
    )

    def save(note: str) -> str:
        count = mending.name_experts(
            here.workspace, here.person.person_id, _ids(group), experts, note=note
        )
        named = ", ".join(may[one] for one in experts)
        return f"{counted(count, 'pair')} given to {named}, and to nobody else."

    return Decision("Give it to them", TO_RATERS, save)


def _clarify(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    st.caption("Say in the rubric what it lacked, then open the pair again.")

    def save(note: str) -> str:
        opened = mending.clarify_rubric(
            here.workspace, here.person.person_id, _ids(group), note=note
        )
        return _back(opened)

    return Decision("The rubric covers it now", TO_RATERS, save)


def _anyway(here: Here, group: Sequence[StoppedPair], this: str) -> Decision:
    def save(note: str) -> str:
        return _back(
            mending.judge_anyway(here.workspace, here.person.person_id, _ids(group), note=note)
        )

    return Decision("Have it judged anyway", TO_RATERS, save)


def _ids(group: Sequence[StoppedPair]) -> list[int]:
    return [one.pair_id for one in group]


def _back(count: int) -> str:
    pairs = counted(count, "pair is", "pairs are")
    return f"{pairs} in the queue again, also for who could not judge before."


CHOICES: Mapping[Cause, Mapping[str, Fields]] = {
    Cause.QUERY_UNCLEAR: {
        "Reword the query": _edit,
        "Retire the query": _retire,
        "Judge it anyway": _anyway,
    },
    Cause.DOCUMENT_UNREADABLE: {
        "Correct the document": _correct,
        "Declare it unreadable": _unreadable,
        "Judge it anyway": _anyway,
    },
    Cause.NEEDS_EXPERT: {"Give it to named people": _name, "Judge it anyway": _anyway},
    Cause.RUBRIC_GAP: {"The rubric is clarified": _clarify, "Judge it anyway": _anyway},
}
"""What can be decided in each queue."""
