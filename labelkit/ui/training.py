"""Warm-up and quiz as a rater meets them: one pair at a time, the way real pairs look."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from labelkit.errors import LabelkitError
from labelkit.judging import quiz, repeats, warm_up
from labelkit.judging.quiz import QuizResult, QuizState
from labelkit.judging.repeats import Consistency
from labelkit.judging.training import Feedback, in_use
from labelkit.judging.warm_up import WarmUpState
from labelkit.rubric import Rubric
from labelkit.store import rubrics
from labelkit.ui import clock, heading, levels, practice, session
from labelkit.ui.frame import Here
from labelkit.ui.markup import Markup, draw, element
from labelkit.wording import counted

TOLD = "lk_training_told"
"""What this session has yet to read: a pair's agreed level, "ended", or a quiz that was passed."""

AGAIN = "lk_warm_up_again"
"""Whether this session repeats the warm-up on wish; a refresh goes back to the real pairs."""


def before_pairs(here: Here) -> bool:
    """Draw the warm-up or the quiz where one comes before this person's pairs.

    Returns whether it did: the page then draws nothing else.
    """
    if not in_use(here.workspace) and st.session_state.get(TOLD) is None:
        return False
    return _warm_up(here) or _quiz(here)


def _warm_up(here: Here) -> bool:
    found = warm_up.standing(here.workspace, here.person.person_id)
    told: Feedback | Literal["ended"] | None = st.session_state.get(TOLD)
    if isinstance(told, Feedback):
        _tell(here, told, found)
    elif told == "ended":
        _warm_up_ended(here, found)
    elif not (found.due or (found.on and st.session_state.get(AGAIN))):
        return False
    elif found.exercise is None:
        _invite_to_warm_up(here)
    else:
        shown = found.exercise
        said = practice.ask(here, shown, f"warm-up, pair {shown.position} of {shown.of}")
        if said is not None:
            _answer_warm_up(here, shown.item_id, said)
    return True


def _invite_to_warm_up(here: Here) -> None:
    heading.ask("First a few pairs to warm up")
    heading.note(
        "They look like the pairs you will judge. After each you are told the level that was "
        "agreed on, and why. Nothing you say here is a judgment, and it is never frozen."
    )
    if st.button("Begin the warm-up", type="primary", key="lk_warm_up_begin"):
        warm_up.begin(here.workspace, here.person.person_id)
        st.rerun()


def _answer_warm_up(here: Here, item_id: int, said: practice.Said) -> None:
    try:
        st.session_state[TOLD] = warm_up.answer(
            here.workspace,
            here.person.person_id,
            item_id,
            level=said.level,
            reason=said.reason,
            evidence=said.evidence,
        )
    except LabelkitError as error:
        session.say("error", str(error))
    st.rerun()


def _tell(here: Here, told: Feedback, found: WarmUpState) -> None:
    """The pair again, with what the person said of it and what is agreed."""
    rubric = rubrics.read_current(here.workspace)
    at = [one.item_id for one in found.told].index(told.item_id) + 1 if found.told else 1
    practice.pair(here, told, rubric, f"warm-up, pair {at}: what is agreed")
    same = told.distance == 0
    with st.bottom, st.container(key="lk_told"):
        draw(
            element("p", _verdict(told), cls="lk-lead", role="status"),
            element(
                "p",
                f"You: {levels.said(rubric, told.level)}. "
                f"Agreed: {levels.said(rubric, told.agreed_level)}, {_because(told.agreed_reason)}",
                cls="lk-text",
                dir="auto",
            ),
        )
        if st.button(
            "Next" if same else "I see, next", type="primary", shortcut="n", key="lk_next"
        ):
            st.session_state[TOLD] = "ended" if found.exercise is None else None
            st.rerun()


def _verdict(told: Feedback) -> str:
    words = ("The agreed level.", "One level off.", "Two levels off.")
    return words[told.distance]


def _because(reason: str) -> str:
    return f"because: {reason}"


def _warm_up_ended(here: Here, found: WarmUpState) -> None:
    same = sum(one.distance == 0 for one in found.told)
    heading.ask("Warm-up done")
    heading.note(
        f"{same} of {len(found.told)} as agreed. You can repeat it at any time: Training page."
    )
    differences(here, found.told)
    if st.button("Go on", type="primary", key="lk_warm_up_done"):
        st.session_state.pop(TOLD, None)
        st.session_state.pop(AGAIN, None)
        st.rerun()


def _quiz(here: Here) -> bool:
    found = quiz.standing(here.workspace, here.person.person_id)
    told: QuizResult | None = st.session_state.get(TOLD)
    if isinstance(told, QuizResult):
        _passed(here, told)
    elif not found.required or found.rule is None:
        return False
    elif found.exercise is not None:
        shown = found.exercise
        said = practice.ask(here, shown, f"quiz, pair {shown.position} of {shown.of}")
        if said is not None:
            _answer_quiz(here, shown.item_id, said)
    else:
        _invite_to_quiz(here, found)
    return True


