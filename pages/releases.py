"""Releases: what exactly is frozen?"""

from labelkit import releases
from labelkit.ui import frame, heading, refusals, releasing

with frame.page("releases") as here:
    heading.ask("What exactly is frozen?")
    held = releases.list_releases(here.workspace)
    heading.section("The next release", "What would be frozen now.")
    rule = releasing.ask_rule()
    ready = releases.readiness(here.workspace, rule)
    releasing.next_release(ready)
    releasing.ask_freeze(here, rule, held)

    heading.section("Releases")
    if held:
        releasing.table(held)
        with refusals.shown():
            releasing.one(here, held)
    else:
        heading.note("None yet. A release is what candidates are compared on; it never changes.")
