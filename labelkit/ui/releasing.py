"""The parts of the Releases page: what would be frozen now, and what was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from labelkit import releases
from labelkit.judging import RULES
from labelkit.model import Role
from labelkit.releases import Readiness, ReleaseRow
from labelkit.ui import (
    clock,
    heading,
    navigation,
    notice,
    origins,
    refusals,
    session,
    spans,
    tables,
)
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element

_LOOKED_AT = "release"
"""The release on screen, in the address too."""

RULE_WORDS: Mapping[str | None, str] = {
    None: "no rule: each has to be settled first",
    "min": "the lowest level given",
    "median": "the middle level given (of two, the lower)",
    "max": "the highest level given",
}


def ask_rule() -> str | None:
    """Ask how pairs are resolved on which raters differ and nobody has settled it."""
    rule: str | None = st.selectbox(
        "Pairs on which raters differ and nobody settled it",
        [None, *RULES],
        format_func=lambda rule: RULE_WORDS.get(rule, str(rule)),
        help="The release records the rule.",
        width=420,
    )
    return rule


def next_release(ready: Readiness) -> None:
    """Draw what blocks a freeze, what it would record as a warning, and what would be in it."""
    _counts(ready.counts.as_dict())
    if ready.blocking:
        _points("Blocks a freeze", ready.blocking, "lk-chip lk-chip-bad")
    if ready.counts.pairs_unresolved:
        navigation.link("agreement", "Settle what raters differ on")
    if ready.warnings:
        _points("Recorded as a warning", ready.warnings, "lk-chip lk-chip-warn")


def _counts(counts: Mapping[str, Any]) -> None:
    levels = (counts.get(f"level_{level}", 0) for level in (0, 1, 2))
    tables.facts(
        [
            ("queries with a judged document", f"{counts['queries_judged']:,}"),
            ("judged pairs", f"{counts['pairs_resolved']:,}"),
            ("of level 0 / 1 / 2", " / ".join(f"{count:,}" for count in levels)),
            ("adjudicated", f"{counts['pairs_adjudicated']:,}"),
            ("labeled twice", f"{counts['pairs_second_labelled']:,}"),
            ("documents", f"{counts['documents']:,}"),
        ],
        label="What is in it",
    )


def _points(title: str, said: Sequence[str], style: str) -> None:
    points = [element("li", one, dir="auto") for one in said]
    draw(element("span", title, cls=style), element("ul", *points, cls="lk-points"))


def ask_freeze(here: Here, rule: str | None, held: Sequence[ReleaseRow]) -> None:
    """Ask for the tag and freeze; only a lead may. A refusal says every reason."""
    if Role.LEAD not in here.person.roles:
        heading.note("Only a lead freezes.")
        return
    with (
        st.form("lk_freeze", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        tag = st.text_input("Tag", value=_free_tag(held), key=f"lk_tag_{len(held)}", width=220)
        sent = st.form_submit_button("Freeze", type="primary")
    if sent:
        with refusals.shown(), st.spinner("Freezing"):
            done = releases.freeze(here.workspace, tag.strip(), here.person.person_id, rule=rule)
            session.say("success", f"Froze {done.tag}: content {done.content_sha256[:12]}.")
            st.session_state[_LOOKED_AT] = done.tag
            st.rerun()


def _free_tag(held: Sequence[ReleaseRow]) -> str:
    tags = {row.tag for row in held}
    return next(tag for tag in (f"v{n}" for n in range(1, len(tags) + 2)) if tag not in tags)


def table(held: Sequence[ReleaseRow]) -> None:
    """Draw all releases, newest first."""
    tables.show(
        ("release", "content", "frozen", "queries", "judged pairs", "documents", "alpha", "rule",
         "judgments by origin"),
        [_row(row) for row in held],
        label="Releases",
        numbers=("queries", "judged pairs", "documents"),
    )  # fmt: skip


def _row(row: ReleaseRow) -> list[Any]:
    counts, agreement = row.manifest["counts"], row.manifest["agreement"]
    alpha = spans.figure(agreement["alpha"], 3)
    if agreement["low"] is not None:
        alpha += f" ({spans.between(agreement['low'], agreement['high'])})"
    return [
        row.tag,
        row.content_sha256[:12],
        clock.day(row.frozen_at),
        f"{counts['queries_judged']:,}",
        f"{counts['pairs_resolved']:,}",
        f"{counts['documents']:,}",
        agreement["undefined"] or alpha,
        row.manifest["resolution"]["rule"] or "none",
        origins.mix(row.manifest["provenance"]["judgments"]),
    ]


def one(here: Here, held: Sequence[ReleaseRow]) -> None:
    """Ask for one release, and show, verify or download it."""
    tags = [row.tag for row in held]
    tag = st.selectbox("Look at", tags, key=_LOOKED_AT, bind="query-params", width=220)
    row = next(row for row in held if row.tag == tag)
    origins.note_release(here.workspace, row.tag)
    draw(element("p", f"content {row.content_sha256}", cls="lk-note"))
    if row.manifest["warnings"]:
        _points("Recorded at the freeze", row.manifest["warnings"], "lk-chip")
    folder = releases.find(here.workspace, row.tag)
    with st.container(horizontal=True, vertical_alignment="center"):
        verify = st.button("Verify", key=f"lk_verify_{row.tag}")
        st.download_button(
            "Download (zip)",
            data=lambda: releases.archive(folder),
            file_name=f"{row.tag}.zip",
            mime="application/zip",
            on_click="ignore",
            key=f"lk_download_{row.tag}",
        )
        navigation.link("benchmark", "Compare candidates on a release")
    if verify:
        _verified(here, row)


def _verified(here: Here, row: ReleaseRow) -> None:
    checked = releases.verify(releases.find(here.workspace, row.tag), here.workspace)
    if checked.ok:
        notice.show("success", f"{row.tag} is byte for byte as it was frozen.")
    else:
        said = " ".join(checked.problems)
        notice.show("error", f"{row.tag} is not as it was frozen: {said}")
