"""Runs of a language model on a page: how far one is, what it cost, what failed, how it goes on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from labelkit import drafting, jobs
from labelkit.drafting import Standing
from labelkit.drafting.endpoint import limits_of
from labelkit.store.jobs import Job
from labelkit.store.llm import Item, Run
from labelkit.ui import address, clock, draft_fields, heading, session, tables, work
from labelkit.ui.frame import Here

MOST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Kind:
    """What a page calls one kind of run: its job, its parameter in the address, its items."""

    purpose: str
    job: str
    parameter: str
    title: str
    items: str
    of: tuple[str, ...]

    def name(self, item: Item) -> str:
        """What an item is about."""
        return " with ".join(str(item.item[key]) for key in self.of)


DRAFTING = Kind("draft", "draft", "run", "Drafting", "passages", ("doc_id",))
JUDGING = Kind("judge", "grade", "grading", "Grading", "gradings", ("query_id", "doc_id"))
REWRITING = Kind("rewrite", "rewrite", "rewriting", "Rewriting", "follow-ups", ("query_id",))


def show(here: Here, kind: Kind) -> Standing | None:
    """Draw a run, the newest unless another is chosen; None where there is none."""
    runs = {run.run_id: run for run in drafting.runs(here.workspace, kind.purpose)}
    if not runs:
        return None
    run_id = address.choose(
        "Run", list(runs), kind.parameter, format_func=lambda one: _name(runs[one])
    )
    stands = drafting.standing(here.workspace, run_id)
    _figures(stands, kind)
    at_work = work.watch(here.workspace, kind.job, kind.title, lambda job: _pause(here, job))
    if not at_work:
        work.last_failure(here.workspace, kind.job)
        _go_on(here, stands, kind)
    return stands


def begin(here: Here, kind: Kind, run_id: str) -> None:
    """Let a process work on a run; what the secrets hold goes into its environment only."""
    drafting.resume(here.workspace, here.person.person_id, run_id)
    environment = draft_fields.environment_with_secrets()
    secrets = {name: environment[name] for name in draft_fields.SECRETS if name in environment}
    jobs.start(here.workspace, kind.job, {"run_id": run_id}, secrets)
    st.session_state.pop(f"lk_{kind.parameter}", None)
    st.query_params[kind.parameter] = run_id
    session.say("info", f"{kind.title} run {run_id} has begun.")
    st.rerun()


def failures(stands: Standing, kind: Kind) -> None:
    """The items that gave nothing, each with why; and those that gave less than asked."""
    for title, items in (("Failed", stands.failures), ("Done in part", stands.notes)):
        if not items:
            continue
        with st.expander(f"{title}: {len(items)}", expanded=title == "Failed"):
            rows = [(kind.name(item), item.why) for item in items[:MOST_SHOWN]]
            tables.show(("of", "why"), rows, label=f"{title} {kind.items}", wide=True)
            if len(items) > MOST_SHOWN:
                heading.note(
                    f"and {len(items) - MOST_SHOWN:,} more; labelkit draft status "
                    f"{stands.run.run_id} --json"
                )


def _name(run: Run) -> str:
    return f"{clock.day(run.created_at)} {clock.time_of_day(run.created_at)} · {run.model}"


def _figures(stands: Standing, kind: Kind) -> None:
    spent = stands.spent
    unsure = spent.unsure_input + spent.unsure_output
    facts = [
        (f"{kind.items} done", f"{stands.done:,} of {stands.total:,}"),
        ("waiting", f"{stands.waiting:,}"),
        ("failed", f"{stands.failed:,}"),
        ("tokens, in + out", f"{spent.input_tokens:,} + {spent.output_tokens:,}"),
    ]
    if kind is DRAFTING:
        facts.insert(3, ("drafts", f"{stands.drafts:,}"))
    if unsure:
        facts.append(("perhaps paid besides", f"{unsure:,}"))
    if stands.cost is not None:
        facts.append(("money", f"{stands.cost:.4f}"))
    tables.facts(facts, label="Where the run stands")
    heading.note(
        f"{stands.run.base_url} · {stands.run.model} · prompt {stands.run.prompt_sha256[:12]}"
    )


def _pause(here: Here, job: Job) -> None:
    """Below the progress: a way to stop without losing what is open."""
    run_id = str(job.arguments.get("run_id"))
    if st.button("Pause", key=f"lk_pause_{run_id}"):
        drafting.pause(here.workspace, here.person.person_id, run_id)
        st.caption("It stops as soon as the open requests have ended.")


def _go_on(here: Here, stands: Standing, kind: Kind) -> None:
    run_id = stands.run.run_id
    with st.container(horizontal=True, key=f"lk_{kind.purpose}_run_actions"):
        if stands.waiting and st.button("Resume", type="primary", key=f"lk_resume_{run_id}"):
            begin(here, kind, run_id)
        if stands.failed and st.button(
            f"Ask the {stands.failed} failed again", key=f"lk_retry_{run_id}"
        ):
            drafting.retry_failed(here.workspace, here.person.person_id, run_id)
            begin(here, kind, run_id)
    if stands.waiting:
        _raise_cap(here, stands)


def _raise_cap(here: Here, stands: Standing) -> None:
    """A run that stopped at its cap goes on under a higher one."""
    limits = limits_of(stands.run.limits)
    if limits.max_tokens_total is None:
        return
    with st.expander("Cap of this run"), st.form(f"lk_cap_{stands.run.run_id}", border=False):
        total = st.number_input(
            "Stop before this many tokens", 1, None, limits.max_tokens_total, 1_000
        )
        if st.form_submit_button("Save the cap"):
            changed = replace(limits, max_tokens_total=int(total))
            who = here.person.person_id
            drafting.change_limits(here.workspace, who, stands.run.run_id, changed)
            session.say("success", f"The run stops before {int(total):,} tokens.")
            st.rerun()
