"""Releases: what exactly is frozen?"""

import streamlit as st

from labelkit import releases
from labelkit.ui import (
    frame,
    heading,
    refusals,
    releasing,
    releasing_colleague,
    releasing_diff,
    releasing_held,
    releasing_ledger,
)

VIEWS = {
    "One release": releasing_held.one,
    "Two releases": releasing_diff.show,
    "Why a score moved": releasing_ledger.show,
    "A colleague's release": releasing_colleague.show,
}
NAMES = dict(zip(("one", "two", "ledger", "colleague"), VIEWS, strict=True))

with frame.page("releases") as here:
    heading.ask("What exactly is frozen?")
    held = releases.list_releases(here.workspace)
    heading.section("The next release", "What would be frozen now.")
    asked = releasing.ask()
    ready = releases.readiness(here.workspace, asked.rule)
    releasing.next_release(ready)
    releasing.ask_freeze(here, asked, held)

    heading.section("Releases")
    if held:
        releasing_held.table(held)
    first = st.query_params.get("view", "one")
    view = st.radio(
        "Look at",
        list(NAMES),
        index=list(NAMES).index(first) if first in NAMES else 0,
        format_func=NAMES.__getitem__,
        horizontal=True,
        key="lk_releases_view",
    )
    if view != first:
        st.query_params["view"] = view
    with refusals.shown():
        VIEWS[NAMES[view]](here, held)
