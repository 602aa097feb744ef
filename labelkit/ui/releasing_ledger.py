"""Why a score moved between two runs: labels, queries or the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit.bench import RunResult, load_run
from labelkit.bench.ledger import Ledger
from labelkit.bench.ledger_of_runs import ledger_of
from labelkit.bench.runs import list_runs
from labelkit.measures import written
from labelkit.releases import ReleaseRow
from labelkit.ui import address, clock, heading, navigation, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element


def show(here: Here, held: Sequence[ReleaseRow]) -> None:
    """Ask for two runs and a candidate, and split the difference of its scores."""
    runs = _finished(here)
    if len(runs) < 2:
        heading.note(
            "Two finished runs are needed, the older one on the older release. "
            f"There {'is' if len(runs) == 1 else 'are'} {len(runs)}."
        )
        navigation.link("benchmark", "Run the candidates on a release")
        return
    old, new = _ask_runs(runs)
    names = [name for name in old.completed if name in new.completed]
    if old.folder == new.folder or not names:
        heading.note("Choose two different runs in which the same candidate has results.")
        return
    with st.container(horizontal=True):
        name = address.choose("Candidate", names, "candidate", width=300)
        metrics = list(dict.fromkeys([str(old.plan.primary), *map(str, old.plan.measures)]))
        metric = address.choose("Metric", metrics, "metric", format_func=written, width=220)
    _draw(ledger_of(old, new, name, metric=metric, workspace=here.workspace), metric)


def _finished(here: Here) -> dict[str, RunResult]:
    """Finished runs by name, newest first."""
    found = (load_run(folder) for folder in list_runs(here.workspace.runs))
    return {run.folder.name: run for run in found if run.finished}


def _ask_runs(runs: Mapping[str, RunResult]) -> tuple[RunResult, RunResult]:
    names = list(runs)
    with st.container(horizontal=True):
        old = address.choose(
            "Then", names, "then", default=names[1], format_func=lambda name: _told(runs[name])
        )
        new = address.choose(
            "Now", names, "now", default=names[0], format_func=lambda name: _told(runs[name])
        )
    return runs[old], runs[new]


def _told(run: RunResult) -> str:
    day = clock.day(run.manifest["created_at"])
    return f"{run.folder.name} · release {run.manifest['release']['tag']} · {day}"


def _draw(found: Ledger, metric: str) -> None:
    draw(element("p", found.sentence, cls="lk-lead"))
    parts = {
        "labels changed": found.labels_changed,
        "queries added": found.queries_added,
        "queries withdrawn": found.queries_withdrawn,
        "system changed": found.system_changed,
        "together": found.total,
    }
    reach = max(0.01, *(abs(part) for part in parts.values()))
    tables.show(
        ("because of", f"{written(metric)} moved by", ""),
        [
            (name, f"{part:+.3f}", spans.span(part, None, None, scale=(-reach, reach), marks=(0,)))
            for name, part in parts.items()
        ],
        label="The difference by cause",
        numbers=(f"{written(metric)} moved by",),
    )
    _cells(found)


def _cells(found: Ledger) -> None:
    """The four scores that the parts are made of, and what they do not tell apart."""
    n = found.n
    heading.note(
        f"Both runs under both releases, on the {n['common']:,} queries that both hold and that "
        f"count ({n['then']:,} then, {n['now']:,} now):"
    )
    tables.show(
        ("", "older release", "newer release"),
        [
            (f"{run} run", *(f"{found.cells[f'{which} run, {one} release']:.3f}"
                             for one in ("old", "new")))
            for run, which in (("older", "old"), ("newer", "new"))
        ],
        label="Scores of both runs under both releases",
        numbers=("older release", "newer release"),
    )  # fmt: skip
    heading.note(
        f"Labels and system each get the mean of their two orders; {found.interaction:+.3f} of it "
        "depends on the order. A query that was reworded and a document that was edited count as "
        "system: the run saw other words."
    )
