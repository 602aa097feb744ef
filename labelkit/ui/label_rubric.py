"""The rubric on the Label page: whole, by boundary, and pinned beside the document or not."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from labelkit.rubric import BOUNDARIES, Example, Rubric
from labelkit.store import person_settings
from labelkit.ui.frame import Here
from labelkit.ui.markup import Markup, draw, element, join

_PIN = "lk_rubric_pinned"


def pinned(here: Here) -> bool:
    """Whether this person wants the rubric beside the document; it is until they say no."""
    key = f"{_PIN}_{here.person.person_id}"
    if key not in st.session_state:
        kept = person_settings.get(here.workspace, here.person.person_id, _PIN)
        st.session_state[key] = kept != "no"
    return bool(st.session_state[key])


def panel(here: Here, rubric: Rubric) -> None:
    """The rubric beside the document, with the button that takes it away."""
    draw(_words(rubric))
    for boundary in boundaries(rubric):
        key = f"lk_pinned_examples_{boundary}"
        with st.expander(_between(boundary), key=key, on_change="rerun") as shown:
            if shown.open:
                draw(*_examples(rubric, boundary))
    if st.button("Unpin the rubric", key="lk_unpin", type="tertiary"):
        _pin(here, "no")


def whole(here: Here, rubric: Rubric) -> None:
    """The rubric with all its examples, and the button that puts it beside the document."""
    parts: list[Markup] = [_words(rubric)]
    for boundary in boundaries(rubric):
        parts.append(element("h3", _between(boundary), cls="lk-title"))
        parts.extend(_examples(rubric, boundary))
    draw(_region("The whole rubric", parts))
    if not pinned(here) and st.button("Pin it beside the document", key="lk_pin"):
        _pin(here, "yes")


def examples(rubric: Rubric, boundary: str) -> None:
    """The examples of one boundary: what, which level, why."""
    draw(_region(_between(boundary), _examples(rubric, boundary)))


def boundaries(rubric: Rubric) -> list[str]:
    """The boundaries that have examples, the upper one first."""
    known = {example.boundary for example in rubric.examples}
    return [boundary for boundary in reversed(BOUNDARIES) if boundary in known]


def _between(boundary: str) -> str:
    return f"Examples between {boundary.replace('/', ' and ')}"


def _region(name: str, parts: Iterable[Markup]) -> Markup:
    """What may be longer than its popover: the keyboard reaches it and scrolls."""
    return element("div", *parts, tabindex="0", role="region", aria_label=name, cls="lk-region")


def _examples(rubric: Rubric, boundary: str) -> list[Markup]:
    return [_example(one) for one in rubric.examples if one.boundary == boundary]


def _example(example: Example) -> Markup:
    passage = example.passage
    return element(
        "div",
        element("p", element("b", f"{example.level}"), f" “{example.query}” · {example.doc_id}"),
        *([element("p", passage, cls="lk-quote lk-text", dir="auto")] if passage else []),
        element("p", f"because {example.why}"),
        cls="lk-example lk-small",
        dir="auto",
    )


def _words(rubric: Rubric) -> Markup:
    levels = (
        element("li", element("b", f"{level} {words.name}"), f": {words.definition}", dir="auto")
        for level, words in sorted(rubric.levels.items(), reverse=True)
    )
    evidence = ["Levels 1 and 2 need a marked passage."] if rubric.evidence_required else []
    rules = (element("li", f"– {rule}", dir="auto") for rule in [*rubric.rules, *evidence])
    title = element("h2", f"{rubric.title} (rubric v{rubric.version})", cls="lk-title")
    return join(title, element("ul", *levels, *rules, cls="lk-rules"))


def _pin(here: Here, answer: str) -> None:
    person_settings.save(here.workspace, here.person.person_id, _PIN, answer)
    st.session_state[f"{_PIN}_{here.person.person_id}"] = answer == "yes"
    st.rerun()
