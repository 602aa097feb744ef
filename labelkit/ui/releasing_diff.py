"""What changed between two releases: every change in a stable order, filtered and in pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelkit import releases
from labelkit.releases import ReleaseDiff, ReleaseRow
from labelkit.releases.diffing import AlphaThenNow, EvidenceDrift, ItemChange, LabelChange
from labelkit.releases.text_drift import text_drift
from labelkit.store import Workspace
from labelkit.ui import address, heading, paging, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.items import item
from labelkit.ui.markup import Markup, draw, element, join
from labelkit.ui.word_changes import changed
from labelkit.wording import counted

SHOWN = 20
CHIPS = {
    "added": "lk-chip lk-chip-good",
    "kept": "lk-chip lk-chip-good",
    "withdrawn": "lk-chip lk-chip-bad",
    "removed": "lk-chip lk-chip-bad",
    "lost": "lk-chip lk-chip-bad",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison and the words that its ids stand for; `texts` are those of changed documents."""

    found: ReleaseDiff
    asked: Mapping[str, str]
    titles: Mapping[str, str]
    texts: Mapping[str, tuple[str, str]]


def show(here: Here, held: Sequence[ReleaseRow]) -> None:
    """Ask for two releases and show what differs."""
    if len(held) < 2:
        heading.note("A comparison needs two releases; the next freeze makes the second.")
        return
    old, new = _ask(held)
    if old.tag == new.tag:
        heading.note("Choose two different releases.")
        return
    for row in (old, new):  # what is kept was read from files that may have changed since
        releases.untouched(releases.find(here.workspace, row.tag), here.workspace)
    contents = (old.content_sha256, new.content_sha256)
    compared = _compared(str(here.workspace.path), old.tag, new.tag, contents)
    _alphas(compared.found)
    if compared.found.same_content:
        heading.note("The same content, byte for byte.")
    elif not compared.found.counts:
        heading.note("Nothing differs but what was left out of one of them.")
    else:
        _changes(compared)


def _ask(held: Sequence[ReleaseRow]) -> tuple[ReleaseRow, ReleaseRow]:
    rows = {row.tag: row for row in held}
    tags = list(rows)
    with st.container(horizontal=True):
        old = address.choose("From", tags, "from", default=tags[1], width=220)
        new = address.choose("To", tags, "to", default=tags[0], width=220)
    return rows[old], rows[new]


@st.cache_data(max_entries=4, show_spinner="Comparing")
def _compared(path: str, old: str, new: str, contents: tuple[str, str]) -> Compared:
    """The comparison; two contents are compared once, however often the page is drawn."""
    workspace = Workspace.open(path)
    then, now = (releases.load(releases.find(workspace, tag), workspace) for tag in (old, new))
    found = releases.diff(then, now)
    both = [*then.documents, *now.documents]
    before = {one.doc_id: one.text for one in then.documents}
    after = {one.doc_id: one.text for one in now.documents}
    drifted = [one.item_id for one in found.documents if "text" in one.fields]
    return Compared(
        found,
        {query.query_id: query.text for query in (*then.queries, *now.queries)},
        {document.doc_id: document.title for document in both if document.title},
        {doc_id: (before[doc_id], after[doc_id]) for doc_id in drifted},
    )


def _alphas(found: ReleaseDiff) -> None:
    names = (f"alpha then, {found.old}", f"alpha now, {found.new}")
    tables.facts(
        [(name, _alpha(one)) for name, one in zip(names, found.agreement, strict=True)],
        label="Alpha then and now",
    )
    versions = [one.rubric_version for one in found.agreement]
    if found.rubric:
        heading.note(
            f"The rubric changed (v{versions[0]} to v{versions[1]}): the two alphas are about "
            "different texts."
        )


def _alpha(one: AlphaThenNow) -> str:
    if one.alpha is None:
        return f"undefined: {str(one.undefined).replace('_', ' ')}"
    bounds = "" if one.low is None else f" ({spans.between(one.low, one.high, 3)})"
    return f"{one.alpha:.3f}{bounds} on {counted(one.units, 'pair')}, rubric v{one.rubric_version}"


def _changes(compared: Compared) -> None:
    """The parts with their counts; of the chosen one every change, filtered, in pages."""
    found = compared.found
    parts: dict[str, Sequence[Any]] = {
        "labels": found.labels,
        "queries": found.queries,
        "documents": found.documents,
        "evidence": found.evidence,
        "rubric": found.rubric,
    }
    drawn: dict[str, Callable[[Any], Markup]] = {
        "labels": lambda one: _label(one, compared),
        "queries": _query,
        "documents": lambda one: _document(one, compared),
        "evidence": lambda one: _evidence(one, compared),
        "rubric": lambda one: _block(one.kind, element("b", one.part), changed(one.words)),
    }
    part = st.radio(
        "What changed",
        list(parts),
        format_func=lambda name: f"{name} {len(parts[name]):,}",
        horizontal=True,
        key="lk_diff_part",
    )
    shown, name = _filtered(part, parts[part], compared)
    if not shown:
        heading.note("Nothing of this kind." if not parts[part] else "Nothing fits the filter.")
        return
    start = paging.ask(len(shown), SHOWN, f"lk_diff_page_{name}", what=part)
    draw(*(drawn[part](one) for one in shown[start : start + SHOWN]))


