"""The LLM judge on its page: what a run would ask, its start, its worth beside people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from labelkit import drafting
from labelkit.agreement import AgreementReport, Label
from labelkit.drafting import Decoding, Endpoint, Limits, judge_report, llm_judge
from labelkit.drafting.judge_items import LONGEST_DOCUMENT
from labelkit.drafting.judge_report import JudgeReport
from labelkit.drafting.llm_judge import JudgePlan
from labelkit.errors import LabelkitError
from labelkit.judging.agreeing import labels_of
from labelkit.model import LEVELS
from labelkit.store import meta, pairs
from labelkit.ui import draft_fields, heading, llm_runs, notice, session, spans, tables
from labelkit.ui.frame import Here
from labelkit.wording import counted

SHOWN = 50
_PLAN = "lk_judge_plan"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the fields say: where to ask, for how many pairs, under which limits."""

    base_url: str
    model: str
    limits: Limits
    decoding: Decoding
    sample: int
    seed: int


def nothing_pooled(here: Here) -> bool:
    """Say that there is nothing to grade, and where to begin; False where there is."""
    with here.workspace.reading() as db:
        if pairs.count(db):
            return False
    heading.nothing_yet(
        "The model grades pairs that people judge, and none is pooled yet.",
        "queries",
        "See the queries",
    )
    return True


def ask(here: Here) -> None:
    """Ask for a new run: endpoint, pairs, plan, estimate; start."""
    try:
        asked = _fields(here)
    except LabelkitError as error:
        notice.show("error", str(error))
        return
    if not asked.base_url or not asked.model:
        notice.show("info", "Name a base URL and a model: then the plan and the start follow.")
        return
    endpoint = Endpoint(asked.base_url, asked.model)
    if st.button("Work out the plan", key="lk_plan_judge"):
        with st.spinner("Reading the pairs …"):
            st.session_state[_PLAN] = (asked, _look(here, endpoint, asked))
    held = st.session_state.get(_PLAN)
    if held is None:
        return
    if held[0] != asked:
        notice.show("info", "The plan was worked out for other settings: work it out again.")
        return
    _show_plan(held[1])
    if held[1].pairs and st.button("Start grading", type="primary", key="lk_start_judge"):
        _start(here, endpoint, asked)


def _fields(here: Here) -> Asked:
    left, right = st.columns(2, gap="medium")
    with left:
        base_url, model = draft_fields.where(here, llm_judge.JUDGE)
    with right:
        with here.workspace.reading() as db:
            most = pairs.count(db)
        sample = st.number_input(
            "Pairs, drawn by the seed", 1, most, min(100, most), key="lk_judge_n"
        )
        seed = st.number_input("Seed", 0, None, 0, key="lk_judge_seed")
        limits, decoding = draft_fields.limits_and_decoding(0.0, llm_judge.DECODING.max_tokens)
    return Asked(base_url, model, limits, decoding, int(sample), int(seed))


def _look(here: Here, endpoint: Endpoint, asked: Asked) -> JudgePlan:
    return llm_judge.look(
        here.workspace,
        here.person.person_id,
        endpoint,
        asked.limits,
        decoding=asked.decoding,
        sample=asked.sample,
        seed=asked.seed,
    )


def _show_plan(plan: JudgePlan) -> None:
    number = counted(len(plan.pairs), "pair")
    heading.section(
        "Plan",
        f"{number}, each asked twice: once with the levels listed from high to low, once the "
        "other way round.",
    )
    draft_fields.show_estimate(plan.estimate)
    if not plan.too_long:
        return
    heading.note(
        f"Left out: {len(plan.too_long):,} with a document of more than "
        f"{LONGEST_DOCUMENT:,} characters. A part is not graded for the whole."
    )
    rows = [(query, doc, f"{size:,}") for query, doc, size in plan.too_long[:SHOWN]]
    columns = ("query", "document", "characters")
    tables.show(columns, rows, label="Pairs that are left out", numbers=columns[2:])
    if len(plan.too_long) > SHOWN:
        heading.note(f"and {len(plan.too_long) - SHOWN:,} more")


