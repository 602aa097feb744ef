"""Starting a benchmark from its page, watching it, and choosing which run to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from labelkit import jobs
from labelkit.bench import Plan, RunResult, load_run
from labelkit.bench.documents import PAPER_COLUMNS, shortlist
from labelkit.bench.job import new_run_folder
from labelkit.bench.runs import find_run, list_runs
from labelkit.errors import InputError
from labelkit.measures import parse, written
from labelkit.releases import ReleaseRow
from labelkit.retrieval import Candidate, default_candidates, parse_candidates
from labelkit.retrieval.reach import reach
from labelkit.store.jobs import Job
from labelkit.ui import address, heading, looking, refusals, results, tables, work
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element
from labelkit.wording import counted

RUN = "run"
BEGUN = "lk_begun_run"
"""In the session: the run that was begun here, until its folder is there and it is shown."""
PRIMARIES = ("ndcg@10", "recall@10", "mrr@10", "ndcg@5", "recall@5", "recall@20")
CHOICES = ("lk_bench_release", "lk_bench_candidates", "lk_bench_primary", "lk_bench_level")
FILE, KEPT = "lk_bench_file", "lk_bench_kept_file"
LEVELS = {2: "level 2", 1: "level 1 and above"}


def ask(here: Here, held: Sequence[ReleaseRow], *, first: bool) -> None:
    """Show the run at work, or ask for a new one; one runs at a time."""
    for key in CHOICES:  # a widget that is not drawn for a while would forget what was chosen
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]
    if work.watch(here.workspace, "bench", "Benchmark", _states) or looking.watch(here.workspace):
        return
    work.last_failure(here.workspace, "bench")
    looking.last_failures(here.workspace)
    with st.expander("Start a run", expanded=first), refusals.shown():
        _ask(here, held)


def _states(job: Job) -> None:
    """What became of the candidates so far."""
    folder = Path(str(job.arguments.get("out") or ""))
    if (folder / "summary.json").is_file():
        shown = [(one["name"], results.state(one)) for one in load_run(folder).candidates]
        tables.show(("candidate", "state"), shown, label="Candidates of the run at work")


def _ask(here: Here, held: Sequence[ReleaseRow]) -> None:
    built_in = {candidate.name: candidate for candidate in default_candidates()}
    left, right = st.columns(2, gap="medium")
    with left:
        tag = st.selectbox("Release", [row.tag for row in held], key=CHOICES[0])
        st.session_state.setdefault(CHOICES[1], list(built_in))
        names = st.multiselect("Candidates", list(built_in), key=CHOICES[1])
        more = _of_file()
        trusted = _trusted(more)
    candidates = [*(built_in[name] for name in names), *more]
    with right:
        primary = st.selectbox(
            "Primary metric: it decides", PRIMARIES, key=CHOICES[2], format_func=written
        )
        level = st.selectbox(
            "Relevant means", list(LEVELS), key=CHOICES[3], format_func=LEVELS.__getitem__
        )
        heading.note(
            "Both are declared before the run and recorded with it. The other metrics are "
            "reported beside them; the decision does not rest on them."
        )
    _on_paper(candidates)
    with st.container(horizontal=True, gap="small"):
        run = st.button("Start the run", type="primary", key="lk_start_bench")
        look = looking.asked_for()
    heading.note(looking.WHAT)
    if run or look:
        if not trusted:
            raise InputError("Say first that you trust the candidate file.")
        _refuse_wrong_choice(candidates)
        arguments = {
            "release": tag,
            "candidates": [candidate.as_dict() for candidate in candidates],
            "plan": Plan(primary=primary, relevant_level=level).as_dict(),
        }
        _start(here, tag, arguments) if run else _look(here, look, arguments)


def _of_file() -> list[Candidate]:
    """The candidates of an uploaded file, which stays chosen while a job hides the form."""
    st.file_uploader(
        "More candidates (a TOML file, as for labelkit bench)", "toml", key=FILE, on_change=_keep
    )
    name, content = st.session_state.get(KEPT, ("", b""))
    if not content:
        return []
    if st.session_state[FILE] is None:
        heading.note(f"Still chosen: {name}")
        if st.button(f"Leave {name} out", key="lk_bench_leave_out"):
            del st.session_state[KEPT]
            st.rerun()
    return parse_candidates(content, name)


def _keep() -> None:
    """Hold on to the file that was just chosen, or let go of the one that was taken away."""
    file = st.session_state[FILE]
    if file is None:
        st.session_state.pop(KEPT, None)
    else:
        st.session_state[KEPT] = (file.name, file.getvalue())


def _on_paper(candidates: Sequence[Candidate]) -> None:
    """The shortlist before anything runs: what is documented of each, and what is not."""
    if candidates:
        tables.show(PAPER_COLUMNS, shortlist(candidates), label="On paper, before anything runs")


def _trusted(candidates: Sequence[Candidate]) -> bool:
    """Show what a file's candidates reach for, and ask whether it may; True where nothing is."""
    reached = list(dict.fromkeys(one for candidate in candidates for one in reach(candidate)))
    if not reached:
        return True
    draw(element("ul", *(element("li", one) for one in reached), cls="lk-points"))
    words = "I know where this file comes from, and it may do this"
    return st.checkbox(words, key="lk_bench_trusted")


