"""The pages, in the order of the work, and who may open which."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from labelkit.model import Person, Role

ANYONE = tuple(Role)
MEASURES = (Role.REVIEWER, Role.LEAD)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its file beside app.py, its title, its group in the sidebar, who may open it."""

    name: str
    file: str
    title: str
    group: str
    roles: tuple[Role, ...]


PAGES = {
    page.name: page
    for page in (
        Page("overview", "app.py", "Overview", "", ANYONE),
        Page("import", "pages/import.py", "Import", "Build", (Role.LEAD,)),
        Page("queries", "pages/queries.py", "Queries", "Build", (Role.LEAD,)),
        Page("drafts", "pages/drafts.py", "Draft queries", "Build", (Role.LEAD,)),
        Page("review", "pages/review.py", "Review queries", "Build", (Role.RATER, Role.LEAD)),
        Page("assign", "pages/assign.py", "Assign", "Judge", (Role.LEAD,)),
        Page("label", "pages/label.py", "Label", "Judge", (Role.RATER, Role.LEAD)),
        Page("agreement", "pages/agreement.py", "Agreement", "Judge", (Role.LEAD,)),
        Page("adjudicate", "pages/adjudicate.py", "Adjudicate", "Judge", (Role.LEAD,)),
        Page("training", "pages/training.py", "Training", "Judge", (Role.RATER, Role.LEAD)),
        Page("model_judge", "pages/model_judge.py", "Model judge", "Judge", (Role.LEAD,)),
        Page("rubric", "pages/rubric.py", "Rubric", "Judge", (Role.RATER, Role.LEAD)),
        Page("releases", "pages/releases.py", "Releases", "Measure", MEASURES),
        Page("benchmark", "pages/benchmark.py", "Benchmark", "Measure", MEASURES),
        Page("failures", "pages/failures.py", "Failures", "Measure", MEASURES),
        Page("production", "pages/production.py", "Production", "Measure", MEASURES),
        Page("people", "pages/people.py", "People", "Manage", (Role.LEAD,)),
    )
}
"""Every page by name. The measuring pages show other people's labels, so a rater who is no
reviewer does not open them."""


def allowed(person: Person, page: Page) -> bool:
    """Whether one of the person's roles opens this page."""
    return bool(set(person.roles) & set(page.roles))


def sees_labels(person: Person) -> bool:
    """Whether the person may read what others said of a pair, even as a count.

    A rater who reads how many pairs differ, right after a save, reads what the other person said.
    """
    return bool(set(person.roles) & set(MEASURES))


def link(name: str, label: str | None = None, *, part: str = "") -> bool:
    """Draw a link to a page, or to one part of it that the page knows by this word.

    False, and nothing drawn, where this installation lacks the page.
    """
    page = PAGES[name]
    asked = {"part": part} if part else None
    try:
        st.page_link(page.file, label=label or page.title, query_params=asked)
    except StreamlitPageNotFoundError:
        return False
    return True


def links(person: Person) -> None:
    """Draw the links this person's roles allow, under the names of their groups."""
    heading = ""
    for page in PAGES.values():
        if not allowed(person, page):
            continue
        slot = st.empty() if page.group != heading else None
        if link(page.name) and slot is not None:
            slot.caption(page.group)
            heading = page.group