def _start(here: Here, endpoint: Endpoint, asked: Asked) -> None:
    drafting.require_key(endpoint.base_url, draft_fields.environment_with_secrets())
    run_id = llm_judge.start(
        here.workspace,
        here.person.person_id,
        endpoint,
        asked.limits,
        decoding=asked.decoding,
        sample=asked.sample,
        seed=asked.seed,
    )
    del st.session_state[_PLAN]
    llm_runs.begin(here, llm_runs.JUDGING, run_id)


def result(here: Here, run_id: str) -> None:
    """What the run is worth: the model with people, people with each other, with itself."""
    labels = labels_of(
        here.workspace, rubric_version=judge_report.rubric_version(here.workspace, run_id)
    )
    found = judge_report.report(here.workspace, here.person.person_id, run_id, labels)
    if not any(found.levels.values()):
        return
    heading.section("What it is worth")
    _agreements(found)
    left, right = st.columns(2, gap="medium")
    with left:
        _levels(found.table)
    with right:
        _itself(found)
    _differing(here, run_id, found.differing, labels)


def _agreements(found: JudgeReport) -> None:
    rows = [
        _agreement_row("the model with people", found.with_people),
        _agreement_row("people with each other, same pairs", found.among_people),
    ]
    columns = ("who", "alpha, ordinal", "interval", "the same level", "labels compared")
    tables.show(columns, rows, label="Agreement of the model and of people", numbers=columns[1:])
    heading.note(
        "Only independent labels of people count here, of the rubric that the model was given. "
        "What the model says fills no place of a person and counts for no agreement elsewhere."
    )
    if found.with_people.undefined:
        heading.note(f"The model with people: {found.with_people.sentence}")


def _agreement_row(name: str, report: AgreementReport) -> tuple[str, str, str, str, str]:
    return (
        name,
        spans.figure(report.alpha, 3),
        spans.between(report.low, report.high, 3),
        spans.share(report.raw_agreement),
        f"{report.pairable_units:,}",
    )


def _levels(table: Mapping[tuple[int, int], int]) -> None:
    columns = ("people", *(f"model {level}" for level in LEVELS))
    rows = [(f"level {own}", *(table.get((own, its), 0) for its in LEVELS)) for own in LEVELS]
    tables.show(columns, rows, label="Levels of people by levels of the model", numbers=columns[1:])


def _itself(found: JudgeReport) -> None:
    share = found.self_consistency
    tables.facts(
        [
            ("pairs graded twice", f"{found.graded_twice:,}"),
            ("same level both times", "–" if share is None else f"{share:.0%}"),
            ("requests without a grade", f"{len(found.failed):,}"),
        ],
        label="The model with itself",
    )


def _differing(here: Here, run_id: str, number: int, labels: Sequence[Label]) -> None:
    """The pairs that differ, on request: who has looked is no independent rater of them."""
    many = counted(number, "pair")
    if not number or not st.toggle(f"Show {many} on which a person and the model differ"):
        return
    found = judge_report.differing(here.workspace, here.person.person_id, run_id, labels)
    rows = [(one.query_id, one.doc_id, one.person_level, one.model_level) for one in found[:SHOWN]]
    if rows:
        columns = ("query", "document", "person", "model")
        tables.show(columns, rows, label="Pairs that differ", numbers=columns[2:], wide=True)
    hidden = number - len({one.pair_id for one in found})
    if len(found) > SHOWN:
        heading.note(f"and {len(found) - SHOWN:,} more")
    if hidden:
        heading.note(f"{hidden:,} not shown: you may still judge them.")


def to_raters(here: Here) -> None:
    """Whether a rater sees the model's grade of a pair, and only after having judged it."""
    heading.section("Who sees it")
    held = meta.get(here.workspace, llm_judge.TO_RATERS) == "yes"
    wanted = st.toggle(
        "Show a rater the model's grade of a pair after they have judged it",
        held,
        key="lk_judge_to_raters",
    )
    heading.note(
        "Never before: a pair that somebody may still judge shows them nothing. Who has seen a "
        "grade is kept, and what they say of that pair later counts for no agreement."
    )
    if wanted != held:
        llm_judge.show_to_raters(here.workspace, here.person.person_id, allowed=bool(wanted))
        said = "Raters see it after judging." if wanted else "Raters do not see it."
        session.say("success", said)
        st.rerun()
