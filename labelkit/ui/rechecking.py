"""After a change of meaning: alpha is void, which labels still count, the fresh sample, and old
and new alpha side by side. The Agreement page and the Rubric page both show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit.agreement import AgreementReport
from labelkit.judging import rechecking, rubric_versions
from labelkit.judging.rechecking import Recheck
from labelkit.judging.rubric_versions import CountingEffect
from labelkit.store import people
from labelkit.store.rubric_choices import Choice, RubricVersion
from labelkit.ui import heading, notice, session, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import element
from labelkit.ui.refusals import shown
from labelkit.wording import counted

DEFAULT_SAMPLE = 40
RULES: Mapping[str, tuple[str, str]] = {
    "carried": ("All still count", "the edit leaves them right; nothing is judged again"),
    "near_examples": (
        "All but those near a boundary example",
        "pairs that share their query or document with one are judged again",
    ),
    "relabelled": ("Only what is labeled anew", "every pair judged before is open again"),
}
"""Each rule in words, and what it means."""


def has_earlier_meaning(versions: Sequence[RubricVersion]) -> bool:
    """Whether the rubric has meant something else before."""
    return bool(versions) and versions[-1].means != versions[0].means


def show(here: Here) -> bool:
    """Draw the re-check where the rubric has had more than one meaning, else nothing; returns
    whether alpha is void, so that only a fresh sample helps."""
    versions = rubric_versions.rubric_versions(here.workspace)
    if not has_earlier_meaning(versions):
        return False
    told = rechecking.recheck(here.workspace)
    if not (told.before.units or told.after.units):
        return False
    _void(told, versions)
    _side_by_side(told)
    with shown():
        _draw_again(here, told)
    with shown():
        _counting(here)
    return _is_void(told)


def _is_void(told: Recheck) -> bool:
    return told.after.alpha is None and told.before.units > 0


def _void(told: Recheck, versions: Sequence[RubricVersion]) -> None:
    """Say that alpha is void, until there is one of the present meaning."""
    heading.section(f"The rubric changed its meaning with v{told.new_version}")
    why = next((one.note for one in versions if one.rubric.version == told.new_version), "")
    heading.note(f"Why: {why}" if why else "Nobody wrote down why.")
    if _is_void(told):
        notice.show(
            "warning",
            f"Alpha is void: its labels were given under v{told.old_version}, and what raters "
            "agreed on then says nothing about the present text. Draw a fresh sample, have it "
            "labeled by two people, and compare here.",
        )


def _side_by_side(told: Recheck) -> None:
    tables.show(
        ("", "alpha", "95 % interval", "pairs", "agree", ""),
        [
            _row(f"v{told.old_version}, before", told.before),
            _row(f"v{told.new_version}, now", told.after),
        ],
        label="Old and new alpha",
        numbers=("alpha", "pairs", "agree"),
    )
    heading.note(told.sentence)


def _row(name: str, report: AgreementReport) -> tuple[object, ...]:
    lowest = min(0.0, report.low if report.low is not None else 0.0)
    return (
        element("span", name, cls="lk-keep"),
        spans.figure(report.alpha, 3),
        spans.between(report.low, report.high, 3),
        report.pairable_units,
        spans.share(report.raw_agreement),
        spans.span(report.alpha, report.low, report.high, scale=(lowest, 1.0)),
    )


def _draw_again(here: Here, told: Recheck) -> None:
    drawn = (
        f"{counted(told.pairs, 'pair')} drawn so far." if told.pairs else "Nothing is drawn yet."
    )
    with (
        st.form("lk_recheck", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        size = st.number_input(
            "Pairs for the re-check", 1, 5000, DEFAULT_SAMPLE, width=180, key="lk_recheck_size"
        )
        sent = st.form_submit_button(
            "Draw a fresh sample", type="secondary" if told.pairs else "primary"
        )
    heading.note(
        f"{drawn} The pairs go back to everybody, also to those who judged them before; two people "
        "label each, and until then their old labels count no more. Boundary examples stay out: "
        "the rubric tells their level."
    )
    if sent:
        sample = rechecking.draw_recheck(
            here.workspace, here.person.person_id, size=int(size), seed=told.pairs + 1
        )
        session.say(
            "success",
            f"Drew {counted(len(sample.pairs), 'pair')} for the re-check: on the Label page two "
            f"people label {'it' if len(sample.pairs) == 1 else 'them'} under v{told.new_version}.",
        )
        st.rerun()


def _counting(here: Here) -> None:
    """Which labels of an earlier meaning still count, with what each rule does before it is
    chosen."""
    effects = rubric_versions.counting_effects(here.workspace)
    chosen = rubric_versions.counting_choice(here.workspace)
    heading.section("Which earlier labels still count", _chosen(here, chosen, effects))
    if not effects:
        return
    _effects(effects)
    rules = {effect.rule: effect for effect in effects}
    rule = st.radio(
        "Rule",
        list(RULES),
        index=list(RULES).index(chosen.kind if chosen else "carried"),
        format_func=lambda one: RULES[one][0],
        captions=[meaning for _, meaning in RULES.values()],
        key="lk_counting_rule",
    )
    if st.button(f"{RULES[rule][0]}: {_does(rules[rule])}", key="lk_count", wrap=True):
        _choose(here, rule)


def _chosen(here: Here, chosen: Choice | None, effects: Sequence[CountingEffect]) -> str:
    if chosen is None and not effects:
        return "No label of an earlier meaning counts any more."
    if chosen is None:
        return "Nobody has chosen yet, so all still count. The choice is recorded in releases."
    left = "" if effects else " None is left to choose about."
    who = people.shown_names(here.workspace).get(chosen.person_id, chosen.person_id)
    return (
        f"Chosen by {who} on {chosen.at[:10]}: {RULES[chosen.kind][0].lower()}; "
        f"{counted(chosen.requeued, 'pair')} went back to the raters, and a later choice does not "
        f"take that back.{left}"
    )


def _effects(effects: Sequence[CountingEffect]) -> None:
    ordered = sorted(effects, key=lambda effect: list(RULES).index(effect.rule))
    tables.show(
        ("rule", "labels kept", "labels dropped", "pairs judged again"),
        [
            (RULES[one.rule][0], f"{one.kept:,}", f"{one.dropped:,}", f"{one.requeued:,}")
            for one in ordered
        ],
        label="What each rule would do now",
        numbers=("labels kept", "labels dropped", "pairs judged again"),
    )


def _does(effect: CountingEffect) -> str:
    return (
        f"{counted(effect.requeued, 'pair')} back to the raters" if effect.requeued else "record it"
    )


def _choose(here: Here, rule: str) -> None:
    choice = rubric_versions.choose_counting(here.workspace, here.person.person_id, rule)
    go = counted(choice.requeued, "pair goes", "pairs go")
    session.say(
        "success",
        f"Recorded: {RULES[rule][0].lower()}; {go} back to the raters.",
    )
    st.rerun()