def _refuse_wrong_choice(candidates: Sequence[Candidate]) -> None:
    if not candidates:
        raise InputError("Choose at least one candidate.")
    doubled = {one.name for one in candidates if [c.name for c in candidates].count(one.name) > 1}
    if doubled:
        raise InputError(f"Two candidates are called {min(doubled)!r}: give each its own name.")


def _start(here: Here, tag: str, arguments: Mapping[str, Any]) -> None:
    folder = new_run_folder(here.workspace, tag)
    _begin(here, {**arguments, "out": str(folder)}, folder.name)


def _look(here: Here, kind: str, arguments: Mapping[str, Any]) -> None:
    jobs.start(here.workspace, kind, arguments)
    st.rerun()


def _begin(here: Here, arguments: dict[str, Any], name: str) -> None:
    jobs.start(here.workspace, "bench", arguments)
    st.session_state[BEGUN] = name
    st.rerun()


def choose_run(here: Here) -> RunResult | None:
    """Ask for a run, the newest first; None where there is none."""
    names = [path.name for path in list_runs(here.workspace.runs)]
    if not names:
        return None
    if st.session_state.get(BEGUN) in names:
        st.session_state[f"lk_{RUN}"] = st.session_state.pop(BEGUN)
    return find_run(here.workspace.runs, address.choose("Run", names, RUN))


def offer_to_go_on(here: Here, run: RunResult) -> None:
    """Say how far an unfinished run is, and offer to go on from there."""
    at_work = jobs.running(here.workspace, "bench")
    if at_work is not None and at_work.arguments.get("out") == str(run.folder):
        return  # shown with its progress
    shown = [(one["name"], results.state(one)) for one in run.candidates]
    tables.show(("candidate", "state"), shown, label="Candidates of the run")
    heading.note("This run did not finish. What was finished is kept.")
    if at_work is None and st.button("Go on with this run", key=f"lk_go_on_{run.folder.name}"):
        arguments = {
            "release": run.manifest["release"]["tag"],
            "candidates": run.manifest["candidates"],
            "plan": run.manifest["plan"],
            "out": str(run.folder),
        }
        _begin(here, arguments, run.folder.name)


def headline(run: RunResult) -> str:
    """What was run, over what, and what counts as relevant."""
    plan, summary = run.plan, run.summary
    out = {query for one in summary["left_out"] for query in one["query_ids"]}
    left_out = f" ({len(out):,} left out of some metric)" if out else ""
    return (
        f"release {summary['release']['tag']} · "
        f"{counted(summary['queries'], 'query')}{left_out} · "
        f"{counted(summary['documents'], 'document')} · relevant = {LEVELS[plan.relevant_level]} · "
        f"primary {written(parse(plan.primary))} · intervals 95 %"
    )
