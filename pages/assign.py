"""Assign: who judges what, in which order, and until when?"""

from labelkit.ui import assigning, frame, heading, refusals

with frame.page("assign") as here:
    heading.ask("Who judges what, and until when?")
    with refusals.shown():
        assigning.batches(here)
    with refusals.shown():
        assigning.new_batch(here)
    with refusals.shown():
        assigning.order(here)
    with refusals.shown():
        assigning.thirds(here)
