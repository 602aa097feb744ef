"""The upper part of the Agreement page: alpha and everything that is read beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelkit import judging
from labelkit.agreement import AgreementReport
from labelkit.agreement.breakdown import RaterPair
from labelkit.agreement.report import TOO_FEW_UNITS
from labelkit.agreement.words import NOT_USABLE, RELIABLE, RELIABLE_FROM, TENTATIVE_FROM
from labelkit.judging import ProjectState
from labelkit.rubric import Rubric
from labelkit.store import Workspace, people, samples
from labelkit.ui import grid, heading, notice, session, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element, join

HOT_SPOTS_SHOWN = 8
PAIRS_SHOWN = 6
DEFAULT_SAMPLE = 40
CHIPS = {RELIABLE: "lk-chip lk-chip-good", NOT_USABLE: "lk-chip lk-chip-bad"}


def names(workspace: Workspace) -> Mapping[str, str]:
    """person_id to name, a pseudonym for who left; only leads open the page that shows them."""
    return people.shown_names(workspace)


def headline(report: AgreementReport, rubric: Rubric) -> None:
    """Alpha with its interval and band, what it stands on, and the sentence to paste."""
    mix = sum(report.label_mix.values()) or 1
    tables.facts(
        [
            (f"alpha, {report.metric}", spans.figure(report.alpha, 3)),
            (f"{report.level:.0%} interval", spans.between(report.low, report.high, 3)),
            ("pairs labeled twice or more", report.pairable_units),
            ("raters", report.pairable_raters),
            ("raw agreement", spans.share(report.raw_agreement)),
            ("labels of level 0 / 1 / 2", " / ".join(
                f"{count / mix:.0%}" for count in report.label_mix.values())),
            ("rubric", f"v{rubric.version}"),
        ],
        label="Agreement",
    )  # fmt: skip
    if report.alpha is not None:
        _band(report)
    draw(element("p", report.sentence, cls="lk-lead"))
    if report.warnings:
        draw(element("ul", *(element("li", said) for said in report.warnings), cls="lk-points"))


def _band(report: AgreementReport) -> None:
    """The interval on a line with the bands' borders, and the two readings as chips."""
    lowest = min(0.0, report.low if report.low is not None else report.alpha or 0.0)
    line = spans.span(
        report.alpha,
        report.low,
        report.high,
        scale=(lowest, 1.0),
        marks=(TENTATIVE_FROM, RELIABLE_FROM),
    )
    readings = [("by the value", report.band), ("by the lower end", report.band_low)]
    chips = [
        element("span", f"{band} {how}", cls=CHIPS.get(band, "lk-chip lk-chip-warn"))
        for how, band in readings
        if band is not None
    ]
    legend = element(
        "p",
        f"The line goes from {lowest:.1f} to 1; the marks stand at {TENTATIVE_FROM} (tentative "
        f"from here) and {RELIABLE_FROM} (reliable from here).",
        cls="lk-note",
    )
    draw(element("div", line, *(join(" ", chip) for chip in chips), cls="lk-span-wide"), legend)


def void(report: AgreementReport, state: ProjectState) -> None:
    """Say that labels given under an earlier rubric do not count here."""
    old = sum(j.rubric_version != state.rubric.version for j in state.judgments)
    if old:
        notice.show(
            "warning",
            f"{old} judgments stand under earlier versions of the rubric and do not count for "
            f"v{state.rubric.version}: an edit voids agreement. Draw a fresh sample below.",
        )


def table(report: AgreementReport) -> None:
    """Which levels are given together: the coincidences as a table, shaded where most stand."""
    counts = report.coincidences
    off = sum(sum(row) - row[i] for i, row in enumerate(counts))
    share = off / report.pairable if report.pairable else 0.0
    heading.section(
        "Which levels stand together",
        f"Of {report.pairable} labels that can be paired, {share:.0%} stand beside another level. "
        "A pair of two labels counts once from each side.",
    )
    grid.show(counts, [f"{level}" for level in report.domain], label="Levels given together")


def by_rater_pair(report: AgreementReport, known: Mapping[str, str]) -> None:
    """Each two raters on the pairs that both labeled."""
    heading.section("By pair of raters")
    pairs = sorted(report.rater_pairs, key=lambda pair: -pair.n)
    _rater_pairs(pairs[:PAIRS_SHOWN], known)
    if len(pairs) > PAIRS_SHOWN:
        with st.expander(f"{len(pairs) - PAIRS_SHOWN} pairs of raters with fewer pairs in common"):
            _rater_pairs(pairs[PAIRS_SHOWN:], known)


def _rater_pairs(pairs: Sequence[RaterPair], known: Mapping[str, str]) -> None:
    tables.show(
        ("raters", "pairs", "agree", "alpha", ""),
        [
            (
                f"{known.get(str(pair.a), pair.a)} and {known.get(str(pair.b), pair.b)}",
                pair.n,
                f"{pair.agreement:.0%}",
                spans.figure(pair.alpha),
                element("span", "too few to read", cls="lk-chip") if pair.n < TOO_FEW_UNITS else "",
            )
            for pair in pairs
        ],
        label="Agreement by pair of raters",
        numbers=("pairs", "agree", "alpha"),
    )


def hot_spots(report: AgreementReport, state: ProjectState) -> None:
    """The queries on which raters split most."""
    if not report.hot_spots:
        return
    heading.section(
        "Where they split", "Queries with most pairs split, then with levels furthest apart."
    )
    tables.show(
        ("query", "labeled twice", "split", "widest"),
        [
            (
                state.queries[str(spot.cluster)].text
                if spot.cluster in state.queries
                else spot.cluster,
                spot.units,
                spot.split,
                element("span", "0 against 2" if spot.widest > 1 else "one level", cls="lk-keep"),
            )
            for spot in report.hot_spots[:HOT_SPOTS_SHOWN]
        ],
        label="Queries on which raters split",
        numbers=("labeled twice", "split"),
    )
    if len(report.hot_spots) > HOT_SPOTS_SHOWN:
        heading.note(f"{len(report.hot_spots) - HOT_SPOTS_SHOWN} more queries hold a split pair.")


def second_labels(here: Here, state: ProjectState) -> None:
    """How many second labels were asked for and given, and a new sample of them."""
    with here.workspace.reading() as db:
        wanted = samples.size_wanted(db)
    given = judging.count(state).pairs_second_labelled
    heading.section(
        "Second labels",
        f"{given} pairs have labels of two people or more; samples of {wanted} pairs were drawn. "
        "A sample is drawn at random over queries with all levels present, and goes, blind, to "
        "somebody who has not judged the pair.",
    )
    with (
        st.form("lk_sample", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        size = st.number_input("Pairs to draw", 1, 5000, DEFAULT_SAMPLE, width=180)
        seed = st.number_input("Seed", 0, 2**31 - 1, 1, width=180)
        sent = st.form_submit_button("Draw a sample")
    if sent:
        _draw(here, int(size), int(seed))


def _draw(here: Here, size: int, seed: int) -> None:
    drawn = judging.draw_second_sample(here.workspace, here.person.person_id, size=size, seed=seed)
    levels = ", ".join(f"{count} of level {level}" for level, count in sorted(drawn.drawn.items()))
    session.say(
        "success",
        f"Drew {len(drawn.pairs)} pairs: {levels}. They wait on the Label page for a rater who "
        "has not judged them.",
    )
    st.rerun()
