"""What leads set up for raters: warm-up, quiz, hidden repeats; and how each rater stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit.judging import quiz, repeats, scoring, warm_up
from labelkit.judging.quiz import QuizRule, Standing
from labelkit.store import people
from labelkit.store.training import Item
from labelkit.ui import clock, heading, refusals, session, tables
from labelkit.ui.frame import Here
from labelkit.wording import counted


def warm_up_part(here: Here) -> None:
    """Whether new raters begin with a warm-up, with which pairs, and the buttons for that."""
    heading.section("Warm-up")
    found = warm_up.pairs(here.workspace, here.person.person_id)
    if found:
        heading.note(
            f"On: who has judged nothing yet first grades {len(found)} pairs and is told the "
            "agreed level after each. None of it is a judgment."
        )
        _items(found, "Pairs of the warm-up")
    else:
        heading.note(f"Off: new raters begin with real pairs. {_supply(here)}")
    with refusals.shown(), st.container(horizontal=True, vertical_alignment="bottom"):
        size = st.number_input(
            "Pairs", warm_up.SMALLEST, 30, max(len(found), warm_up.SMALLEST), width=140
        )
        if st.button("Draw anew" if found else "Draw and switch on", key="lk_warm_up_on"):
            drawn = warm_up.set_up(here.workspace, here.person.person_id, size=int(size))
            session.say("success", f"The warm-up is on, with {len(drawn)} pairs.")
            st.rerun()
        if found and st.button("Switch off", key="lk_warm_up_off"):
            warm_up.switch_off(here.workspace, here.person.person_id)
            session.say("success", "The warm-up is off.")
            st.rerun()


def _supply(here: Here) -> str:
    supply = warm_up.supply(here.workspace)
    examples, settled = supply["example"], supply["settled"]
    return (
        f"To draw from there are boundary examples of level 2, 1, 0: {_levels(examples)}; and "
        f"pairs that were adjudicated or that two people agree on: {_levels(settled)}. A warm-up "
        f"needs {warm_up.SMALLEST} with every level among them. {warm_up.WHAT_TO_ADD}"
    )


def _levels(counted: Mapping[int, int]) -> str:
    return ", ".join(str(counted[level]) for level in (2, 1, 0))


def _items(found: Sequence[Item], label: str) -> None:
    with st.expander(f"{label} ({len(found)})"):
        tables.show(
            ("query", "document", "level", "because", "from"),
            [(i.query_text, i.doc_id, i.level, i.reason, SOURCES[i.source]) for i in found],
            label=label,
            numbers=("level",),
            wide=True,
        )


SOURCES = {
    "example": "the rubric",
    "adjudicated": "an adjudication",
    "agreed": "two people or more",
}


def quiz_part(here: Here) -> None:
    """Whether labels count only after a quiz, its rule and odds, and where each rater stands."""
    heading.section("Qualification quiz")
    rule = quiz.rule_now(here.workspace)
    if rule is None:
        heading.note(
            "Not required: everyone's labels count. Once you require it, raters are given no real "
            "pair until they pass, and labels of theirs from before count nowhere until then. "
            "Leads are exempt."
        )
    else:
        heading.note(_rule_in_words(rule))
        heading.note(_odds_in_words(here))
    _quiz_form(here, rule or QuizRule())
    if rule is not None:
        _standings(here)


def _rule_in_words(rule: QuizRule) -> str:
    tries = counted(rule.attempts, "attempt")
    return (
        f"Required: {rule.size} pairs, pass mark {rule.pass_mark:.0%} "
        f"({scoring.MEASURES[rule.measure]}), {tries}. No feedback before the end."
    )


def _odds_in_words(here: Here) -> str:
    odds = quiz.odds(here.workspace)
    if odds is None:
        return ""
    return (
        f"Without reading: guessing scores {odds.guessing:.0%} on average and passes with a chance "
        f"of {odds.guesser_passes:.1%}; always saying {odds.one_level} scores "
        f"{odds.saying_one_level:.0%}."
    )


def _quiz_form(here: Here, rule: QuizRule) -> None:
    required = quiz.rule_now(here.workspace) is not None
    with refusals.shown(), st.form("lk_quiz", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            size = st.number_input("Pairs an attempt", quiz.SMALLEST, 50, rule.size, width=150)
            mark = st.number_input("Pass mark, %", 1, 100, round(rule.pass_mark * 100), width=150)
            attempts = st.number_input("Attempts", 1, quiz.MOST_ATTEMPTS, rule.attempts, width=150)
        measure = st.radio(
            "Score",
            list(scoring.MEASURES),
            index=list(scoring.MEASURES).index(rule.measure),
            format_func=lambda name: f"{name}: {scoring.MEASURES[name]}",
        )
        trusted = _trusted(here, required)
        sent = st.form_submit_button("Draw anew and require" if required else "Require the quiz")
        if sent:
            wanted = QuizRule(int(size), mark / 100, measure, int(attempts))
            quiz.require(here.workspace, here.person.person_id, wanted, trusted=trusted)
            session.say("success", "The quiz is required from now on.")
            st.rerun()
    if required and st.button("Stop requiring it", key="lk_quiz_off"):
        quiz.stop_requiring(here.workspace, here.person.person_id)
        session.say("success", "No quiz is required: everyone's labels count.")
        st.rerun()


def _trusted(here: Here, required: bool) -> list[str]:
    """Ask whose labels count without the quiz: at first everyone's who has some."""
    at_stake, names = quiz.left_out_if_required(here.workspace), _names(here)
    if not at_stake:
        return []
    return st.multiselect(
        "Whose labels count without it (anyone else's stop counting until they pass)",
        list(at_stake),
        default=[] if required else list(at_stake),
        format_func=lambda one: f"{names.get(one, one)}, {counted(at_stake[one], 'label')}",
    )


