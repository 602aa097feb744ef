"""The top of the Review page: what is done, the spot-check sample, and the lead's choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from labelkit import drafting
from labelkit.drafting import SHARES, SampleStanding
from labelkit.drafting.spotcheck import FEWEST
from labelkit.errors import LabelkitError
from labelkit.measures import Estimate
from labelkit.model import Role
from labelkit.ui import clock, heading, reviewing_pool, session, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import Markup, element, join
from labelkit.ui.reviewing import REST
from labelkit.wording import counted


def standing(here: Here) -> SampleStanding | None:
    """Draw how far the review is; returns where the sample stands."""
    done, sample = drafting.reviewed(here.workspace), drafting.sample_standing(here.workspace)
    facts: list[tuple[str, Any]] = [] if sample is None else [("sample", _progress(sample))]
    facts += [
        ("waiting", done.waiting),
        ("accepted", _accepted(done)),
        ("rejected", done.rejected),
    ]
    facts += [("held", done.held)] if done.held else []
    title = "acceptance rate, 95 %" if sample is None else "accepted in the sample, 95 %"
    facts.append((title, rate(done.acceptance if sample is None else sample.rate)))
    tables.facts(facts, label="Drafts by decision")
    # Always drawn: what appears above the draft later would take the cursor out of it.
    with st.container(key="lk_review_top", gap="xsmall"):
        reviewing_pool.standing(here)
        if Role.LEAD in here.person.roles:
            _leads(here, done, sample)
    return sample


def _accepted(done: drafting.Reviewed) -> str:
    parts = [f"{done.edited} edited"] * bool(done.edited)
    parts += [f"{done.unreviewed} unread"] * bool(done.unreviewed)
    return f"{done.accepted} ({', '.join(parts)})" if parts else str(done.accepted)


def _progress(sample: SampleStanding) -> str:
    return f"{sample.drawn - sample.open} of {sample.drawn} done"


def rate(found: Estimate) -> Markup:
    """A rate with its interval and n, pale where n is too small to go by."""
    if found.mean is None:
        return element("span", "–", cls="lk-few")
    words = f"{found.mean:.0%} ({found.low:.0%} to {found.high:.0%}), n {found.n}"
    few = found.n < FEWEST
    return element("span", words + (": too few" if few else ""), cls="lk-few" if few else None)


def only_sample(sample: SampleStanding | None) -> bool:
    """Whether the drafts of the sample come alone: until they are done, unless asked otherwise."""
    return sample is not None and not sample.done and REST not in st.query_params


def waits_for_choice(sample: SampleStanding | None) -> bool:
    """Whether the sample is read and the drafts outside it wait for what the lead chooses."""
    if sample is None or REST in st.query_params:
        return False
    return sample.done and bool(sample.outside)


def scope(sample: SampleStanding | None) -> None:
    """Say which drafts are gone through, and offer the others."""
    with st.container(horizontal=True, vertical_alignment="center", key="lk_review_scope"):
        if sample is None or not (sample.open and (sample.outside or sample.later)):
            return
        if REST in st.query_params:
            heading.note("All drafts, not only those of the sample.")
            if st.button("Back to the sample", key="lk_only_sample", type="tertiary"):
                del st.query_params[REST]
                st.rerun()
        else:
            heading.note("The drafts of the sample, drawn at random.")
            _read_on("All drafts")


def _read_on(label: str) -> None:
    if st.button(label, key="lk_all_drafts", type="tertiary"):
        st.query_params[REST] = "1"
        st.rerun()


def choice(here: Here, sample: SampleStanding) -> None:
    """The sample is read: what becomes of the drafts outside it."""
    number = len(sample.outside)
    others = counted(number, "draft")
    heading.section("The sample is read")
    heading.note(join("Accepted in the sample: ", rate(sample.rate), "."))
    if Role.LEAD in here.person.roles:
        heading.note(
            f"{others} outside the sample: accept unread, hold, or read on. What is accepted "
            "unread says so wherever its provenance is shown, releases included."
        )
        _choose(here, others)
    else:
        heading.note(f"A lead decides on the {others} outside the sample; you can read on.")
    _read_on("Read on, one by one")


def _choose(here: Here, others: str) -> None:
    with st.form("lk_outside", border=False):
        note = st.text_input("Why (one sentence, kept with the choice)", key="lk_outside_note")
        with st.container(horizontal=True):
            accept = st.form_submit_button(f"Accept {others} unread")
            hold = st.form_submit_button(f"Hold {others}")
    if accept or hold:
        _settle(here, "accepted" if accept else "held", note)


def _settle(here: Here, chosen: str, note: str) -> None:
    try:
        number = drafting.settle_outside(here.workspace, here.person.person_id, chosen, note=note)
    except LabelkitError as error:
        session.say("error", str(error))
        st.rerun()
    drafts = counted(number, "draft")
    if chosen == "held":
        session.say("info", f"{drafts} held. They stay drafts until a lead lets them go.")
    else:
        session.say("success", f"{drafts} accepted unread. {reviewing_pool.begin(here)}")
    st.rerun()


def _leads(here: Here, done: drafting.Reviewed, sample: SampleStanding | None) -> None:
    title = "Spot-check" if sample is None else "Spot-check: rates, the draw, earlier choices"
    if not (done.waiting or done.held or sample):
        return
    # A new sample is a new panel, closed again: the draft is what is looked at next.
    key = f"lk_spot_check_{sample.sample.sample_id if sample else 0}_{waits_for_choice(sample)}"
    with st.expander(title, key=key, expanded=waits_for_choice(sample)):
        if sample is not None:
            _detail(sample)
        if done.waiting:
            _draw(here, sample)
        if done.held:
            _release(here, done.held)
        _earlier(here)


def _detail(sample: SampleStanding) -> None:
    row = sample.sample
    heading.note(
        f"{row.share} % of {counted(sample.population, 'draft')}, seed {row.seed}, drawn by "
        f"{row.drawn_by} on {clock.day(row.drawn_at)}: {sample.read} of {sample.drawn} read, "
        f"{sample.edited} edited. {len(sample.outside)} outside it wait, {sample.later} came later."
    )
    for name, rates in (("document type", sample.by_type), ("warning", sample.by_warning)):
        if rates:
            tables.show(
                [name, "accepted, 95 %", ""],
                [
                    (key, rate(one), join(spans.span(one.mean, one.low, one.high)))
                    for key, one in rates.items()
                ],
                label=f"Acceptance by {name}",
            )


def _draw(here: Here, sample: SampleStanding | None) -> None:
    """Ask for a share; of a sample that is not settled, only a larger one can be drawn."""
    unsettled = sample is not None and bool(sample.open or sample.outside)
    least = sample.sample.share if sample is not None and unsettled else 0
    shares = [share for share in SHARES if share > least]
    if not shares:
        return
    if unsettled:
        heading.note("A larger share keeps the drafts that were drawn, and the seed.")
    else:
        heading.note(
            "A random share of the waiting drafts is read first; the rate says what the others "
            "are worth."
        )
    with (
        st.form("lk_draw", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        share = st.selectbox(
            "Share", shares, index=0 if unsettled else 2, format_func=_share, key="lk_share",
            width=160,
        )  # fmt: skip
        seed = None if unsettled else _seed()
        sent = st.form_submit_button("Draw a larger share" if unsettled else "Draw")
    if sent:
        _drawn(here, int(share), seed)


def _seed() -> int | None:
    given = st.number_input(
        "Seed", 0, 2**31 - 1, None, key="lk_seed", placeholder="at random", width=180
    )
    return None if given is None else int(given)


def _share(share: int) -> str:
    return "all" if share == 100 else f"{share} %"


def _drawn(here: Here, share: int, seed: int | None) -> None:
    try:
        number = drafting.draw(here.workspace, here.person.person_id, share, seed=seed)
        session.say("success", f"{counted(number, 'draft')} drawn.")
        st.query_params.clear()
    except LabelkitError as error:
        session.say("error", str(error))
    st.rerun()


def _release(here: Here, held: int) -> None:
    if st.button(f"Let {counted(held, 'held draft')} go", key="lk_release_held"):
        drafting.release_held(here.workspace, here.person.person_id)
        session.say("info", "They wait for review again.")
        st.rerun()


def _earlier(here: Here) -> None:
    rows = [
        (
            clock.day(one.at),
            one.person,
            f"{one.drafts} {'accepted unread' if one.choice == 'accepted' else 'held'}",
            _then(one.rate),
            one.note,
        )
        for one in drafting.choices(here.workspace)
    ]
    if rows:
        columns = ["when", "who", "outside the sample", "rate then", "why"]
        tables.show(columns, rows, label="Earlier choices")


def _then(kept: Mapping[str, Any]) -> str:
    if kept["share"] is None:
        return "– (n 0)"
    return f"{kept['share']:.0%} ({kept['low']:.0%} to {kept['high']:.0%}), n {kept['n']}"
