"""Drafting runs on their page: how far one is, what it cost, what failed, and how it goes on."""

from __future__ import annotations

import streamlit as st

from labelkit import drafting
from labelkit.drafting import Standing
from labelkit.store.jobs import Job
from labelkit.store.llm import Run
from labelkit.ui import (
    address,
    clock,
    heading,
    navigation,
    session,
    tables,
    work,
)
from labelkit.ui import (
    drafting as asking,
)
from labelkit.ui.frame import Here

MOST_SHOWN = 50


def show(here: Here) -> bool:
    """Draw a run, the newest unless another is chosen; False where there is none."""
    runs = {run.run_id: run for run in drafting.runs(here.workspace)}
    if not runs:
        return False
    run_id = address.choose("Run", list(runs), "run", format_func=lambda one: _name(runs[one]))
    stands = drafting.standing(here.workspace, run_id)
    _figures(stands)
    at_work = work.watch(here.workspace, "draft", "Drafting", lambda job: _pause(here, job))
    if not at_work:
        work.last_failure(here.workspace, "draft")
        _go_on(here, stands)
    if stands.drafts:
        navigation.link("review", "Review queries")
    _failures(stands)
    return True


def _name(run: Run) -> str:
    return f"{clock.day(run.created_at)} {clock.time_of_day(run.created_at)} · {run.model}"


def _figures(stands: Standing) -> None:
    spent = stands.spent
    unsure = spent.unsure_input + spent.unsure_output
    facts = [
        ("passages done", f"{stands.done:,} of {stands.total:,}"),
        ("waiting", f"{stands.waiting:,}"),
        ("failed", f"{stands.failed:,}"),
        ("drafts", f"{stands.drafts:,}"),
        ("tokens, in + out", f"{spent.input_tokens:,} + {spent.output_tokens:,}"),
    ]
    if unsure:
        facts.append(("perhaps paid besides", f"{unsure:,}"))
    if stands.cost is not None:
        facts.append(("money", f"{stands.cost:.4f}"))
    tables.facts(facts, label="Where the run stands")
    heading.note(
        f"{stands.run.base_url} · {stands.run.model} · prompt {stands.run.prompt_sha256[:12]}"
    )


def _pause(here: Here, job: Job) -> None:
    """Below the progress: the tokens so far, and a way to stop without losing what is open."""
    run_id = str(job.arguments.get("run_id"))
    if st.button("Pause", key=f"lk_pause_{run_id}"):
        drafting.pause(here.workspace, here.person.person_id, run_id)
        st.caption("It stops as soon as the open requests have ended.")


def _go_on(here: Here, stands: Standing) -> None:
    run_id = stands.run.run_id
    with st.container(horizontal=True, key="lk_draft_run_actions"):
        if stands.waiting and st.button("Resume", type="primary", key=f"lk_resume_{run_id}"):
            asking.begin(here, run_id)
        if stands.failed and st.button(
            f"Ask the {stands.failed} failed again", key=f"lk_retry_{run_id}"
        ):
            drafting.retry_failed(here.workspace, here.person.person_id, run_id)
            asking.begin(here, run_id)
    if stands.waiting:
        _raise_cap(here, stands)


def _raise_cap(here: Here, stands: Standing) -> None:
    """A run that stopped at its cap goes on under a higher one."""
    from dataclasses import replace

    from labelkit.drafting.endpoint import limits_of

    limits = limits_of(stands.run.limits)
    if limits.max_tokens_total is None:
        return
    with st.expander("Cap of this run"), st.form(f"lk_cap_{stands.run.run_id}", border=False):
        total = st.number_input(
            "Stop before this many tokens", 1_000, None, limits.max_tokens_total
        )
        if st.form_submit_button("Save the cap"):
            changed = replace(limits, max_tokens_total=int(total))
            who = here.person.person_id
            drafting.change_limits(here.workspace, who, stands.run.run_id, changed)
            session.say("success", f"The run stops before {int(total):,} tokens.")
            st.rerun()


def _failures(stands: Standing) -> None:
    """The passages that gave nothing, each with why; and those that gave less than asked."""
    for title, items in (("Failed", stands.failures), ("Done in part", stands.notes)):
        if not items:
            continue
        with st.expander(f"{title}: {len(items)}", expanded=title == "Failed"):
            rows = [(item.item["doc_id"], item.why) for item in items[:MOST_SHOWN]]
            tables.show(("passage of", "why"), rows, label=f"{title} passages", wide=True)
            if len(items) > MOST_SHOWN:
                heading.note(f"and {len(items) - MOST_SHOWN:,} more; labelkit draft status --json")
