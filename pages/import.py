"""Import: what is the test set built from?

A file is looked at first; then all of it is imported, or nothing.
"""

from labelkit.ui import frame, heading, import_large, import_words, imports, pooling, refusals

with frame.page("import") as here:
    heading.ask("What is the test set built from?")
    counts = imports.what_is_here(here)
    kind = imports.ask_kind()
    file = imports.upload(kind)
    with refusals.shown(word=import_words.on_page):
        if not import_large.watch(here) and file is not None:
            imports.look(here, kind, file, counts)
    pooling.offer(here, counts)
