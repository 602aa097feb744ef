"""A benchmark's figures: the table of candidates, their comparisons, slices and what was left out.

Every figure stands with its interval and the number of queries behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from labelkit.bench import RunResult
from labelkit.bench.confounding import verdict
from labelkit.bench.decision import FEW_JUDGED, has_index, p95
from labelkit.bench.documents import (
    LOSS_COLUMNS,
    PAPER_COLUMNS,
    as_document,
    loss_rows,
    paper_row,
)
from labelkit.bench.report import completed, groups_note
from labelkit.measures import written
from labelkit.ui import heading, spans, tables
from labelkit.ui.markup import Markup, draw, element, join
from labelkit.wording import counted

Candidate = Mapping[str, Any]
Summary = Mapping[str, Any]

STATES = {"completed": "lk-chip lk-chip-good", "failed": "lk-chip lk-chip-bad"}
IDS_SHOWN = 12


def state(one: Candidate) -> Markup:
    """A candidate's state, and why where it did not finish."""
    return join(_chip(one), f" {one['why']}") if one["why"] else _chip(one)


def _chip(one: Candidate) -> Markup:
    return element("span", one["state"], cls=STATES.get(one["state"], "lk-chip lk-chip-warn"))


def table(summary: Summary) -> None:
    """One line for each candidate, best first; those without results stand below with why."""
    level = str(summary["plan"]["relevant_level"])
    done = completed(summary)
    metrics = list(done[0]["metrics"][level]) if done else []
    rows = [_row(one, one["metrics"][level], metrics) for one in done]
    missing = [one for one in summary["candidates"] if one["state"] != "completed"]
    rows += [
        ["", join(one["name"], " ", _chip(one)), *[""] * (len(metrics) + 2)] for one in missing
    ]
    heads = [_head(metric, done[0]["metrics"][level][metric]["n"]) for metric in metrics]
    columns = ["group", "candidate", *heads, "p95 ms", "index MB"]
    tables.show(columns, rows, label="Candidates", numbers=("p95 ms", "index MB"), wide=True)
    if missing:
        why = [element("li", f"{one['name']} is {one['state']}: {one['why']}") for one in missing]
        draw(element("ul", *why, cls="lk-points"))
    if summary["comparison"] is not None:
        heading.note(groups_note(summary))


def _head(metric: str, n: int) -> str:
    return written(metric) if metric.startswith("judged") else f"{written(metric)} (n = {n})"


def _row(one: Candidate, figures: Mapping[str, Any], metrics: Sequence[str]) -> list[Any]:
    groups = "/".join(map(str, one["groups"])) or "–"
    cells = [_cell(metric, figures[metric]) for metric in metrics]
    latency = p95(one)
    size = f"{one['index_bytes'] / 1e6:,.1f}" if has_index(one) else "–"
    return [groups, _kept(one["name"]), *cells, "–" if latency is None else f"{latency:,.1f}", size]


def _kept(text: str) -> Markup:
    """Words that stay on one line."""
    return element("span", text, cls="lk-keep")


def _cell(metric: str, figure: Mapping[str, Any]) -> Markup:
    """A mean with its interval drawn and written; judged@k as a share, low ones marked."""
    if figure["mean"] is None:
        return element("span", "no query counts", cls="lk-chip")
    if metric.startswith("judged"):
        share = f"{figure['mean']:.1%}"
        low = figure["mean"] < FEW_JUDGED
        return element("span", share, cls="lk-chip lk-chip-bad") if low else join(share)
    line = spans.span(figure["mean"], figure["low"], figure["high"])
    interval = spans.between(figure["low"], figure["high"])
    said = interval if figure["low"] is not None else figure["method"]
    return join(
        element("b", spans.figure(figure["mean"], 3)),
        " ",
        line,
        element("div", said, cls="lk-interval"),
    )


def comparisons(summary: Summary) -> None:
    """Each declared pair on the primary metric: the difference, its interval, wins and losses."""
    comparison = summary["comparison"]
    if comparison is None:
        return
    pairs = comparison["pairs"]
    ends = [abs(pair[end] or 0.0) for pair in pairs for end in ("low", "high", "difference")]
    reach = max([*ends, 0.01])
    metric = written(summary["plan"]["primary"])
    with st.expander(f"Differences in {metric}, pair by pair ({len(pairs)})"):
        heading.note(
            f"Paired over {counted(comparison['n'], 'query')}: sign-flip permutation, Holm over "
            f"the family. The line goes from −{reach:.2f} to +{reach:.2f}; the mark is no "
            "difference."
        )
        tables.show(
            ("candidates", f"difference in {metric}", "interval", "", "wins", "ties", "losses",
             "p (Holm)", "the first is"),
            [_pair(pair, reach) for pair in pairs],
            label="Comparisons",
            numbers=("wins", "ties", "losses", "p (Holm)"),
        )  # fmt: skip


def _pair(pair: Mapping[str, Any], reach: float) -> list[Any]:
    line = spans.span(
        pair["difference"], pair["low"], pair["high"], scale=(-reach, reach), marks=(0.0,)
    )
    interval = "–" if pair["low"] is None else f"{pair['low']:+.3f} to {pair['high']:+.3f}"
    names = join(_kept(pair["a"]), " against ", _kept(pair["b"]))
    return [
        names,
        f"{pair['difference']:+.3f}",
        _kept(interval),
        line,
        pair["wins"],
        pair["ties"],
        pair["losses"],
        "< 0.001" if pair["p_adjusted"] < 0.001 else f"{pair['p_adjusted']:.3f}",
        verdict(pair),
    ]


