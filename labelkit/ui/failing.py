"""The parts of the Failures page: two candidates, one query, and what each of them shows for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from labelkit import judging, releases
from labelkit.bench import FailureReport, Outcome, QueryFailure, RunResult, ShownDocument
from labelkit.bench import failures as compare
from labelkit.bench.report import difference_text
from labelkit.bench.runs import list_runs
from labelkit.judging import Resolution, State
from labelkit.measures import written
from labelkit.model import Document, Query
from labelkit.releases import Release
from labelkit.ui import address, heading, results, session, spans, tables, text
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import Markup, draw, element, join, safe
from labelkit.wording import counted

QUERY = "query"
EVERY = "all"
LISTED = 25
LEVEL_STYLES = {2: "lk-chip lk-chip-good", 1: "lk-chip lk-chip-warn", 0: "lk-chip"}
NOW = {
    State.UNJUDGED: "in the queue",
    State.RESOLVED: "judged since",
    State.UNRESOLVED: "judged since",
    State.CANNOT_JUDGE: "could not be judged",
}

Resolutions = Mapping[tuple[str, str], Resolution]


@dataclass(frozen=True, slots=True)
class Opened:
    """A comparison with the release it speaks of."""

    run: RunResult
    release: Release
    report: FailureReport
    documents: Mapping[str, Document]
    queries: Mapping[str, Query]

    @property
    def names(self) -> tuple[str, str]:
        """The two candidates, a before b."""
        return self.report.a, self.report.b


def finished_runs(here: Here) -> list[str]:
    """The names of the finished runs that hold two candidates with results, newest first."""
    runs = [_run(folder) for folder in list_runs(here.workspace.runs)]
    return [run.folder.name for run in runs if run.finished and len(run.completed) > 1]


def _run(folder: Path) -> RunResult:
    from labelkit.bench import load_run

    return load_run(folder)


def choose(here: Here, names: Sequence[str]) -> Opened:
    """Ask for the run and its two candidates, the two best first, and compare them."""
    columns = st.columns(3)
    with columns[0]:
        run = _run(here.workspace.runs / address.choose("Run", names, "run"))
    best = [one["name"] for one in results.completed(run.summary)]
    with columns[1]:
        a = address.choose("Candidate", best, "a")
    with columns[2]:
        others = [name for name in best if name != a]
        b = address.choose("Against", others, "b")
    folder = releases.find(here.workspace, run.manifest["release"]["tag"])
    return _opened(run.folder, folder, run.manifest["release"]["content_sha256"], a, b)


@st.cache_resource(max_entries=4, show_spinner="Reading the run")
def _opened(run_folder: Path, release_folder: Path, content: str, a: str, b: str) -> Opened:
    """Neither a finished run nor a release changes, so what was read and verified is kept."""
    run, release = _run(run_folder), releases.load(release_folder)
    return Opened(
        run,
        release,
        compare(run, release, a, b),
        {document.doc_id: document for document in release.documents},
        {query.query_id: query for query in release.queries},
    )


def counts(opened: Opened) -> None:
    """How many queries only one answers, both, neither, and how many nothing answers."""
    report = opened.report
    found = report.counts
    tables.facts(
        [
            (f"only {report.a} answers", found[Outcome.ONLY_A]),
            (f"only {report.b} answers", found[Outcome.ONLY_B]),
            ("both", found[Outcome.BOTH]),
            ("neither", found[Outcome.NEITHER]),
            ("no answer exists", found[Outcome.NO_ANSWER]),
        ],
        label="Queries by who answers them",
    )
    heading.note(
        f"Answered: a document of level {report.relevant_level} in the top {report.k}. "
        f"{difference_text(report, opened.run)}"
    )


def choose_query(opened: Opened) -> QueryFailure | None:
    """Ask which queries to go through, biggest difference first; returns the one on screen."""
    report = opened.report
    labels = {
        EVERY: "all queries",
        Outcome.ONLY_A.value: f"only {report.a} answers",
        Outcome.ONLY_B.value: f"only {report.b} answers",
        **{one.value: one.value for one in (Outcome.BOTH, Outcome.NEITHER, Outcome.NO_ANSWER)},
    }
    show = address.choose("Show", list(labels), "show", format_func=labels.__getitem__)
    rows = [row for row in report.queries if show in (EVERY, row.outcome.value)]
    if not rows:
        heading.note("No query of that kind.")
        return None
    _list(rows, opened)
    return _step(rows)


def _list(rows: Sequence[QueryFailure], opened: Opened) -> None:
    metric = written(opened.report.primary)
    a, b = opened.names
    with st.expander(f"The list, biggest difference in {metric} first ({len(rows)})"):
        tables.show(
            ("query", "", "difference", a, b),
            [
                (row.query_id, row.text, _signed(row.difference), spans.figure(row.a_value),
                 spans.figure(row.b_value))
                for row in rows[:LISTED]
            ],
            label="Queries by difference",
            numbers=("difference", a, b),
        )  # fmt: skip
        if len(rows) > LISTED:
            heading.note(f"{len(rows) - LISTED} more.")


def _signed(difference: float | None) -> str:
    return "–" if difference is None else f"{difference:+.2f}"


def _step(rows: Sequence[QueryFailure]) -> QueryFailure:
    """The query the address names, else the first; with the buttons to go through them."""
    ids = [row.query_id for row in rows]
    asked = st.query_params.get(QUERY)
    at = ids.index(asked) if asked in ids else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{at + 1} of {len(ids)}")
        back = st.button("Previous", key="lk_query_back", type="tertiary", shortcut="p")
        on = st.button("Next", key="lk_query_on", type="tertiary", shortcut="n")
    if back or on:
        st.query_params[QUERY] = ids[(at + (1 if on else -1)) % len(ids)]
        st.rerun()
    return rows[at]


def query(opened: Opened, row: QueryFailure) -> None:
    """The query as it was typed, and where each candidate has the relevant documents."""
    known = opened.queries.get(row.query_id)
    if known is not None:
        text.show_turns(known.turns)
    text.show(row.text or row.query_id, "lk-query", tag="h2")
    if row.information_need:
        text.show(f"Need: {row.information_need}", "lk-small")
    values = [
        f"{name} {spans.figure(value)}"
        for name, value in zip(opened.names, (row.a_value, row.b_value), strict=True)
    ]
    metric = written(opened.report.primary)
    heading.note(f"{row.query_id} · {metric}: {', '.join(values)} ({_signed(row.difference)})")
    _relevant(opened, row)


def _relevant(opened: Opened, row: QueryFailure) -> None:
    levels = opened.release.qrels.get(row.query_id, {})
    wanted = sorted((doc for doc in levels if levels[doc] > 0), key=lambda doc: (-levels[doc], doc))
    if not wanted:
        heading.note("No document of level 1 or 2 is known for this query.")
        return
    ranks = [_ranks(opened, name, row.query_id) for name in opened.names]
    depth = opened.run.plan.depth
    tables.show(
        ("what helps", "level", *(f"rank in {name}" for name in opened.names)),
        [
            (opened.documents[doc].title or doc, levels[doc],
             *(held.get(doc, f"not in {depth}") for held in ranks))
            for doc in wanted
        ],
        label="Relevant documents and their ranks",
        numbers=("level", *(f"rank in {name}" for name in opened.names)),
    )  # fmt: skip


def _ranks(opened: Opened, name: str, query_id: str) -> dict[str, int]:
    shown = opened.report.ranking(name, query_id, opened.run.plan.depth)
    return {one.doc_id: one.rank for one in shown}


def side_by_side(here: Here, opened: Opened, row: QueryFailure) -> None:
    """The two ranked lists with levels, reasons and winning chunks; holes can be sent on."""
    state = judging.load(here.workspace).resolutions
    lists = {name: opened.report.ranking(name, row.query_id) for name in opened.names}
    _send_every(here, row, lists, state)
    opened_up = st.toggle("Open every document", key="lk_open_documents")
    columns = st.columns(2, gap="medium")
    for column, (name, shown) in zip(columns, lists.items(), strict=True):
        with column:
            heading.section(name)
            if not shown:
                heading.note("It returned nothing.")
            with st.container(gap="xsmall"):
                for one in shown:
                    draw(_card(opened, one, opened_up=opened_up))
                    if one.hole:
                        _hole(here, name, row, one, state.get((row.query_id, one.doc_id)))


def _send_every(
    here: Here,
    row: QueryFailure,
    lists: Mapping[str, Sequence[ShownDocument]],
    state: Resolutions,
) -> None:
    holes = {one.doc_id for shown in lists.values() for one in shown if one.hole}
    waiting = sorted(doc for doc in holes if (row.query_id, doc) not in state)
    if len(waiting) > 1 and st.button(
        f"Send all {len(waiting)} documents that nobody judged to the labeling queue",
        key=f"lk_holes_{item(row.query_id)}",
    ):
        _send(here, row, waiting)


def _hole(
    here: Here, name: str, row: QueryFailure, one: ShownDocument, pooled: Resolution | None
) -> None:
    """One document that nobody had judged: where it stands by now, or the button to send it."""
    if pooled is not None:
        heading.note(f"Nobody had judged it at the freeze; {NOW[pooled.state]} now.")
    elif st.button(
        "Send to the labeling queue",
        key=f"lk_hole_{item(name, row.query_id, one.doc_id)}",
        type="tertiary",
    ):
        _send(here, row, [one.doc_id])


def _send(here: Here, row: QueryFailure, doc_ids: Sequence[str]) -> None:
    for doc_id in doc_ids:
        judging.add_to_pool(here.workspace, here.person.person_id, row.query_id, doc_id)
    what = doc_ids[0] if len(doc_ids) == 1 else counted(len(doc_ids), "document")
    session.say("success", f"On the Label page now, for “{row.text}”: {what}.")
    st.rerun()


def _card(opened: Opened, one: ShownDocument, *, opened_up: bool) -> Markup:
    """A rank: level, title and the reason; opened, the document with its winning chunk marked."""
    level = "nobody judged" if one.level is None else f"level {one.level}"
    style = "lk-chip lk-chip-bad" if one.level is None else LEVEL_STYLES[one.level]
    reason = one.reasons[0].reason if one.reasons else ""
    head = join(
        element("b", f"{one.rank} "),
        element("span", one.title or one.doc_id, dir="auto"),
        " ",
        element("span", level, cls=style),
    )
    return element(
        "details",
        element("summary", head, element("div", reason, cls="lk-reason", dir="auto")),
        _passage(opened.documents[one.doc_id].text, one),
        cls="lk-hit",
        open="" if opened_up else None,
    )


def _passage(document: str, one: ShownDocument) -> Markup:
    start, end = one.chunk_start, one.chunk_end
    if start <= 0 and end >= len(document):
        return element("div", document, cls="lk-text lk-small lk-quote")
    marked = element("mark", document[start:end])
    parts = (safe(document[:start]), marked, safe(document[end:]))
    return element("div", *parts, cls="lk-text lk-small lk-quote")