def _names(here: Here) -> dict[str, str]:
    return {person.person_id: person.name for person in people.all(here.workspace)}


def _standings(here: Here) -> None:
    names, found = _names(here), quiz.standings(here.workspace, here.person.person_id)
    if not found:
        heading.note("Nobody here is a rater without being a lead: nobody has to take it.")
        return
    tables.show(
        ("rater", "labels count", "labels left out now", "attempts", "since"),
        [
            (
                names.get(one.person_id, one.person_id),
                "yes" if one.counts else "not yet",
                one.labels_left_out,
                ", ".join(f"{score:.0%}" for score in one.scores) or "none",
                _since(one, names),
            )
            for one in found
        ],
        label="Raters and the quiz",
        wide=True,
        numbers=("labels left out now",),
    )
    _vouch(here, [one.person_id for one in found if not one.counts], names)


def _since(one: Standing, names: dict[str, str]) -> str:
    held = one.qualification
    if held is None:
        return ""
    by = (
        f"{names.get(held.granted_by, held.granted_by)}: {held.note}" if held.granted_by else "quiz"
    )
    before = (
        f", {counted(held.labels_before, 'label')} from before included"
        if held.labels_before
        else ""
    )
    return f"{clock.day(held.at)}, {by}{before}"


def _vouch(here: Here, waiting: list[str], names: dict[str, str]) -> None:
    if not waiting:
        return
    with refusals.shown(), st.form("lk_vouch", border=False, clear_on_submit=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            who = st.selectbox("Vouch for", waiting, format_func=lambda one: names.get(one, one))
            why = st.text_input("Why their labels count without the quiz")
            sent = st.form_submit_button("Vouch")
        if sent and who is not None:
            held = quiz.vouch(here.workspace, here.person.person_id, who, why)
            session.say(
                "success",
                f"{names.get(who, who)}'s labels count from now on, "
                f"{counted(held.labels_before, 'label')} from before included.",
            )
            st.rerun()


def repeats_part(here: Here) -> None:
    """Whether pairs come twice, how many, and how steady each rater is."""
    rule = repeats.repeat_rule(here.workspace)
    heading.section(
        "Hidden repeats",
        f"{'On' if rule.on else 'Off'}: {rule.share:.0%} of a rater's pairs come again after at "
        f"least {repeats.APART} others, looking like any other. What is said the second time "
        "counts nowhere and is never frozen.",
    )
    with st.form("lk_repeats", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            on = st.checkbox("Let pairs come again", rule.on)
            share = st.number_input("Share, %", 1, 25, round(rule.share * 100), width=140)
            sent = st.form_submit_button("Set")
        if sent:
            repeats.set_repeats(here.workspace, here.person.person_id, on=on, share=share / 100)
            session.say("success", f"Hidden repeats are {'on' if on else 'off'}.")
            st.rerun()
    _steadiness(here)


def _steadiness(here: Here) -> None:
    found = repeats.consistency(here.workspace, here.person.person_id)
    if not found:
        heading.note("No pair has been judged twice by the same person yet.")
        return
    names = _names(here)
    tables.show(
        ("rater", "repeats (n)", "same level", "95 % interval", "0 against 2"),
        [
            (
                names.get(one.person_id, one.person_id),
                one.n,
                f"{one.same} ({one.same / one.n:.0%})",
                f"{one.low:.0%} to {one.high:.0%}",
                one.far,
            )
            for one in found
        ],
        label="How steady each rater is",
        numbers=("repeats (n)", "same level", "95 % interval", "0 against 2"),
    )
    heading.note("Exact binomial intervals; each rater sees only their own figure.")
