"""What stands beside a benchmark's figures: preflight, changed queries, latency; as jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from labelkit.bench import panels
from labelkit.measures import written
from labelkit.store import Workspace
from labelkit.ui import heading, spans, tables, work
from labelkit.ui.markup import Markup, element, join

BUTTONS = {
    "preflight": "Look first",
    "robustness": "Try changed queries",
    "latency": "Time the queries",
}
TITLES = {
    "preflight": "Looked at before running",
    "robustness": "Under changed queries and doubled documents",
    "latency": "Time a query takes",
}
WHAT = (
    "Look first: what would stop a candidate, and what a run would take. Changed queries: what "
    "misspelled, shouted or shortened ones cost. Time: how long a query takes, alone and with "
    "others. What they find stands at the end of this page, and is no part of a run."
)

Found = Mapping[str, Any]


def asked_for() -> str:
    """One button for each kind of look; the kind whose button was pressed, or ""."""
    pressed = [kind for kind, word in BUTTONS.items() if st.button(word, key=f"lk_start_{kind}")]
    return next(iter(pressed), "")


def watch(workspace: Workspace) -> bool:
    """Show the look at work; False where none is."""
    return any(work.watch(workspace, kind, TITLES[kind]) for kind in panels.KINDS)


def last_failures(workspace: Workspace) -> None:
    """Say why the last look of a kind came to nothing."""
    for kind in panels.KINDS:
        work.last_failure(workspace, kind)


def show(workspace: Workspace, tag: str) -> None:
    """What the last looks found on a release, each behind its title."""
    for kind in panels.KINDS:
        found = panels.latest(workspace, kind, tag)
        if found is not None:
            with st.expander(TITLES[kind], key=f"lk_panel_{kind}"):
                heading.note(f"release {tag} · {found['made_at'][:16].replace('T', ' ')} UTC")
                DRAWN[kind](found)


def _preflight(found: Found) -> None:
    rows = [
        (
            join(element("div", one["candidate"]), _verdict(one)),
            _listed([*one["problems"], *one["facts"]]),
        )
        for one in found["candidates"]
    ]
    tables.show(("candidate", "what was found"), rows, label=TITLES["preflight"])


def _verdict(one: Found) -> Markup:
    good = one["passed"]
    word = "nothing against it" if good else "would be stopped"
    return element("span", word, cls=f"lk-chip {'lk-chip-good' if good else 'lk-chip-bad'}")


def _listed(facts: Sequence[str]) -> Markup:
    return element("ul", *(element("li", one) for one in facts), cls="lk-points")


def _robustness(found: Found) -> None:
    done = [one for one in found["candidates"] if not one["why"]]
    metric = written(found["primary"])
    changes = list(dict.fromkeys(row["a"] for one in done for row in one["comparisons"]))
    rows = [
        [one["candidate"], spans.figure(one["mean"], 3), *_losses(one, changes)] for one in done
    ]
    columns = ("candidate", f"{metric} as it stands", *changes)
    tables.show(columns, rows, label=TITLES["robustness"], wide=True)
    _failed(found)
    heading.note(
        "Changed minus unchanged over the same queries, with the 95 % interval; bold where the "
        "difference holds after Holm's correction. A duplicate is judged by nobody: it takes room."
    )


def _losses(one: Found, changes: Sequence[str]) -> list[Any]:
    """What each change cost; a dash for one that the candidate does not see."""
    costs = {row["a"]: _loss(row) for row in one["comparisons"]}
    return [costs.get(change, "–") for change in changes]


def _loss(row: Found) -> Markup:
    certain = row["verdict"] in ("better", "worse")
    figure = element("b" if certain else "span", f"{row['difference']:+.3f}")
    if row["low"] is None:
        return figure
    interval = f"{row['low']:+.3f} to {row['high']:+.3f}"
    return join(figure, element("div", interval, cls="lk-interval"))


def _latency(found: Found) -> None:
    done = [one for one in found["candidates"] if not one["why"]]
    levels = [level["at_once"] for level in done[0]["levels"]] if done else []
    heads = ["alone" if level == 1 else f"{level} at once" for level in levels]
    rows = [
        [one["candidate"], *map(_level, one["levels"]), f"{one['first_answer_seconds']:,.1f} s"]
        for one in done
    ]
    columns = ("candidate", *heads, "first answer after a start")
    tables.show(columns, rows, label=TITLES["latency"], wide=True)
    _failed(found)
    machines = dict.fromkeys(one["machine"] for one in done)
    heading.note(f"Milliseconds as p50 / p95 / p99. Measured on {', '.join(machines)}.")


def _level(level: Found) -> Markup:
    figures = " / ".join(f"{level[key]:,.1f}" for key in ("p50", "p95", "p99"))
    rate = f"{level['per_second']:,.0f} queries a second"
    return join(figures, element("div", rate, cls="lk-interval"))


def _failed(found: Found) -> None:
    for one in found["candidates"]:
        if one["why"]:
            heading.note(one["why"])


DRAWN: Mapping[str, Callable[[Found], None]] = {
    "preflight": _preflight,
    "robustness": _robustness,
    "latency": _latency,
}