def _invite_to_quiz(here: Here, found: QuizState) -> None:
    """What is asked for, or the result of a failed attempt, and the way on."""
    rule = found.rule
    if rule is None:
        return
    heading.ask("Not passed yet" if found.results else "A short quiz before the first pair")
    if found.results:
        result_in_words(here, found.results[-1], rule.pass_mark)
    else:
        heading.note(
            f"{rule.size} pairs whose level is agreed. You pass with {rule.pass_mark:.0%}; the "
            "result comes at the end, each difference with the reason for the agreed level. "
            "Your labels count once you have passed."
        )
    if not found.attempts_left:
        heading.note(
            "No attempt is left. Ask a lead: they can vouch for you or draw the quiz again."
        )
    elif st.button(_invitation(found), type="primary", key="lk_quiz_begin"):
        quiz.begin(here.workspace, here.person.person_id)
        st.rerun()


def _invitation(found: QuizState) -> str:
    left = counted(found.attempts_left, "attempt")
    return f"{'Try again' if found.results else 'Begin the quiz'} ({left} left)"


def _answer_quiz(here: Here, item_id: int, said: practice.Said) -> None:
    try:
        result = quiz.answer(
            here.workspace,
            here.person.person_id,
            item_id,
            level=said.level,
            reason=said.reason,
            evidence=said.evidence,
        )
        if result is not None and result.passed:
            st.session_state[TOLD] = result
    except LabelkitError as error:
        session.say("error", str(error))
    st.rerun()


def _passed(here: Here, told: QuizResult) -> None:
    heading.ask("Quiz passed")
    found = quiz.standing(here.workspace, here.person.person_id)
    result_in_words(here, told, found.rule.pass_mark if found.rule else 0.0)
    heading.note(f"Your labels count from now on.{_before(found)}")
    if st.button("Go on to the pairs", type="primary", key="lk_quiz_done"):
        st.session_state.pop(TOLD, None)
        st.rerun()


def _before(found: QuizState) -> str:
    held = found.qualification
    if held is None or not held.labels_before:
        return ""
    labels = counted(held.labels_before, "label")
    return f" So do the {labels} that you made before."


def result_in_words(here: Here, result: QuizResult, pass_mark: float) -> None:
    """A score beside its mark, and every pair on which the person differed."""
    same = sum(one.distance == 0 for one in result.told)
    heading.note(
        f"Attempt {result.number}: {result.score:.0%}, pass mark {pass_mark:.0%}; "
        f"{same} of {len(result.told)} pairs exactly as agreed."
    )
    differences(here, result.told)


def differences(here: Here, told: tuple[Feedback, ...]) -> None:
    """The pairs on which the person differed from what is agreed, furthest apart first."""
    rubric = rubrics.read_current(here.workspace)
    found = sorted((one for one in told if one.distance), key=lambda one: -one.distance)
    if found:
        draw(*(_difference(rubric, one) for one in found))


def _difference(rubric: Rubric, one: Feedback) -> Markup:
    return element(
        "div",
        element("p", f"“{one.query.text}”", cls="lk-small", dir="auto"),
        element("p", one.document.title or one.document.doc_id, cls="lk-small", dir="auto"),
        element(
            "p",
            element("b", f"You: {levels.said(rubric, one.level)}. "),
            element("b", f"Agreed: {levels.said(rubric, one.agreed_level)}, "),
            _because(one.agreed_reason),
            dir="auto",
        ),
        cls="lk-difference",
    )


def own_page(here: Here) -> None:
    """The person's own part of the Training page: warm-up, quiz, and how steady they are."""
    found = warm_up.standing(here.workspace, here.person.person_id)
    heading.section("Your warm-up")
    if not found.on:
        heading.note("This project has no warm-up now.")
    else:
        heading.note("You have done it." if found.finished else "You have not done it yet.")
        label = "Repeat the warm-up" if found.finished else "Do the warm-up"
        if st.button(label, key="lk_warm_up_repeat"):
            st.session_state[AGAIN] = True
            warm_up.begin(here.workspace, here.person.person_id)
            st.switch_page("pages/label.py")
    _own_quiz(here)
    heading.section("How steady you are", consistency_sentence(here))


def _own_quiz(here: Here) -> None:
    found = quiz.standing(here.workspace, here.person.person_id)
    if not (found.required or found.qualification or found.results):
        return
    heading.section("Your quiz")
    held = found.qualification
    if held is not None:
        how = "passed the quiz" if held.how == "quiz" else "a lead vouched for you"
        heading.note(f"Your labels count since {clock.day(held.at)}: {how}.{_before(found)}")
    elif found.required:
        heading.note("Your labels do not count yet: pass the quiz on the Label page.")
    if found.results and found.rule is not None:
        result_in_words(here, found.results[-1], found.rule.pass_mark)


def consistency_sentence(here: Here) -> str:
    """The person's own figure, with n and interval."""
    own = repeats.own_consistency(here.workspace, here.person.person_id)
    return _in_words(own) if own.n else NO_FIGURE


NO_FIGURE = (
    "Some pairs may come to you twice, at least twenty others apart. Once some have, you read here "
    "how often you gave the same level; counted up to yesterday, shown to you and to leads."
)


def _in_words(own: Consistency) -> str:
    pairs = counted(own.n, "pair")
    return (
        f"Of {pairs} that came twice, you gave {own.same} the same level: "
        f"{own.same / own.n:.0%} (95 % interval {own.low:.0%} to {own.high:.0%}, exact binomial), "
        "counted up to yesterday. Only you and leads see this."
    )


def on_overview(here: Here) -> None:
    """One's own figure, once there is one."""
    own = repeats.own_consistency(here.workspace, here.person.person_id)
    if own.n:
        heading.section("How steady you are", _in_words(own))
