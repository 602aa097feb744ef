"""Agreement in parts, each with its n and interval; a part on too few pairs is grey."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from labelkit.agreement.slices import Slice
from labelkit.agreement.words import RELIABLE_FROM, TENTATIVE_FROM
from labelkit.judging.trust import Trust
from labelkit.ui import heading, spans, tables
from labelkit.ui.markup import Markup, element

ROWS_SHOWN = 6
WHY_NONE = {
    "no_variation": "no alpha: one level only",
    "no_overlap": "nothing to compare",
    "one_rater": "one rater only",
}


def rater_pairs(told: Trust, known: Mapping[str, str]) -> None:
    """Each two raters on the pairs that both labeled, those with most in common first."""
    named = [
        replace(part, name=f"{known.get(a, a)} and {known.get(b, b)}")
        for (a, b), part in told.rater_pairs.items()
    ]
    _section("By pair of raters", "raters", sorted(named, key=lambda part: -part.units))


def kinds(told: Trust) -> None:
    """People with people, people with models, models with models: never one figure."""
    if all(part.units == 0 for part in told.kinds[1:]):
        heading.section("People and models apart")
        heading.note(
            "No model has graded a pair under this rubric: every figure on this page is people "
            "with people."
        )
        return
    _section(
        "People and models apart",
        "who",
        told.kinds,
        "Models count nowhere else on this page. A person's label beside a model's grade is "
        "compared pair by pair, so agreement among people plays no part in the second line.",
    )


def sources_and_types(told: Trust) -> None:
    """By what the query is and by what the document is."""
    left, right = st.columns(2, gap="medium")
    with left:
        _section("By source of the query", "source", told.query_sources)
        _typed("By type of the query", told.query_types, "Types are given on the Queries page.")
    with right:
        _typed(
            "By type of the document",
            told.document_types,
            "The type is read from the key “type” of the documents' metadata.",
        )


def time(told: Trust) -> None:
    """First half against second half, and four parts in a row: drift."""
    left, right = st.columns(2, gap="medium")
    with left:
        halves = [
            _dated(part, f"{which} half")
            for part, which in zip(told.halves, ("first", "second"), strict=False)
        ]
        _section("First half against second half", "half", halves, _drift(told.halves))
    with right:
        quarters = [_dated(part, f"part {n}") for n, part in enumerate(told.drift, 1)]
        _section(
            "Over time",
            "part",
            quarters,
            "Four parts of equal size, oldest first. A pair belongs to the time of its second "
            "label.",
        )


def _typed(title: str, parts: Sequence[Slice], where: str) -> None:
    if len(parts) == 1 and parts[0].name == "no type":
        heading.section(title)
        heading.note(f"None has a type, so there is nothing to set side by side. {where}")
    else:
        _section(title, "type", parts)


def _drift(halves: Sequence[Slice]) -> str:
    """What two halves say, in words that promise no more than their intervals."""
    if len(halves) < 2 or halves[0].low is None or halves[1].low is None:
        return "There are not yet two halves with an interval to compare."
    first, second = halves
    if _below(second, first):
        return "The second half agrees less: raters have drifted apart, or harder pairs came late."
    if _below(first, second):
        return "The second half agrees more: raters have grown together, or easier pairs came late."
    return "The two intervals overlap: no drift is shown."


def _below(one: Slice, other: Slice) -> bool:
    return one.high is not None and other.low is not None and one.high < other.low


def _dated(part: Slice, name: str) -> Slice:
    first, _, last = part.name.partition(" to ")
    when = first if first == last else f"{first}\nto {last}"
    return replace(part, name=f"{name}\n{when}")


def _section(title: str, column: str, parts: Sequence[Slice], text: str = "") -> None:
    heading.section(title, text or _told(parts))
    if not parts:
        return
    _table(title, column, parts[:ROWS_SHOWN])
    if len(parts) > ROWS_SHOWN:
        with st.expander(f"{len(parts) - ROWS_SHOWN} more with fewer pairs"):
            _table(f"{title}, the rest", column, parts[ROWS_SHOWN:])


def _told(parts: Sequence[Slice]) -> str:
    """The sentence over a table of parts."""
    if not parts:
        return "No pair here has two labels yet."
    few = sum(part.too_few for part in parts)
    if few == len(parts):
        return "Grey: under 30 pairs each, too few to read anything into."
    held = [part for part in parts if not part.too_few and part.alpha is not None]
    if len(held) < 2:
        return f"Grey: under 30 pairs, too few to read ({few} of {len(parts)})." if few else ""
    low, high = min(held, key=_alpha), max(held, key=_alpha)
    clear = _below(low, high)
    said = f"Lowest in {low.name} ({_alpha(low):.2f}), highest in {high.name} ({_alpha(high):.2f})"
    return f"{said}; {'their intervals lie apart' if clear else 'their intervals overlap'}."


def _alpha(part: Slice) -> float:
    return part.alpha if part.alpha is not None else 1.0


def _table(label: str, column: str, parts: Iterable[Slice]) -> None:
    tables.show(
        (column, "pairs", "agree", "alpha", "95 % interval", ""),
        [_row(part) for part in parts],
        label=label,
        numbers=("pairs", "agree", "alpha"),
    )


def _row(part: Slice) -> tuple[object, ...]:
    alpha = spans.figure(part.alpha) if part.undefined is None else WHY_NONE[part.undefined]
    name = element("span", part.name, cls="lk-keep")
    cells = (name, part.units, spans.share(part.raw_agreement), alpha, *_interval(part))
    if not part.too_few:
        return cells
    return (*(_grey(cell) for cell in cells[:-1]), cells[-1])


def _interval(part: Slice) -> tuple[object, object]:
    lowest = min(0.0, part.low if part.low is not None else 0.0)
    line = spans.span(
        part.alpha,
        part.low,
        part.high,
        scale=(lowest, 1.0),
        marks=(TENTATIVE_FROM, RELIABLE_FROM),
    )
    few = element("span", "too few", cls="lk-chip")
    return spans.between(part.low, part.high), few if part.too_few else line


def _grey(cell: object) -> Markup:
    return element("span", cell, cls="lk-few")
