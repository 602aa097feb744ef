"""The parts of the Overview page."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from labelkit import overview
from labelkit.agreement import AgreementReport
from labelkit.judging import warm_up
from labelkit.model import Role
from labelkit.overview import NextStep, Overview
from labelkit.store import Workspace
from labelkit.ui import heading, navigation
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element

LONG = 8
"""Reasons shown before the rest is only counted."""


def read(here: Here) -> Overview:
    """What the page shows, read again only when the workspace has changed."""
    return _overview(here.workspace.path.as_posix(), here.person.person_id, _stamp(here.workspace))


@st.cache_data(ttl=300, max_entries=64, show_spinner="Counting …")
def _overview(path: str, person_id: str, stamp: tuple[int, ...]) -> Overview:
    return overview.overview(Workspace.open(path), person_id)


def warm_up_offer(here: Here) -> None:
    """Tell a lead that there is enough for a warm-up, until they decide on one."""
    if Role.LEAD not in here.person.roles:
        return
    path, person_id = here.workspace.path.as_posix(), here.person.person_id
    if found := _warm_up_pairs(path, person_id, _stamp(here.workspace)):
        heading.note(
            f"New raters begin with real pairs. {found} pairs have an agreed level: enough for a "
            "warm-up, in which they are told the agreed level after each."
        )
        navigation.link("training", "Set up a warm-up")


@st.cache_data(ttl=300, max_entries=64, show_spinner=False)
def _warm_up_pairs(path: str, person_id: str, stamp: tuple[int, ...]) -> int:
    return warm_up.offered(Workspace.open(path), person_id)


def _stamp(workspace: Workspace) -> tuple[int, ...]:
    """Changes with every write: the times of the database, its log, and the finished runs."""
    watched = (workspace.database, workspace.database.with_suffix(".db-wal"), workspace.runs)
    return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in watched)


def next_step(here: Here, seen: Overview) -> None:
    """The one thing to do now, as a sentence and a link to its page; then what else is stuck."""
    draw(element("p", f"Next: {seen.next_step.text}", cls="lk-lead"))
    _link(here, seen.next_step)
    if seen.stopped is not None:
        heading.note(seen.stopped.text)
        _link(here, seen.stopped)


def _link(here: Here, step: NextStep) -> None:
    page = navigation.PAGES.get(step.page)
    if page is not None and navigation.allowed(here.person, page):
        label = "Decide on them" if step.part else f"Open {page.title}"
        navigation.link(page.name, label, part=step.part)


def figures(here: Here, seen: Overview) -> Iterator[tuple[str, str]]:
    """What there is, in counts; each name says what it counts.

    A rater who is no more than that reads how much is judged, and nothing of how.
    """
    counts = seen.counts
    queries = counts.queries_accepted + counts.queries_draft + counts.queries_rejected
    yield "stage", seen.stage
    yield "documents", f"{counts.documents:,}"
    yield "queries accepted", f"{counts.queries_accepted:,} of {queries:,}"
    yield "drafts to review", f"{counts.queries_draft:,}"
    if not navigation.sees_labels(here.person):
        yield "pairs judged", f"{counts.pairs - counts.pairs_unjudged:,} of {counts.pairs:,}"
        return
    yield "queries with a level", f"{counts.queries_judged:,}"
    yield "pairs with a level", f"{counts.pairs_resolved:,} of {counts.pairs:,}"
    yield "disagreements", f"{counts.pairs_unresolved:,}"
    yield "cannot be judged", f"{counts.pairs_cannot_judge:,}"
    yield "levels 2 / 1 / 0", f"{counts.level_2:,} / {counts.level_1:,} / {counts.level_0:,}"
    yield "second labels", f"{counts.pairs_second_labelled:,} of {seen.second_labels_wanted:,}"


def agreement(report: AgreementReport) -> None:
    """How far raters agree, in one sentence with what weakens it."""
    heading.section("Agreement")
    draw(element("p", report.sentence, cls="lk-note"))
    _points(report.warnings)


def before_a_freeze(seen: Overview) -> None:
    """What refuses a freeze now, and what a release would carry as a warning."""
    heading.section("Before a freeze")
    if not seen.missing:
        draw(element("p", "Nothing stands in the way of a release.", cls="lk-note"))
    _points(seen.missing)
    if seen.warnings:
        draw(element("p", "A release made now would say:", cls="lk-note"))
        _points(seen.warnings)


def _points(lines: tuple[str, ...]) -> None:
    shown = [*lines[:LONG], *([f"and {len(lines) - LONG} more"] if len(lines) > LONG else [])]
    if shown:
        draw(element("ul", *(element("li", line) for line in shown), cls="lk-points"))
