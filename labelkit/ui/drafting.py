"""Asking a model for drafts from the page: where, what, with which prompt, for how much."""

from __future__ import annotations

import streamlit as st

from labelkit import drafting
from labelkit.drafting import DraftPlan, Endpoint, Prompt
from labelkit.errors import LabelkitError
from labelkit.store import documents
from labelkit.ui import draft_fields, drafts, heading, llm_runs, notice, tables, text
from labelkit.ui.frame import Here
from labelkit.wording import counted

_PLAN = "lk_draft_plan"


def no_documents(here: Here) -> bool:
    """Say that there is nothing to draft from, and where to begin; False where there is."""
    with here.workspace.reading() as db:
        if documents.count(db):
            return False
    heading.nothing_yet(
        "Queries are drafted from documents, and none is here yet.", "import", "Import documents"
    )
    return True


def ask(here: Here) -> None:
    """Ask for a new run: endpoint, plan, prompt; show the estimate; start."""
    try:
        asked = draft_fields.fields(here)
        prompt = _prompt(here)
    except LabelkitError as error:
        notice.show("error", str(error))
        return
    if st.button("Work out the plan", key="lk_plan_drafts"):
        with st.spinner("Reading the documents …"):
            st.session_state[_PLAN] = drafting.make_plan(here.workspace, asked.settings)
    plan: DraftPlan | None = st.session_state.get(_PLAN)
    if plan is None:
        return
    if plan.settings != asked.settings:
        notice.show("info", "The plan was worked out for other settings: work it out again.")
        return
    show_plan(plan)
    _preview(plan, prompt)
    _offer_start(here, asked, plan, prompt)


def _prompt(here: Here) -> Prompt:
    """The prompt as it stands in its two fields; its hash is its version."""
    versions = drafting.prompt_versions(here.workspace)
    newest = versions[-1][1] if versions else Prompt()
    with st.expander("Prompt"):
        system = _text("Instructions", "system", here, newest.system)
        user = _text("Request", "user", here, newest.user)
        prompt = Prompt(system or newest.system, user or newest.user)
        known = [sha256 for sha256, _, _ in versions]
        state = (
            f"version {known.index(prompt.sha256) + 1} of {len(known)}"
            if prompt.sha256 in known
            else "a new version, kept when a run starts with it"
        )
        heading.note(
            f"{state}; hash {prompt.sha256[:12]}. The passage is put in as data: between "
            "delimiters that nothing inside it can close."
        )
    return prompt


def _text(label: str, name: str, here: Here, value: str) -> str:
    return drafts.text_area(
        label,
        key=f"lk_prompt_{name}",
        scope=here.draft_scope,
        draft=value,
        stored=False,
        height=260 if name == "system" else 140,
    )


def show_plan(plan: DraftPlan) -> None:
    """Draw what would be drafted from, by type, and why other documents would not."""
    heading.section(
        "Plan",
        f"{counted(len(plan.passages), 'passage')}, {counted(plan.queries, 'query')}. "
        f"The mix is taken from {plan.mix_from}.",
    )
    rows = [
        (row.name, f"{row.share:.0%}", f"{row.eligible:,}", f"{row.drawn:,}") for row in plan.types
    ]
    columns = ("document type", "share of traffic", "documents", "drawn")
    tables.show(columns, rows, label="Plan by document type", numbers=columns[1:])
    if plan.skipped:
        left_out = ", ".join(f"{number:,} {why}" for why, number in sorted(plan.skipped.items()))
        heading.note(f"Left out: {left_out}.")


def _preview(plan: DraftPlan, prompt: Prompt) -> None:
    passage = plan.passages[0]
    with st.expander("Preview of the first request"):
        for message in prompt.messages(passage.title, passage.text, passage.tasks):
            st.caption(message["role"])
            text.show(message["content"], "lk-text")


def _offer_start(here: Here, asked: draft_fields.Asked, plan: DraftPlan, prompt: Prompt) -> None:
    """Show what the run would take, and start it."""
    if not asked.base_url or not asked.model:
        notice.show("info", "Name a base URL and a model: then the estimate and the start follow.")
        return
    endpoint = Endpoint(asked.base_url, asked.model)
    found = drafting.estimate(here.workspace, plan, endpoint, prompt, asked.decoding, asked.limits)
    draft_fields.show_estimate(found)
    if st.button("Start drafting", type="primary", key="lk_start_drafts"):
        environment = draft_fields.environment_with_secrets()
        drafting.require_key(endpoint.base_url, environment)
        run_id = drafting.start(
            here.workspace, here.person.person_id, plan, endpoint, prompt, asked.decoding,
            asked.limits,
        )  # fmt: skip
        del st.session_state[_PLAN]
        llm_runs.begin(here, llm_runs.DRAFTING, run_id)
