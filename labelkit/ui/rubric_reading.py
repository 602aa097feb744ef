"""The rubric as it is read: levels, rules, examples; and its versions with what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit.judging.rubric_diff import RubricChange, rubric_changes
from labelkit.rubric import BOUNDARIES, Rubric
from labelkit.store.rubric_choices import RubricVersion
from labelkit.ui import heading, label_rubric, tables
from labelkit.ui.markup import Markup, draw, element
from labelkit.ui.text import plain

MARKS = {"same": "span", "removed": "del", "added": "ins"}


def read(rubric: Rubric) -> None:
    """The version in force, whole, for whoever judges by it."""
    heading.section(plain(f"{rubric.title} (v{rubric.version})"))
    tables.show(
        ("level", "what the document lets the reader do"),
        [
            (element("b", f"{level} {words.name}"), words.definition)
            for level, words in sorted(rubric.levels.items(), reverse=True)
        ],
        label="Levels",
    )
    heading.note(
        "Levels 1 and 2 need a marked passage."
        if rubric.evidence_required
        else "A marked passage is welcome and not required."
    )
    _rules(rubric)
    for boundary in label_rubric.boundaries(rubric):
        heading.section(f"Examples between {boundary.replace('/', ' and ')}")
        label_rubric.examples(rubric, boundary)
    missing = [one for one in BOUNDARIES if one not in label_rubric.boundaries(rubric)]
    if missing:
        heading.note(f"No boundary example for {' and '.join(missing)} yet.")


def _rules(rubric: Rubric) -> None:
    if rubric.rules:
        draw(element("ol", *(element("li", rule, dir="auto") for rule in rubric.rules)))


def history(versions: Sequence[RubricVersion], known: Mapping[str, str]) -> None:
    """Every version, newest first, and the difference between any two."""
    if not versions:
        heading.note("Only the starter rubric so far; the first edit makes a version of it.")
        return
    tables.show(
        ("version", "saved", "by", "kind", "why"),
        [_row(one, known) for one in reversed(versions)],
        label="Versions of the rubric",
    )
    if len(versions) > 1:
        _compare(versions)


def _row(one: RubricVersion, known: Mapping[str, str]) -> tuple[object, ...]:
    who = one.decided_by or one.saved_by
    name = known.get(who, who) if who else "at the start"
    first = one.kind == "meaning" and one.note == "" and one.decided_by is None
    kind = f"wording of v{one.means}, says {name}" if one.kind == "wording" else "change of meaning"
    return (
        f"v{one.rubric.version}",
        one.saved_at[:16].replace("T", " "),
        name,
        "first" if first and one.rubric.version == 1 else kind,
        one.note or "–",
    )


def _compare(versions: Sequence[RubricVersion]) -> None:
    held = {one.rubric.version: one.rubric for one in versions}
    numbers = sorted(held, reverse=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        old = st.selectbox(
            "From version", numbers, index=1, width=180, key="lk_rubric_from", format_func=_named
        )
        new = st.selectbox(
            "to version", numbers, index=0, width=180, key="lk_rubric_to", format_func=_named
        )
    changes(rubric_changes(held[old], held[new]), "Nothing differs between these two.")


def _named(version: int) -> str:
    return f"v{version}"


def changes(found: Sequence[RubricChange], none: str) -> None:
    """Each part that changed, with what went struck out and what came underlined."""
    if not found:
        heading.note(none)
        return
    draw(*(_change(one) for one in found))


def _change(one: RubricChange) -> Markup:
    words = [element(MARKS[kind], text) for kind, text in one.words]
    return element(
        "div",
        element("b", f"{one.part} {one.kind}"),
        element("p", *words, dir="auto"),
        cls="lk-diff",
    )
