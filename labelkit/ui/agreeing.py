"""The upper part of the Agreement page: alpha and everything that is read beside it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from labelkit.agreement import AgreementReport
from labelkit.agreement.words import NOT_USABLE, RELIABLE, RELIABLE_FROM, TENTATIVE_FROM
from labelkit.judging import trust
from labelkit.judging.trust import Trust
from labelkit.store import Workspace, people, queries
from labelkit.ui import grid, heading, spans, tables
from labelkit.ui.frame import Here
from labelkit.ui.markup import draw, element, join
from labelkit.wording import counted

HOT_SPOTS_SHOWN = 8
CHIPS = {RELIABLE: "lk-chip lk-chip-good", NOT_USABLE: "lk-chip lk-chip-bad"}


def names(workspace: Workspace) -> Mapping[str, str]:
    """person_id to name, a pseudonym for who left; only leads open the page that shows them."""
    return people.shown_names(workspace)


def parts(here: Here) -> Trust:
    """Everything that the page shows, computed once for a state of the labels."""
    stand = trust.stand(here.workspace)
    return _parts(str(here.workspace.path), here.person.person_id, stand)


@st.cache_data(ttl=60, max_entries=8, show_spinner="Resampling the labels")
def _parts(path: str, person_id: str, stand: tuple[int, ...]) -> Trust:
    # Half a second for 160 pairs and 11 raters: too long for every click on the page. What the
    # stand does not tell, such as a query's new type, shows within a minute.
    return trust.trust(Workspace.open(path), person_id)


def headline(told: Trust) -> None:
    """Alpha with its interval and band, what it stands on, and the sentence to paste."""
    report = told.report
    total = sum(report.label_mix.values())
    mix = " / ".join(spans.share(n / total if total else None) for n in report.label_mix.values())
    tables.facts(
        [
            (f"alpha, {report.metric}", spans.figure(report.alpha, 3)),
            (f"{report.level:.0%} interval", spans.between(report.low, report.high, 3)),
            ("pairs labeled twice or more", report.pairable_units),
            ("raters", report.pairable_raters),
            ("raw agreement", spans.share(report.raw_agreement)),
            ("labels of level 0 / 1 / 2", mix),
            ("rubric", f"v{told.rubric_version}"),
        ],
        label="Agreement",
    )  # fmt: skip
    if report.alpha is not None:
        _band(report)
    draw(element("p", report.sentence, cls="lk-lead"))
    if report.warnings:
        draw(element("ul", *(element("li", said) for said in report.warnings), cls="lk-points"))
    if told.chosen:
        heading.note(trust.left_out(told.chosen))
    if report.alpha is not None:
        with st.expander("The sentence for your report"):
            st.code(paste(told), language=None, wrap_lines=True)


def paste(told: Trust) -> str:
    """What a lead can put into a report as it stands: the figure and all it rests on."""
    report = told.report
    total = sum(report.label_mix.values()) or 1
    mix = "/".join(f"{100 * count / total:.0f}" for count in report.label_mix.values())
    drawn = "queries" if report.resampled == "clusters" else "pairs"
    return (
        f"{report.sentence} Levels 0/1/2 were given to {mix} % of the labels. Interval: BCa "
        f"bootstrap over {drawn}, {report.resamples:,} resamples. "
        f"Rubric version {told.rubric_version}."
    )


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
        f"The line goes from {lowest:g} to 1; the marks stand at {TENTATIVE_FROM} (tentative "
        f"from here) and {RELIABLE_FROM} (reliable from here).",
        cls="lk-note",
    )
    draw(element("div", line, *(join(" ", chip) for chip in chips), cls="lk-span-wide"), legend)


def table(report: AgreementReport) -> None:
    """Which levels are given together: the coincidences as a table, shaded where most stand."""
    counts = report.coincidences
    off = sum(sum(row) - row[i] for i, row in enumerate(counts))
    share = off / report.pairable if report.pairable else 0.0
    heading.section(
        "Which levels stand together",
        f"Of {report.pairable:,} labels that can be paired, {share:.0%} stand beside another "
        "level. A pair of two labels counts once from each side.",
    )
    grid.show(counts, [f"{level}" for level in report.domain], label="Levels given together")


def hot_spots(report: AgreementReport, workspace: Workspace) -> None:
    """The queries on which raters split most."""
    if not report.hot_spots:
        return
    worst = report.hot_spots[:HOT_SPOTS_SHOWN]
    with workspace.reading() as db:
        asked = {spot.cluster: queries.get(db, str(spot.cluster)) for spot in worst}
    heading.section(
        "Where they split", "Queries with most pairs split, then with levels furthest apart."
    )
    tables.show(
        ("query", "labeled twice", "split", "widest"),
        [
            (
                spot.cluster if (query := asked[spot.cluster]) is None else query.text,
                spot.units,
                spot.split,
                element("span", "0 against 2" if spot.widest > 1 else "one level", cls="lk-keep"),
            )
            for spot in worst
        ],
        label="Queries on which raters split",
        numbers=("labeled twice", "split"),
    )
    more = len(report.hot_spots) - HOT_SPOTS_SHOWN
    if more > 0:
        heading.note(f"{counted(more, 'more query holds', 'more queries hold')} a split pair.")
