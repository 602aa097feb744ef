"""Follow-ups put so that they stand alone, by a model: plan, start, what became of them."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from labelkit import drafting, intake
from labelkit.drafting import Decoding, Endpoint, Limits, rewriting
from labelkit.drafting.rewrite_prompt import RewritePrompt
from labelkit.model import Query
from labelkit.ui import draft_fields, drafts, heading, llm_runs, notice, refusals, text
from labelkit.ui.frame import Here
from labelkit.wording import counted


def show(here: Here) -> None:
    """Draw the newest run, and offer another where follow-ups wait for it."""
    waiting = intake.to_rewrite(here.workspace)
    if not waiting and not drafting.runs(here.workspace, rewriting.REWRITE):
        return
    heading.section(
        "Follow-ups that stand alone",
        "A model puts in what the earlier turns say. What the user typed stays, raters see it as "
        "typed, and a benchmark can run both: one candidate as it is, another with turns = "
        '"rewritten".',
    )
    with refusals.shown():
        stands = llm_runs.show(here, llm_runs.REWRITING)
        if stands is not None:
            llm_runs.failures(stands, llm_runs.REWRITING)
        if not waiting:
            heading.note("Every accepted follow-up has a rewritten form.")
            return
        with st.expander(_waiting(len(waiting))), refusals.shown():
            _ask(here, waiting)


def _waiting(number: int) -> str:
    return counted(number, "follow-up has no rewritten form", "follow-ups have no rewritten form")


def _ask(here: Here, waiting: list[Query]) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        base_url, model = draft_fields.where(here, rewriting.REWRITE)
    with right:
        default = rewriting.DECODING
        limits, decoding = draft_fields.limits_and_decoding(0.0, default.max_tokens)
    prompt = _prompt(here, waiting[0])
    if not base_url or not model:
        notice.show("info", "Name a base URL and a model: then the estimate and the start follow.")
        return
    _offer_start(here, waiting, Endpoint(base_url, model), limits, decoding, prompt)


def _prompt(here: Here, example: Query) -> RewritePrompt:
    newest = rewriting.newest_prompt(here.workspace)
    with st.expander("Instructions, and the first request"):
        written = drafts.text_area(
            "Instructions",
            key="lk_rewrite_instructions",
            scope=here.draft_scope,
            draft=newest.instructions,
            stored=False,
            height=260,
        )
        prompt = replace(newest, instructions=written or newest.instructions)
        heading.note(
            f"Hash {prompt.sha256[:12]}, kept with the run. The conversation is put in as data: "
            "between delimiters that nothing inside it can close."
        )
        text.show(prompt.messages(example)[-1]["content"], "lk-text")
    return prompt


def _offer_start(
    here: Here,
    waiting: list[Query],
    endpoint: Endpoint,
    limits: Limits,
    decoding: Decoding,
    prompt: RewritePrompt,
) -> None:
    ids = [query.query_id for query in waiting]
    draft_fields.show_estimate(
        rewriting.estimate(here.workspace, ids, endpoint, limits, prompt=prompt, decoding=decoding)
    )
    if st.button("Rewrite them", type="primary", key="lk_start_rewriting"):
        drafting.require_key(endpoint.base_url, draft_fields.environment_with_secrets())
        run_id = rewriting.start(
            here.workspace,
            here.person.person_id,
            ids,
            endpoint,
            limits,
            prompt=prompt,
            decoding=decoding,
        )
        llm_runs.begin(here, llm_runs.REWRITING, run_id)
