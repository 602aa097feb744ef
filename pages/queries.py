"""Queries: which are in the test set, where do they come from, and are there enough?"""

from labelkit.ui import (
    frame,
    heading,
    import_words,
    querying,
    querying_add,
    querying_log,
    querying_size,
    querying_talk,
    refusals,
)

VIEWS = {
    "list": querying.show,
    "log": querying_log.show,
    "conversations": querying_talk.show,
    "misses": querying_add.misses,
    "by-hand": querying_add.by_hand,
}

with frame.page("queries") as here:
    heading.ask("Which queries are in the test set, and are there enough?")
    querying_size.show(here)
    view = querying.ask_view()
    with refusals.shown(word=import_words.on_page):
        VIEWS[view](here)
