"""Each rater beside the others, for a talk: in order of name, as questions, never a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit.agreement.raters import RaterNotes
from labelkit.agreement.slices import Slice
from labelkit.ui import heading, spans, tables
from labelkit.ui.markup import Markup, draw, element
from labelkit.wording import counted

COLUMNS = (
    "rater",
    "labels",
    "shared",
    "median time",
    "levels 0/1/2",
    "others on the same",
    "alpha with the others",
    "alpha of the others alone",
    "same on repeats",
    "same reason",
)


def show(notes: Sequence[RaterNotes], known: Mapping[str, str]) -> None:
    """Questions first, then the figures that they come from, and what each column means."""
    heading.section(
        "Rater by rater",
        "For leads only. A difference has many causes, the rubric first: ask before you conclude. "
        "Names stand in alphabetical order; nothing here is a score.",
    )
    ordered = sorted(notes, key=lambda note: known.get(note.rater, note.rater).casefold())
    _questions(ordered, known)
    tables.show(
        COLUMNS,
        [_row(note, known) for note in ordered],
        label="Rater by rater",
        numbers=("labels", "shared"),
        wide=True,
    )
    with st.expander("What the columns mean"):
        _legend()


def _questions(notes: Sequence[RaterNotes], known: Mapping[str, str]) -> None:
    asked = [
        element("li", element("b", known.get(note.rater, note.rater)), f": {question}")
        for note in notes
        for question in note.questions
    ]
    if asked:
        heading.note("To talk about:")
        draw(element("ul", *asked, cls="lk-points"))
    else:
        heading.note("Nothing stands out enough for a question.")


def _row(note: RaterNotes, known: Mapping[str, str]) -> tuple[object, ...]:
    return (
        element("span", known.get(note.rater, note.rater), cls="lk-keep"),
        note.n,
        note.shared,
        "not measured" if note.median_seconds is None else f"{note.median_seconds:.0f} s",
        _mix(note.mix),
        _mix(note.others_mix),
        _part(note.with_others),
        _part(note.without),
        f"{note.same_again} of {note.asked_again}" if note.asked_again else "none asked",
        f"{note.repeated_reasons} of {note.n}" if note.repeated_reasons else "none",
    )


def _mix(mix: Mapping[int, float] | None) -> Markup | None:
    if mix is None:
        return None
    shares = "/".join(f"{100 * share:.0f}" for share in mix.values())
    return element("span", f"{shares} %", cls="lk-keep")


def _part(part: Slice) -> object:
    if part.alpha is None:
        return element("span", f"none on {counted(part.units, 'pair')}", cls="lk-few")
    bounds = "" if part.low is None else f" ({spans.between(part.low, part.high)})"
    few = f", {counted(part.units, 'pair')}{': too few' * part.too_few}"
    said = f"{part.alpha:.2f}{bounds}{few}".replace(", ", "\n", 1)
    return element("span", said, cls="lk-few") if part.too_few else said


def _legend() -> None:
    meanings = (
        ("shared", "pairs that somebody else labeled too; the two mixes of levels are of these."),
        ("median time", "active seconds on a pair, half are under it; pauses are taken out."),
        ("alpha with the others", "this rater's label beside each other one of the same pair."),
        (
            "alpha of the others alone",
            "agreement with this rater left out: far above the whole, and the rubric may read "
            "differently to this person.",
        ),
        ("same on repeats", "hidden repeats that got the same level again."),
        ("same reason", "labels that share their reason, word for word, with another."),
    )
    lines = [element("li", element("b", name), f": {text}") for name, text in meanings]
    draw(element("ul", *lines, cls="lk-points"))