def _filtered(part: str, every: Sequence[Any], compared: Compared) -> tuple[list[Any], str]:
    """What fits the filter, and a name for this list: another filter begins at its first page."""
    kinds = list(dict.fromkeys(_kind(one) for one in every))
    with st.container(horizontal=True):
        kind = st.selectbox("Kind", ["all", *kinds], key=f"lk_diff_kind_{part}", width=180)
        words = st.text_input("Holds the words", key=f"lk_diff_words_{part}", width=300)
    wanted = words.strip().casefold()
    fitting = [
        one
        for one in every
        if kind in ("all", _kind(one)) and wanted in _searched(one, compared).casefold()
    ]
    return fitting, item(part, kind, wanted)


def _kind(one: Any) -> str:
    return str(one.found.how if isinstance(one, EvidenceDrift) else one.kind)


def _searched(one: Any, compared: Compared) -> str:
    """All that is shown of a change, as one text to look in."""
    if isinstance(one, LabelChange):
        said = (*one.reasons_before, *one.reasons_after)
        return "\n".join((*_named(one.query_id, one.doc_id, compared), *said))
    if isinstance(one, EvidenceDrift):
        named = _named(one.query_id, one.doc_id, compared)
        return "\n".join((*named, one.rater, one.found.quote))
    if isinstance(one, ItemChange):
        return "\n".join((one.item_id, *one.fields, one.before, one.after))
    return "\n".join((one.part, one.before, one.after))


def _named(query_id: str, doc_id: str, compared: Compared) -> tuple[str, str, str, str]:
    return query_id, compared.asked.get(query_id, ""), doc_id, compared.titles.get(doc_id, "")


def _block(kind: str, head: Any, *inside: Any) -> Markup:
    chip = element("span", kind, cls=CHIPS.get(kind, "lk-chip lk-chip-warn"))
    return element("div", element("p", chip, " ", head, dir="auto"), *inside, cls="lk-change")


def _pair(query_id: str, doc_id: str, compared: Compared) -> str:
    asked, title = compared.asked.get(query_id, ""), compared.titles.get(doc_id, doc_id)
    return f"“{asked}” ({query_id}) with {title}{f' ({doc_id})' if title != doc_id else ''}"


def _label(one: LabelChange, compared: Compared) -> Markup:
    levels = {"added": f"{one.after}", "withdrawn": f"was {one.before}"}
    head = join(
        element("b", levels.get(one.kind, f"{one.before} → {one.after}")),
        " ",
        _pair(one.query_id, one.doc_id, compared),
    )
    said = [("then", reason) for reason in one.reasons_gone]
    said += [("now", reason) for reason in one.reasons_come]
    lines = [element("p", f"{when}: {reason}", dir="auto") for when, reason in said]
    return _block(one.kind, head, *lines)


def _query(one: ItemChange) -> Markup:
    head = join(element("b", one.item_id), _fields(one))
    if "text" in one.fields:
        return _block(one.kind, head, changed(text_drift(one.before, one.after)))
    return _block(one.kind, head, element("p", one.after or one.before, dir="auto"))


def _fields(one: ItemChange) -> str:
    return f" · {', '.join(one.fields)}" if one.fields else ""


def _document(one: ItemChange, compared: Compared) -> Markup:
    title = one.after or one.before or one.item_id
    named = f" ({one.item_id})" if title != one.item_id else ""
    head = join(element("b", title), named, _fields(one))
    inside = []
    if one.item_id in compared.texts:
        drift = changed(text_drift(*compared.texts[one.item_id]))
        inside.append(element("details", element("summary", "The text, then and now"), drift))
    told = [drift.found.how for drift in compared.found.evidence if drift.doc_id == one.item_id]
    if told:
        counts = ", ".join(f"{told.count(how)} {how}" for how in dict.fromkeys(told))
        inside.append(element("p", f"evidence in it: {counts}"))
    return _block(one.kind, head, *inside)


def _evidence(one: EvidenceDrift, compared: Compared) -> Markup:
    place = "" if one.found.start is None else f", characters {one.found.start} to {one.found.end}"
    return _block(
        one.found.how,
        f"“{one.found.quote}”",
        element("p", f"{one.rater}{place}, {_pair(one.query_id, one.doc_id, compared)}"),
    )