def slices(summary: Summary) -> None:
    """The primary metric over parts of the queries, first of all with and without synthetic."""
    metric = summary["plan"]["primary"]
    found = [one for one in summary["slices"] if one["by"] != "all"]
    kinds = list(dict.fromkeys(one["by"] for one in found))
    heading.section(f"{written(metric)} by part of the queries")
    if not kinds:
        heading.note("The queries are all of one kind.")
        return
    by = st.selectbox("By", kinds, key="lk_slices_by", width=220)
    every = [one for one in summary["slices"] if one["by"] in ("all", by)]
    names = [one["name"] for one in completed(summary)]
    tables.show(
        ("queries", "n", *names),
        [_slice(part, names, metric) for part in every],
        label=f"{metric} by {by}",
        numbers=("n",),
        wide=True,
    )


def _slice(part: Mapping[str, Any], names: Sequence[str], metric: str) -> list[Any]:
    figures = [part["candidates"][name][metric] for name in names]
    n = max((figure["n"] for figure in figures), default=0)
    return [part["value"], n, *(_cell(metric, figure) for figure in figures)]


def left_out(summary: Summary) -> None:
    """The queries that do not count and why, and what has to be known beside the figures."""
    said = [
        f"{counted(len(one['query_ids']), 'query')} with {one['why']}: not counted for "
        f"{', '.join(map(written, one['metrics']))}: {_some(one['query_ids'])}"
        for one in summary["left_out"]
    ]
    said += summary["warnings"]
    if said:
        heading.section("Left out, and to be read beside the figures")
        draw(element("ul", *(element("li", one) for one in said), cls="lk-points"))


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:IDS_SHOWN])
    return shown if len(ids) <= IDS_SHOWN else f"{shown} and {len(ids) - IDS_SHOWN} more"


def other_level(summary: Summary) -> None:
    """The same candidates where documents of another level count as relevant as well."""
    declared = str(summary["plan"]["relevant_level"])
    done = completed(summary)
    for level in [level for level in done[0]["metrics"] if level != declared] if done else []:
        figures = done[0]["metrics"][level]
        shown = [name for name in figures if not name.startswith(("ndcg", "judged"))]
        with st.expander(f"With level {level} and above counted as relevant"):
            tables.show(
                ("candidate", *(_head(name, figures[name]["n"]) for name in shown)),
                [
                    [one["name"], *(_cell(name, one["metrics"][level][name]) for name in shown)]
                    for one in done
                ],
                label=f"Candidates at level {level}",
            )


def holes(summary: Summary) -> None:
    """How far the primary metric could move, whatever the unjudged documents turn out to be."""
    level, metric = str(summary["plan"]["relevant_level"]), summary["plan"]["primary"]
    done = [one for one in completed(summary) if one["holes"]]
    if not done:
        return
    with st.expander(f"What the holes could change in {written(metric)}"):
        rows = []
        for one in done:
            figure = one["metrics"][level][metric]
            bounds = spans.between(figure["holes_low"], figure["holes_high"], 3)
            rows.append([one["name"], one["holes"], spans.figure(figure["mean"], 3), bounds])
        tables.show(
            ("candidate", "holes", written(metric), "between, whatever they are"),
            rows,
            label="Bounds over all ways to judge the holes",
            numbers=("holes", written(metric)),
        )


def on_paper(summary: Summary) -> None:
    """What is documented of each candidate, whether it ran or not, and what is not."""
    with st.expander("The shortlist on paper"):
        rows = [paper_row(one) for one in summary["candidates"]]
        tables.show(PAPER_COLUMNS, rows, label="The shortlist on paper")
        heading.note("A candidate file can say it: about = { licence, hosting, price, … }.")


def reduced(summary: Summary) -> None:
    """What reduced precision and approximate indexes lose against their parents."""
    rows = loss_rows(summary)
    if rows:
        with st.expander("What reduced precision and approximate search lose"):
            tables.show(LOSS_COLUMNS, rows, label="Losses of precision and index")


def downloads(run: RunResult) -> None:
    """The run as a document to send on."""
    with st.container(horizontal=True, gap="small"):
        for form, name in (("html", "HTML"), ("md", "Markdown"), ("csv", "CSV")):
            st.download_button(
                f"Report as {name}",
                as_document(run, form),
                f"benchmark-{run.folder.name}.{form}",
                key=f"lk_report_{form}",
            )


def what_ran(summary: Summary) -> None:
    """Model, chunking, sizes and times of each candidate."""
    with st.expander("What ran"):
        tables.show(
            ("candidate", "model", "chunking", "index", "chunks", "dimensions", "cut off",
             "seconds to encode", "p50 ms", "p99 ms", "machine"),
            [_ran(one) for one in completed(summary)],
            label="What ran",
            numbers=("chunks", "dimensions", "cut off", "seconds to encode", "p50 ms", "p99 ms"),
        )  # fmt: skip


def _ran(one: Candidate) -> list[Any]:
    total = (one["latency_ms"] or {}).get("total") or {}
    return [
        _kept(one["name"]),
        one["model"] or one["kind"],
        one["chunking"],
        one["index"],
        f"{one['chunks']:,}",
        one["dimensions"],
        spans.share(one["truncated_share"]),
        f"{one['encode_seconds']:,.1f}",
        spans.figure(total.get("p50"), 1),
        spans.figure(total.get("p99"), 1),
        one["machine"],
    ]
