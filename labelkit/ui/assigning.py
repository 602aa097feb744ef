"""The Assign page: batches with their people and due days, the order, and third labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date

import streamlit as st

from labelkit import jobs
from labelkit.judging import assigning, ordering, third_labels
from labelkit.judging.assigning import Wish
from labelkit.judging.pooling import DEPTH, pooling_candidates
from labelkit.judging.third_labels import MOST_RATERS
from labelkit.model import QUERY_TYPES, QuerySource, Role
from labelkit.store import people
from labelkit.store.batches import Batch
from labelkit.ui import heading, notice, session, tables, work
from labelkit.ui.frame import Here
from labelkit.ui.markup import element
from labelkit.ui.text import plain
from labelkit.wording import counted

ORDERS = {
    "together": "One query's documents together, so that the need stays in mind",
    "random": "Every pair at random",
}
RATERS = {1: "1 rater", 2: "2 raters", 3: "3 raters"}


def due_words(due: str | None) -> str:
    """A due day in words, marked where it is over; empty without one."""
    if due is None:
        return ""
    return f"overdue since {due}" if assigning.is_overdue(due) else f"due {due}"


def _those_who_judge(here: Here) -> dict[str, str]:
    """person_id to name of everyone who can be given pairs."""
    return {
        person.person_id: person.name
        for person in people.all(here.workspace)
        if person.active and {Role.RATER, Role.LEAD} & set(person.roles)
    }


def batches(here: Here) -> None:
    """Every batch with its progress; the open ones can be changed."""
    found = assigning.standing(here.workspace, here.person.person_id)
    heading.section("Batches")
    if not found:
        heading.note(
            "None yet: every pooled pair goes to whichever rater comes first. A batch says for "
            "whom its pairs are, how many raters each gets, and until when."
        )
        return
    names = people.shown_names(here.workspace)
    tables.show(
        ("batch", "for", "raters a pair", "done", "waiting", "due", "state"),
        [_row(batch, names) for batch in found],
        label="Batches",
        numbers=("raters a pair", "done", "waiting"),
    )
    for batch in found:
        if batch.open:
            _warn(batch)
            _edit(here, batch)


def _row(batch: Batch, names: Mapping[str, str]) -> Sequence[object]:
    chip = "lk-chip lk-chip-bad" if assigning.is_overdue(batch.due) else "lk-keep"
    due = element("span", due_words(batch.due), cls=chip) if batch.due and batch.waiting else ""
    state = "closed" if not batch.open else "complete" if not batch.waiting else "open"
    return (
        batch.name,
        ", ".join(names.get(one, one) for one in batch.people) or "anyone",
        batch.raters,
        f"{batch.pairs - batch.waiting:,} of {batch.pairs:,}",
        f"{batch.waiting:,}",
        due or batch.due or "none",
        state,
    )


def _warn(batch: Batch) -> None:
    if batch.stuck:
        notice.show(
            "warning",
            f"“{batch.name}”: its people cannot finish {counted(batch.stuck, 'pair')}, "
            "because too few of them are still "
            "here and new to those pairs. Name someone more, or anyone.",
        )


def _edit(here: Here, batch: Batch) -> None:
    known = _those_who_judge(here)
    with st.expander(f"Change “{plain(batch.name)}”"):
        with st.form(f"lk_batch_{batch.batch_id}", border=False):
            named = _ask_people(known, f"lk_batch_people_{batch.batch_id}", batch.people)
            day = None if batch.due is None else date.fromisoformat(batch.due)
            due = st.date_input("Due", day, key=f"lk_batch_due_{batch.batch_id}", width=220)
            sent = st.form_submit_button("Keep these changes")
        if sent:
            assigning.change(
                here.workspace,
                here.person.person_id,
                batch.batch_id,
                people_named=named,
                due=_day(due),
            )
            session.say("success", f"“{batch.name}” is changed.")
            st.rerun()
        st.caption("Closing frees what still waits for everyone; no label is lost.")
        if st.button("Close this batch", key=f"lk_batch_close_{batch.batch_id}"):
            left = assigning.close(here.workspace, here.person.person_id, batch.batch_id)
            waits = counted(left, "pair waits", "pairs wait")
            session.say("success", f"“{batch.name}” is closed; {waits} for anyone.")
            st.rerun()


def _ask_people(known: Mapping[str, str], key: str, held: Sequence[str] = ()) -> tuple[str, ...]:
    found = st.multiselect(
        "Raters (nobody named: anyone)",
        list(known),
        default=[one for one in held if one in known],
        format_func=lambda one: plain(known[one]),
        key=key,
        placeholder="Anyone",
    )
    return tuple(found)


def _day(value: object) -> str | None:
    return value.isoformat() if isinstance(value, date) else None


def new_batch(here: Here) -> None:
    """Ask what the next batch is to hold; pooling runs as a job, whoever closes the page."""
    heading.section(
        "New batch",
        "Its pairs are what the chosen retrievers rank for the chosen queries, and what was found "
        "by hand. Pairs that have enough labels already count as done.",
    )
    if work.watch(here.workspace, "assign", "Making a batch"):
        return
    work.last_failure(here.workspace, "assign")
    with st.form("lk_new_batch", border=True):
        wish = _ask(here)
        sent = st.form_submit_button("Make the batch", type="primary")
    if sent:
        _make(here, wish)


def _ask(here: Here) -> Wish:
    left, right = st.columns(2, gap="medium")
    with left:
        name = st.text_input("Name", key="lk_batch_name", placeholder="Week 2, billing")
        sources = st.multiselect(
            "Queries by source", [one.value for one in QuerySource], key="lk_batch_sources",
            placeholder="All sources",
        )  # fmt: skip
        types = st.multiselect(
            "Queries by type", list(QUERY_TYPES), key="lk_batch_types",
            placeholder="All types",
        )  # fmt: skip
        ids = st.text_area(
            "Only these queries (ids, one a line)", key="lk_batch_ids", height=80,
            placeholder="All that fit the choices above",
        )  # fmt: skip
        unjudged = st.checkbox("Only queries without any judged document", key="lk_batch_unjudged")
    with right:
        named = _ask_people(_those_who_judge(here), "lk_batch_people")
        raters = st.selectbox(
            "Raters a pair", list(range(1, MOST_RATERS + 1)), key="lk_batch_raters",
            format_func=lambda one: RATERS[one], width=220,
        )  # fmt: skip
        due = st.date_input("Due", None, key="lk_batch_due", width=220)
        retrievers = st.multiselect(
            "Retrievers (none: what is pooled already)",
            [one.name for one in pooling_candidates()],
            key="lk_batch_retrievers",
            placeholder="What is pooled already",
        )
        depth = st.number_input(
            "Documents of each retriever", 1, assigning.DEEPEST, DEPTH, key="lk_batch_depth",
            width=220,
        )  # fmt: skip
    return Wish(
        name=name,
        raters=raters,
        people=named,
        due=_day(due),
        query_ids=tuple(ids.split()),
        sources=tuple(sources),
        types=tuple(types),
        unjudged=unjudged,
        retrievers=tuple(retrievers),
        depth=int(depth),
    )


def _make(here: Here, wish: Wish) -> None:
    if wish.retrievers:
        assigning.check(here.workspace, here.person.person_id, wish)
        arguments = {"person_id": here.person.person_id, "wish": asdict(wish)}
        jobs.start(here.workspace, "assign", arguments)
        st.rerun()
    made = assigning.make(here.workspace, here.person.person_id, wish)
    also = f" {made.shared:,} of them stand in another open batch too." if made.shared else ""
    session.say(
        "success",
        f"“{made.batch.name}” holds {counted(made.batch.pairs, 'pair')}, "
        f"{made.batch.waiting:,} of them waiting.{also}",
    )
    st.rerun()


def order(here: Here) -> None:
    """In which order raters are given pairs."""
    heading.section("Order", "Random for each rater, and the same again after a restart.")
    held = ordering.order(here.workspace)
    wanted = st.radio(
        "Order of pairs",
        list(ORDERS),
        index=list(ORDERS).index(held),
        format_func=ORDERS.__getitem__,
        key="lk_order",
        label_visibility="collapsed",
    )
    if wanted != held:
        ordering.set_order(here.workspace, here.person.person_id, wanted)
        session.say("success", f"Order: {ORDERS[wanted].lower()}.")
        st.rerun()


def thirds(here: Here) -> None:
    """How many third labels may be asked for, and how many are."""
    found = third_labels.standing(here.workspace, here.person.person_id)
    heading.section(
        "Third labels",
        "Where two people gave 0 and 2, a third is asked without being told, up to a share of "
        f"all pairs judged twice (at least {third_labels.FEWEST}). The pair stays among the "
        "disagreements until a lead settles it.",
    )
    tables.facts(
        [
            ("asked for", f"{found.asked:,} of at most {found.limit:,}"),
            ("given", f"{found.given:,}"),
            ("0 against 2 without", f"{found.left_out:,}"),
        ],
        label="Third labels",
    )
    with st.form("lk_thirds", border=False):
        share = st.number_input(
            "Largest share of pairs judged twice, %",
            0,
            100,
            round(100 * found.share),
            key="lk_thirds_share",
            width=220,
        )
        sent = st.form_submit_button("Set the share")
    if sent:
        asked = third_labels.set_share(here.workspace, here.person.person_id, share / 100)
        session.say("success", f"At most {share} % from now on; {asked:,} are asked for.")
        st.rerun()
