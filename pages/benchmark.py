"""Benchmark: which candidates are better, and by how much, for certain?"""

import streamlit as st

from labelkit import releases
from labelkit.ui import benchmarking, doubting, frame, heading, looking, origins, results
from labelkit.ui.markup import draw, element

with frame.page("benchmark") as here:
    heading.ask("Which candidates are better, and by how much, for certain?")
    held = releases.list_releases(here.workspace)
    run = benchmarking.choose_run(here)
    if not held:
        heading.nothing_yet(
            "Candidates are compared on a frozen release, and nothing is frozen yet.",
            "releases",
            "Freeze the first release",
        )
        st.stop()
    if run is not None and run.finished:
        draw(element("p", run.decision, cls="lk-lead"))
        heading.note(benchmarking.headline(run))
        origins.note_release(here.workspace, run.manifest["release"]["tag"])
        results.table(run.summary)
        results.comparisons(run.summary)
        results.other_level(run.summary)
        results.holes(run.summary)
        doubting.section(here, run)
        results.reduced(run.summary)
        results.on_paper(run.summary)
        results.what_ran(run.summary)
        results.slices(run.summary)
        results.left_out(run.summary)
        results.downloads(run)
        st.page_link(
            "pages/failures.py",
            label="Read where they differ",
            query_params={"run": run.folder.name},
        )
    elif run is not None:
        benchmarking.offer_to_go_on(here, run)
    benchmarking.ask(here, held, first=run is None)
    looking.show(here.workspace, run.manifest["release"]["tag"] if run else held[0].tag)
